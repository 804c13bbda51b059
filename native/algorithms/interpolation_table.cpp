#include "algorithms/interpolation_table.h"

#include <algorithm>
#include <cmath>

#include "runtime/threads.h"

namespace suanzi {
namespace {

// What one result is made of: `count` elements from `first` on. Those past an end stand for the last one there.
struct Window {
  int64_t first, count;
};

// Elements for each result.
template <class T>
T ratio_of(const InterpolatedAxis& axis) {
  if (axis.align_corners) return axis.out > 1 ? T(axis.in - 1) / T(axis.out - 1) : T(0);
  return axis.scale > 0 ? T(1 / axis.scale) : T(axis.in) / T(axis.out);
}

// The centre of result i, where that of element k is k. It is rounded once, as PyTorch's compiler contracts the
// formula; in float64, which holds products of float32 exactly, that takes no function call.
template <class T>
T centre_of(const InterpolatedAxis& axis, T ratio, int64_t i) {
  if (axis.align_corners) return ratio * T(i);
  const T middle = T(i) + T(0.5);
  if constexpr (sizeof(T) == 4) return static_cast<T>(static_cast<double>(ratio) * middle - 0.5);
  return std::fma(ratio, middle, T(-0.5));
}

// The integer at or below a position, which float32 tells from the next one.
template <class T>
int64_t floor_of(T position) {
  const float at = static_cast<float>(position);
  const auto whole = static_cast<int64_t>(at);
  return whole - (at < static_cast<float>(whole));
}

// The element at or before a position, and how far beyond it the position is.
template <class T>
int64_t element_before(T position, int64_t size, T& beyond) {
  const int64_t element = std::min(floor_of(position), size - 1);
  beyond = std::clamp(position - T(element), T(0), T(1));
  return element;
}

// The cubic convolution kernel at distances up to 1 and from there to 2: R. Keys, "Cubic convolution interpolation for
// digital image processing", IEEE Transactions on Acoustics, Speech, and Signal Processing 29 (1981). As products,
// whose terms do not cancel.
double cubic_near(double x, double a) { return (1 - x) * (1 + x - (a + 2) * x * x); }
double cubic_far(double x, double a) { return a * (x - 1) * (2 - x) * (2 - x); }

// A filter says how many elements a result is made of at most, and which they are for result i; `fixed` if there are
// always as many, `weighs` unless it is one element as it is.
template <class T>
struct Nearest {
  static constexpr bool weighs = false;
  static constexpr int64_t fixed = 1;
  const InterpolatedAxis& axis;
  bool centred;
  T ratio = ratio_of<T>(axis);

  Window operator()(int64_t i, T*) const {
    if (!centred) return {floor_of(ratio * T(i)), 1};
    return {floor_of(static_cast<double>(std::max(centre_of(axis, ratio, i), T(0))) + 0.5), 1};
  }
};

template <class T>
struct Linear {
  static constexpr bool weighs = true;
  static constexpr int64_t fixed = 2;
  const InterpolatedAxis& axis;
  T ratio = ratio_of<T>(axis);

  Window operator()(int64_t i, T* weights) const {
    const int64_t first = element_before(std::max(centre_of(axis, ratio, i), T(0)), axis.in, weights[1]);
    weights[0] = 1 - weights[1];
    return {first, 2};
  }
};

template <class T>
struct Cubic {
  static constexpr bool weighs = true;
  static constexpr int64_t fixed = 4;
  const InterpolatedAxis& axis;
  T ratio = ratio_of<T>(axis);

  Window operator()(int64_t i, T* weights) const {
    constexpr double a = -0.75;
    T beyond;
    const int64_t second = element_before(centre_of(axis, ratio, i), axis.in, beyond);
    const double x = beyond;
    weights[0] = T(cubic_far(1 + x, a));
    weights[1] = T(cubic_near(x, a));
    weights[2] = T(cubic_near(1 - x, a));
    weights[3] = T(cubic_far(2 - x, a));
    return {second - 1, 4};
  }
};

template <class T>
struct Area {
  static constexpr bool weighs = true;
  static constexpr int64_t fixed = 0;
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

// The linear or cubic kernel, made as wide as a result where that covers more than one element.
template <class T, bool is_cubic>
struct Wide {
  static constexpr bool weighs = true;
  static constexpr int64_t fixed = 0;
  const InterpolatedAxis& axis;
  T ratio = ratio_of<T>(axis);
  T width = std::max(ratio, T(1));
  T reach = (is_cubic ? 2 : 1) * width;  // on either side

