#include "ops/interpolate/interpolation_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernel.h"
#include "runtime/costs.h"
#include "runtime/threads.h"

namespace suanzi {
namespace {

// Returns the distance between the positions of neighbouring results, counted in elements.
template <class T>
T ratio_of(const InterpolatedAxis& axis) {
  if (axis.align_corners) return axis.out > 1 ? T(axis.in - 1) / T(axis.out - 1) : T(0);
  return axis.scale > 0 ? T(1 / axis.scale) : T(axis.in) / T(axis.out);
}

// cubic_near is the cubic convolution kernel at distances up to 1, and cubic_far is this kernel at distances from 1 to
// 2 (R. Keys, "Cubic convolution interpolation for digital image processing", IEEE Transactions on Acoustics, Speech,
// and Signal Processing 29, 1981). Each formula is a product of factors, because the terms of an expanded polynomial
// would cancel.
double cubic_near(double x, double a) { return (1 - x) * (1 + x - (a + 2) * x * x); }
double cubic_far(double x, double a) { return a * (x - 1) * (2 - x) * (2 - x); }

// --- filters with the same number of taps for every result, whose tables are filled tap by tap ---

// A part of a table that has one row for each tap. `index` and `weight` point to the part's first entry in row 0. Row t
// begins `step` entries after row t - 1.
template <class T>
struct Rows {
  int64_t* index;
  T* weight;
  int64_t step;
};

template <class T>
struct Fixed {
  const InterpolatedAxis& axis;
  Grid grid{axis.in, static_cast<double>(ratio_of<T>(axis)), axis.align_corners ? 0.0 : 0.5, true, 0};

  void locate(int64_t* element, T* beyond, int64_t first, int64_t n) const {
    kernels().interpolation->weighing<T>().locate(element, beyond, grid, first, n);
  }
  int64_t inside(int64_t element) const { return std::clamp(element, int64_t{0}, axis.in - 1); }
};

template <class T>
struct Nearest : Fixed<T> {
  static constexpr int64_t taps = 1;
  static constexpr bool weighs = false;

  Nearest(const InterpolatedAxis& axis, bool exact) : Fixed<T>{axis} {
    (exact ? this->grid.shift : this->grid.offset) = exact ? 0.5 : 0;
  }
  void operator()(const Rows<T>& rows, int64_t first, int64_t n) const { this->locate(rows.index, nullptr, first, n); }
};

template <class T>
struct Linear : Fixed<T> {
  static constexpr int64_t taps = 2;
  static constexpr bool weighs = true;

  explicit Linear(const InterpolatedAxis& axis) : Fixed<T>{axis} {}
  void operator()(const Rows<T>& rows, int64_t first, int64_t n) const {
    T* const beyond = rows.weight + rows.step;
    this->locate(rows.index, beyond, first, n);
    for (int64_t i = 0; i < n; ++i) rows.weight[i] = 1 - beyond[i];
    for (int64_t i = 0; i < n; ++i) rows.index[rows.step + i] = this->inside(rows.index[i] + 1);
  }
};

template <class T>
struct Cubic : Fixed<T> {
  static constexpr int64_t taps = 4;
  static constexpr bool weighs = true;

  explicit Cubic(const InterpolatedAxis& axis) : Fixed<T>{axis} { this->grid.clamped = false; }
  void operator()(const Rows<T>& rows, int64_t first, int64_t n) const {
    constexpr double a = -0.75;
    this->locate(rows.index, rows.weight, first, n);
    for (int64_t i = 0; i < n; ++i) {
      const double x = rows.weight[i];
      const double weights[] = {cubic_far(1 + x, a), cubic_near(x, a), cubic_near(1 - x, a), cubic_far(2 - x, a)};
      const int64_t second = rows.index[i];
      for (int t = 0; t < 4; ++t) {
        rows.weight[t * rows.step + i] = static_cast<T>(weights[t]);
        rows.index[t * rows.step + i] = this->inside(second + t - 1);
      }
    }
  }
};

// --- filters over all elements within a result, which return the window of result i and write the weights of the
// window ---

// `count` consecutive elements, the first of which is `first`.
struct Window {
  int64_t first, count;
};

template <class T>
struct Area {
  const InterpolatedAxis& axis;