  int64_t taps() const { return std::min(axis.in, 2 * static_cast<int64_t>(std::ceil(reach)) + 1); }
  Window operator()(int64_t i, T* weights) const {
    const T centre = ratio * (T(i) + T(0.5));  // where that of element k is k + 0.5
    const int64_t first = std::max(static_cast<int64_t>(centre - reach + T(0.5)), int64_t{0});
    const int64_t end = std::min(static_cast<int64_t>(centre + reach + T(0.5)), axis.in);
    const int64_t count = std::clamp(end - first, int64_t{0}, taps());
    const auto weight = [&](int64_t k) { return kernel((static_cast<double>(k + first) - centre + 0.5) / width); };
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

// The pieces of a table that are filled at a time, by several threads where there are many.
template <class Fill>
void fill_in_pieces(int64_t results, int64_t taps, Fill fill) {
  constexpr int64_t long_table = 8192;
  const int64_t pieces = (results * taps + long_table - 1) / long_table;
  parallel_for(pieces, [&](int64_t k) { fill(results * k / pieces, results * (k + 1) / pieces); });
}

// Each filter has as many taps for every result: tables by taps.
template <class T, class Rule>
Taps fill_fixed(const Rule& rule, const InterpolatedAxis& axis, int64_t from, int64_t results, Scratch& memory) {
  constexpr int64_t count = Rule::fixed;
  const int64_t step = (results + whole_vectors - 1) / whole_vectors * whole_vectors;
  auto* const index = memory.take<int64_t>(step * count * (Rule::weighs ? 2 : 1));
  auto* const weight = reinterpret_cast<T*>(index + step * count);
  fill_in_pieces(step, count, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      T weights[count];
      const Window window = rule(from + std::min(i, results - 1), weights);
      for (int64_t t = 0; t < count; ++t) {
        index[t * step + i] = std::clamp(window.first + t, int64_t{0}, axis.in - 1);
        if constexpr (Rule::weighs) weight[t * step + i] = weights[t];
      }
    }
  });
  return {count, step, index, Rule::weighs ? weight : nullptr};
}

// Windows of any width within the axis: tables by taps for narrow ones, by results for wide ones.
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
  const auto use = [&](const auto& rule) {
    if constexpr (std::decay_t<decltype(rule)>::fixed > 0) {
      table.taps_ = fill_fixed<T>(rule, axis, first, last - first, table.memory_);
    } else {
      table.taps_ = fill_windows<T>(rule, axis, first, last - first, table.memory_);
    }
  };
  switch (filter) {
    case Filter::nearest:
    case Filter::nearest_exact:
      use(Nearest<T>{axis, filter == Filter::nearest_exact});
      break;
    case Filter::linear:
      use(Linear<T>{axis});
      break;
    case Filter::cubic:
      use(Cubic<T>{axis});
      break;
    case Filter::area:
      use(Area<T>{axis});
      break;
    case Filter::wide_linear:
      use(Wide<T, false>{axis});
      break;
    case Filter::wide_cubic:
      use(Wide<T, true>{axis});
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

bool keeps_elements(Filter filter, const InterpolatedAxis& axis, int axes) {
  if (axis.in != axis.out) return false;
  if (axis.align_corners || axis.scale == 0 || axis.scale == 1) return true;
  // A scale that leaves the size as it is may still shift the positions. PyTorch heeds it in these modes alone.
  const bool shifts = filter == Filter::cubic || filter == Filter::nearest_exact;
  return !(shifts || (filter == Filter::nearest && axes != 2));
}

}  // namespace suanzi