  int64_t taps() const { return axis.in % axis.out == 0 ? axis.in / axis.out : axis.in / axis.out + 2; }
  Window operator()(int64_t i, T* weights) const {
    const auto edge = [&](int64_t k) { return static_cast<__int128>(k) * axis.in; };
    const auto first = static_cast<int64_t>(edge(i) / axis.out);
    const auto end = static_cast<int64_t>((edge(i + 1) + axis.out - 1) / axis.out);
    std::fill_n(weights, end - first, 1 / T(end - first));
    return {first, end - first};
  }
};

// A linear or cubic filter. If a result covers more than one element, the filter is stretched to the width of the
// result. Positions on long axes, whose halves T cannot hold, are computed in double.
template <class T, bool is_cubic>
struct Wide {
  const InterpolatedAxis& axis;
  bool is_long = std::max(axis.in, axis.out) >= int64_t{1} << (std::numeric_limits<float>::digits - 2);

  template <class C>
  struct Reach {
    C ratio, width, reach;  // `reach` is the reach of the filter on either side

    explicit Reach(const InterpolatedAxis& axis)
        : ratio(ratio_of<C>(axis)), width(std::max(ratio, C(1))), reach((is_cubic ? 2 : 1) * width) {}
  };
  Reach<T> near{axis};
  Reach<double> far{axis};

  int64_t taps() const {
    return std::min(axis.in, 2 * static_cast<int64_t>(std::ceil(is_long ? far.reach : double(near.reach))) + 1);
  }
  Window operator()(int64_t i, T* weights) const {
    return is_long ? window(far, i, weights) : window(near, i, weights);
  }

 private:
  template <class C>
  Window window(const Reach<C>& by, int64_t i, T* weights) const {
    const C centre = by.ratio * (C(i) + C(0.5));  // the centre of element k is at k + 0.5
    const int64_t first = std::clamp(static_cast<int64_t>(centre - by.reach + C(0.5)), int64_t{0}, axis.in - 1);
    const int64_t end = std::min(static_cast<int64_t>(centre + by.reach + C(0.5)), axis.in);
    const int64_t count = std::clamp(end - first, int64_t{1}, taps());
    const auto weight = [&](int64_t k) { return kernel((static_cast<double>(k + first) - centre + 0.5) / by.width); };
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += weight(k);
    for (int64_t k = 0; k < count; ++k) weights[k] = T(weight(k) / sum);
    return {first, count};
  }

  static double kernel(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (!is_cubic) return std::max(1 - x, 0.0);
    return x < 1 ? cubic_near(x, a) : x < 2 ? cubic_far(x, a) : 0;
  }
};

// --- tables ---

// Fills a table in pieces. Several threads share the pieces of a large table.
template <class Fill>
void fill_in_pieces(int64_t results, int64_t taps, Fill fill) {
  const int64_t pieces = (results * taps + costs::table_piece - 1) / costs::table_piece;
  parallel_for(pieces, [&](int64_t k) { fill(results * k / pieces, results * (k + 1) / pieces); });
}

template <class T, class Rule>
Taps fill_fixed(const Rule& rule, int64_t from, int64_t results, Scratch& memory) {
  const int64_t vectors = (results + whole_vectors - 1) / whole_vectors, step = vectors * whole_vectors;
  auto* const index = memory.take<int64_t>(step * Rule::taps * (Rule::weighs ? 2 : 1));
  auto* const weight = Rule::weighs ? reinterpret_cast<T*>(index + step * Rule::taps) : nullptr;
  fill_in_pieces(vectors, whole_vectors * Rule::taps, [&](int64_t first, int64_t last) {
    first *= whole_vectors;
    rule(Rows<T>{index + first, Rule::weighs ? weight + first : nullptr, step}, from + first,
         last * whole_vectors - first);
  });
  return {Rule::taps, step, index, weight};
}

// Makes a table of windows, whose elements are within the axis. The layout is by taps for narrow windows, and by
// results for wide windows.
template <class T, class Rule>
Taps fill_windows(const Rule& rule, const InterpolatedAxis& axis, int64_t from, int64_t results, Scratch& memory) {
  const int64_t count = rule.taps(), padded = (count + whole_window - 1) / whole_window * whole_window;
  const bool windows = count > whole_window / 2 && padded <= axis.in && axis.in > axis.out;
  const int64_t whole = windows ? 1 : whole_vectors, length = (results + whole - 1) / whole * whole;
  const int64_t indices = windows ? length : length * count, weighed = windows ? padded : count;
  auto* const index = memory.take<int64_t>(indices + length * weighed);
  auto* const weight = reinterpret_cast<T*>(index + indices);
  fill_in_pieces(length, weighed, [&](int64_t first, int64_t last) {
    Scratch own;
    auto* const weights = own.take<T>(count);
    for (int64_t i = first; i < last; ++i) {
      const Window window = rule(from + std::min(i, results - 1), weights);
      if (windows) {
        index[i] = std::min(window.first, axis.in - padded);
        T* const to = std::fill_n(weight + i * padded, window.first - index[i], T(0));
        std::fill(std::copy_n(weights, window.count, to), weight + (i + 1) * padded, T(0));
        continue;
      }
      for (int64_t t = 0; t < count; ++t) {
        index[t * length + i] = window.first + std::min(t, window.count - 1);
        weight[t * length + i] = t < window.count ? weights[t] : T(0);
      }
    }
  });
  return {count, windows ? padded : length, index, weight, windows};
}

}  // namespace

template <class T>
TapTable TapTable::make(Filter filter, const InterpolatedAxis& axis, int64_t first, int64_t last) {
  TapTable table;
  table.results_ = last - first;
  table.elements_ = axis.in;
  const auto fixed = [&](const auto& rule) { return fill_fixed<T>(rule, first, last - first, table.memory_); };
  const auto windows = [&](const auto& rule) {
    return fill_windows<T>(rule, axis, first, last - first, table.memory_);
  };
  switch (filter) {
    case Filter::nearest:
    case Filter::nearest_exact:
      table.taps_ = fixed(Nearest<T>(axis, filter == Filter::nearest_exact));
      break;
    case Filter::linear:
      table.taps_ = fixed(Linear<T>(axis));
      break;
    case Filter::cubic:
      table.taps_ = fixed(Cubic<T>(axis));
      break;
    case Filter::area:
      table.taps_ = windows(Area<T>{axis});
      break;
    case Filter::wide_linear:
      table.taps_ = windows(Wide<T, false>{axis});
      break;
    case Filter::wide_cubic:
      table.taps_ = windows(Wide<T, true>{axis});
      break;
  }
  return table;
}
template TapTable TapTable::make<float>(Filter, const InterpolatedAxis&, int64_t, int64_t);
template TapTable TapTable::make<double>(Filter, const InterpolatedAxis&, int64_t, int64_t);

AxisPiece TapTable::piece(int64_t first, int64_t last, int64_t vector) const {
  const int64_t origin = taps_.index[first];
  if (taps_.windows) return {first, last, origin, taps_.index[last - 1] + taps_.step - origin};
  const int64_t end = std::min(first + (last - first + vector - 1) / vector * vector, taps_.step);
  return {first, last, origin, taps_.index[(taps_.count - 1) * taps_.step + end - 1] + 1 - origin};
}

bool keeps_elements(Filter filter, const InterpolatedAxis& axis) {
  if (axis.in != axis.out) return false;
  if (axis.align_corners || axis.scale == 0 || axis.scale == 1) return true;
  // A scale that leaves the size unchanged still shifts the positions. PyTorch applies such a scale only with the
  // filters nearest, nearest_exact and cubic.
  return filter != Filter::nearest && filter != Filter::nearest_exact && filter != Filter::cubic;
}

}  // namespace suanzi
