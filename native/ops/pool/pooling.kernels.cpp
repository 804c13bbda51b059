// The kernels of pooling, which pooling.kernels.h describes.
//
// A kernel first folds a window across rows, whole rows at a time, and then along the resulting row. For a window of h
// x w elements, the kernel needs h + w steps instead of h * w. If a result overflows or loses digits, the kernel
// computes the result again, element by element, in float64. In this computation, the kernel may scale elements.
#include "ops/pool/pooling.kernels.h"

#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "simd/half.h"
#include "simd/lanes.h"
#include "simd/shuffle.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// --- elements in the computing type W ---

template <class T>
using Bits = std::conditional_t<is_half_storage<T>, uint16_t, T>;

template <class T, class W, int N>
SUANZI_INLINE Vec<W, N> widened(Vec<Bits<T>, N> x) {
  if constexpr (is_half_storage<T> && std::is_same_v<W, float>)
    return widen_half<T>(x);
  else if constexpr (is_half_storage<T>)
    return convert<W>(widen_half<T>(x));
  else if constexpr (std::is_same_v<T, W>)
    return x;
  else
    return convert<W>(x);
}
template <class T, class W, int N>
SUANZI_INLINE Vec<Bits<T>, N> narrowed(Vec<W, N> x) {
  if constexpr (is_half_storage<T> && std::is_same_v<W, float>)
    return narrow_half<T>(x);
  else if constexpr (is_half_storage<T>)
    return narrow_half<T>(convert<float>(x));
  else if constexpr (std::is_same_v<T, W>)
    return x;
  else
    return convert<T>(x);
}
template <class T, class W>
SUANZI_INLINE W widened(const T* p) {
  if constexpr (is_half_storage<T>) {
    constexpr int N = vector_bytes / 4;
    const float x = widen_half<T>(Vec<uint16_t, N>::load_first(reinterpret_cast<const uint16_t*>(p), 1)).v[0];
    return static_cast<W>(x);
  } else {
    return static_cast<W>(*p);
  }
}
template <class T, class W>
SUANZI_INLINE void store_one(W x, T* p) {
  if constexpr (is_half_storage<T>) {
    constexpr int N = vector_bytes / 4;
    narrow_half<T>(Vec<float, N>(static_cast<float>(x))).store_first(reinterpret_cast<uint16_t*>(p), 1);
  } else {
    *p = static_cast<T>(x);
  }
}

// --- pools ---

// A pool prepares each element, folds, and finishes a result. Some pools divide the result. If `repeats` is true, the
// kernel computes results again unless `is_kept` accepts the results.
template <class W>
struct Max {
  static constexpr bool divides = false, repeats = false, prepares_nothing = true;
  static constexpr W neutral =
      std::numeric_limits<W>::has_infinity ? -std::numeric_limits<W>::infinity() : std::numeric_limits<W>::lowest();
  template <class V>
  static SUANZI_INLINE V prepare(V x) {
    return x;
  }
  template <int N>
  static SUANZI_INLINE Vec<W, N> fold(Vec<W, N> a, Vec<W, N> b) {
    if constexpr (std::is_floating_point_v<W>) return max_or_nan(b, a);
    return max(b, a);
  }
  static SUANZI_INLINE W fold_one(W a, W b) { return b > a || b != b ? b : a; }
};

template <class W>
struct Sum {
  static constexpr W neutral = 0;
  template <int N>
  static SUANZI_INLINE Vec<W, N> fold(Vec<W, N> a, Vec<W, N> b) {
    return a + b;
  }
  static SUANZI_INLINE W fold_one(W a, W b) { return a + b; }
};

template <class W>
struct Average : Sum<W> {
  static constexpr bool divides = true, repeats = true, prepares_nothing = true;
  template <class V>
  static SUANZI_INLINE V prepare(V x) {
    return x;
  }
  // An infinite sum may be a sum of finite elements.
  template <int N>
  static SUANZI_INLINE Mask<sizeof(W), N> is_kept(Vec<W, N> result) {
    return result - result == Vec<W, N>(W(0));
  }
  static SUANZI_INLINE bool is_kept(W result) { return result - result == 0; }
};

template <class W>
struct Norm1 : Sum<W> {
  static constexpr bool divides = false, repeats = false, prepares_nothing = false;
  template <int N>
  static SUANZI_INLINE Vec<W, N> prepare(Vec<W, N> x) {
    return abs(x);
  }
  template <int N>
  static SUANZI_INLINE Vec<W, N> finish(Vec<W, N> x) {
    return x;
  }
};

// Squares of shorter types stay in the range of float64, in which the kernel sums the squares. Squares of float64 may
// leave this range.
template <class W, bool is_short>
struct Norm2 : Sum<W> {
  static constexpr bool divides = false, repeats = !is_short, prepares_nothing = false;
  template <int N>
  static SUANZI_INLINE Vec<W, N> prepare(Vec<W, N> x) {
    return x * x;
  }
  template <int N>
  static SUANZI_INLINE Vec<W, N> finish(Vec<W, N> x) {
    return sqrt(x);
  }
  static constexpr W least = static_cast<W>(0x1p-480), greatest = static_cast<W>(0x1p480);
  template <int N>
  static SUANZI_INLINE Mask<sizeof(W), N> is_kept(Vec<W, N> result) {
    return (result >= Vec<W, N>(least)) & (result <= Vec<W, N>(greatest));
  }
  static SUANZI_INLINE bool is_kept(W result) { return result >= least && result <= greatest; }
};

// --- the input of a row of results ---

template <class T>
struct Row {
  const T* plane;
  const Span *deep, *high;
  double divisor;

  SUANZI_INLINE Row(const T* in, const Pooling& p, int64_t row)
      : Row(in, p, row % p.axis[1].out, row / p.axis[1].out % p.axis[0].out, row / p.axis[1].out / p.axis[0].out) {}
  SUANZI_INLINE Row(const T* in, const Pooling& p, int64_t h, int64_t d, int64_t number) {
    plane = in + number * (p.axis[0].in * p.axis[1].in * p.pitch);
    deep = p.axis[0].spans + d;
    high = p.axis[1].spans + h;
    divisor = p.axis[0].divisors ? p.axis[0].divisors[d] * p.axis[1].divisors[h] : 1;
  }
  SUANZI_INLINE bool is_empty() const { return deep->count <= 0 || high->count <= 0; }
  SUANZI_INLINE bool is_single() const { return deep->count == 1 && high->count == 1; }
  // Returns the address of the input row that contains elements (d, h, ...) of the window.
  SUANZI_INLINE const T* at(const Pooling& p, int64_t d, int64_t h) const {
    return plane + ((deep->first + d * p.axis[0].step) * p.axis[1].in + high->first + h * p.axis[1].step) * p.pitch +
           p.from;
  }
};

// --- across rows ---

// Reads only the first `count` elements of a vector from memory, and sets the other elements to `rest`. The vector is
// stored as a whole, because a partial store takes several times as long.
template <class W>
struct Filled {
  int64_t count;
  W rest;
  template <int N>
  SUANZI_INLINE Vec<W, N> load(const W* p) const {
    return count < N ? Vec<W, N>::load_first(p, static_cast<int>(count), rest) : Vec<W, N>::load(p);
  }
  template <int N>
  SUANZI_INLINE void store(Vec<W, N> x, W* p) const {
    x.store(p);
  }
};

// Folds the rows of a window into one row in `line`, and may overwrite up to a vector of elements behind the row.
template <class P, class T, class W>
SUANZI_INLINE void fold_rows(W* line, const Pooling& p, const Row<T>& row) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W)), together = 4;
  const int64_t width = p.axis[2].in;
  const auto* const first = reinterpret_cast<const Bits<T>*>(row.at(p, 0, 0));
  const int64_t deep_step = p.axis[0].step * p.axis[1].in * p.pitch, high_step = p.axis[1].step * p.pitch;
  const int64_t depth = row.deep->count, height = row.high->count;
  const auto some = [&]<int Count>(int64_t i, auto access, std::integral_constant<int, Count>)
                        __attribute__((always_inline)) {
                          Vec<W, N> folded[Count];
                          const auto load = [&](const Bits<T>* from, int k) __attribute__((always_inline)) {
                            return P::prepare(widened<T, W>(access.template load<N>(from + k * N)));
                          };
                          for (int k = 0; k < Count; ++k) folded[k] = load(first + i, k);
                          for (int64_t h = 1; h < height; ++h)
                            for (int k = 0; k < Count; ++k)
                              folded[k] = P::fold(folded[k], load(first + h * high_step + i, k));
                          for (int64_t d = 1; d < depth; ++d)
                            for (int64_t h = 0; h < height; ++h)
                              for (int k = 0; k < Count; ++k)
                                folded[k] = P::fold(folded[k], load(first + d * deep_step + h * high_step + i, k));
                          for (int k = 0; k < Count; ++k) access.store(folded[k], line + i + k * N);
                        };
  int64_t i = 0;
  if constexpr (!brief) {
    for (; i + together * N <= width; i += together * N) some(i, Whole{}, std::integral_constant<int, together>{});
    for (; i + N <= width; i += N) some(i, Whole{}, std::integral_constant<int, 1>{});
    if (i > 0 && i < width) return some(width - N, Whole{}, std::integral_constant<int, 1>{});
  }
  for (; i < width; i += N) {
    if constexpr (std::is_same_v<T, W>) {
      some(i, Filled<W>{width - i, P::neutral}, std::integral_constant<int, 1>{});
    } else {
      some(i, First{width - i}, std::integral_constant<int, 1>{});
    }
  }
}

// --- along the row ---

// Collects in run k the elements k, k + Stride, k + 2 * Stride, ... of the line.
template <int Stride, class W>
SUANZI_INLINE void spread_all(W* runs, const W* line, const RegularWindows& r) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W));
  const int64_t used = r.line - pooled_vector;  // the number of elements before the neutral elements
  int64_t i = 0;
  for (; Stride * i < used && Stride * (i + N) <= r.line; i += N) {
    Vec<W, N> some[Stride];
    for (int k = 0; k < Stride; ++k) some[k] = Vec<W, N>::load(line + Stride * i + k * N);
    take_columns(some);
    for (int k = 0; k < Stride; ++k) some[k].store(runs + k * r.run + i);
  }
  for (; Stride * i < used; ++i)
    for (int k = 0; k < Stride && Stride * i + k < used; ++k) runs[k * r.run + i] = line[Stride * i + k];
}

// Collects in runs the elements that are `stride` apart in the line. All pools of a type share this function.
template <class W>
[[gnu::noinline]] void spread(W* runs, const W* line, const RegularWindows& r) {
  const int64_t used = r.line - pooled_vector;
  bool are_all = !brief && r.runs == r.stride;
  for (int64_t k = 0; k < r.runs; ++k) are_all = are_all && r.remainders[k] == k;
  if (are_all && r.stride == 3) return spread_all<3>(runs, line, r);
  if (are_all && r.stride == 4) return spread_all<4>(runs, line, r);
  for (int64_t k = 0; k < r.runs; ++k) {
    W* const to = runs + k * r.run;
    for (int64_t i = 0, from = r.remainders[k]; from < used; ++i, from += r.stride) to[i] = line[from];
  }
}

template <class P, class W>
SUANZI_INLINE auto finished(Vec<W, vector_bytes / static_cast<int>(sizeof(W))> x, W divisor, const W* divisors) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W));
  if constexpr (P::divides)
    return x / (Vec<W, N>(divisor) * Vec<W, N>::load(divisors));
  else if constexpr (requires { P::finish(x); })
    return P::finish(x);
  else
    return x;
}

// Returns the folded windows of a vector of results, from the line or its runs.
template <class P, bool in_pairs, class W>
SUANZI_INLINE auto folded_windows(const W* line, const RegularWindows& r, int64_t j) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W));
  using V = Vec<W, N>;
  if constexpr (in_pairs) {
    V folded;
    for (int64_t k = 0; k < r.taps; k += 2) {
      const W* const from = line + 2 * j + k;
      V both[2] = {V::load(from), V::load(from + N)};
      take_columns(both);
      folded = k == 0 ? both[0] : P::fold(folded, both[0]);
      if (k + 1 < r.taps) folded = P::fold(folded, both[1]);
    }
    return folded;
  } else {
    V folded = V::load(line + r.offsets[0] + j);
    for (int64_t k = 1; k < r.taps; ++k) folded = P::fold(folded, V::load(line + r.offsets[k] + j));
    return folded;
  }
}

// The results of a row, and the end of the memory that whole vectors may overwrite because the kernel writes this
// memory later.
template <class T>
struct Results {
  T* to;
  const T* end;
  int64_t count;
};

// Calls body(j) for vectors of results and stores the returned vectors. The last vector may overlap the vector before.
template <int N, class T, class Body>
SUANZI_INLINE void for_results(const Results<T>& results, Body body) {
  auto* const to = reinterpret_cast<Bits<T>*>(results.to);
  int64_t j = 0;
  for (; j + N <= results.count; j += N) body(j).store(to + j);
  if (j == results.count) return;
  if (j > 0) j = results.count - N;
  const auto last = body(j);
  if (j > 0 || results.end - results.to >= N) {
    last.store(to + j);
  } else {
    last.store_first(to, static_cast<int>(results.count));
  }
}

// Computes the results of a row from the line or its runs. Returns true if `is_kept` accepts all results.
template <class P, bool in_pairs, class T, class W>
SUANZI_INLINE bool along(const Results<T>& results, const W* line, const Pooling& p, double divisor) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W));
  const auto* const divisors = static_cast<const W*>(p.divisors);
  bool kept = true;
  for_results<N>(results, [&](int64_t j) __attribute__((always_inline)) {
    const auto folded = folded_windows<P, in_pairs>(line, p.regular, j);
    const auto result = finished<P>(folded, static_cast<W>(divisor), divisors + j);
    if constexpr (P::repeats) kept = kept && !any(~P::is_kept(result));
    return narrowed<T>(result);
  });
  return kept;
}

// Computes windows of `Taps` columns that are side by side and inside the row. If all windows are inside the row, the
// kernel needs no copy of the row. Returns true if `is_kept` accepts all results.
template <int Taps, class P, class T>
SUANZI_INLINE bool side_by_side(const Results<T>& results, const Pooling& p, const Row<T>& row) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  using V = Vec<T, N>;
  const T* const first = row.at(p, 0, 0);
  const int64_t deep_step = p.axis[0].step * p.axis[1].in * p.pitch, high_step = p.axis[1].step * p.pitch;
  const int64_t depth = row.deep->count, height = row.high->count;
  const auto* const divisors = static_cast<const T*>(p.divisors);
  bool kept = true;
  for_results<N>(results, [&](int64_t j) __attribute__((always_inline)) {
    V folded[Taps];
    for (int k = 0; k < Taps; ++k) folded[k] = V::load(first + Taps * j + k * N);
    for (int64_t d = 0; d < depth; ++d)
      for (int64_t h = d == 0; h < height; ++h)
        for (int k = 0; k < Taps; ++k)
          folded[k] = P::fold(folded[k], V::load(first + d * deep_step + h * high_step + Taps * j + k * N));
    take_columns(folded);
    for (int k = 1; k < Taps; ++k) folded[0] = P::fold(folded[0], folded[k]);
    const V result = finished<P>(folded[0], static_cast<T>(row.divisor), divisors + j);
    if constexpr (P::repeats) kept = kept && !any(~P::is_kept(result));
    return result;
  });
  return kept;
}
template <class P, class T>
SUANZI_INLINE bool side_by_side(int64_t taps, const Results<T>& results, const Pooling& p, const Row<T>& row) {
  if (taps == 2) return side_by_side<2, P>(results, p, row);
  if (taps == 3) return side_by_side<3, P>(results, p, row);
  return side_by_side<4, P>(results, p, row);
}

// Returns the number of columns of a window if `side_by_side` can compute all rows. Otherwise, the function returns 0.
template <class T>
int64_t columns_side_by_side(const Pooling& p) {
  const RegularWindows& r = p.regular;
  constexpr int64_t lanes = vector_bytes / static_cast<int64_t>(sizeof(T));
  const bool is_plain = r.line && r.stride == r.taps && r.before == 0 && p.axis[2].step == 1 &&
                        r.taps * p.axis[2].out <= p.axis[2].in && p.axis[2].out >= lanes;
  return is_plain && r.taps >= 2 && r.taps <= 4 ? r.taps : 0;
}

// Folds consecutive elements in vectors. The function works block by block, so that long sums keep their digits.
template <class P, class W>
SUANZI_INLINE W fold_run(const W* line, int64_t count) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W)), block = 32 * N;
  W folded = P::neutral;
  int64_t k = 0;
  if (count >= N) {
    Vec<W, N> all(P::neutral);
    while (k + N <= count) {
      Vec<W, N> some = Vec<W, N>::load(line + k);
      const int64_t end = k + block;
      for (k += N; k < end && k + N <= count; k += N) some = P::fold(some, Vec<W, N>::load(line + k));
      all = P::fold(all, some);
    }
    folded = fold_all_lanes<P>(all);
  }
  for (; k < count; ++k) folded = P::fold_one(folded, line[k]);
  return folded;
}

// Computes the results of a row one by one. Each result is a fold of its span.
template <class P, class T, class W>
SUANZI_INLINE bool along_spans(T* out, const W* line, const Pooling& p, double divisor) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(W));
  const PooledAxis& axis = p.axis[2];
  const auto* const divisors = static_cast<const W*>(p.divisors);
  bool kept = true;
  for (int64_t j = 0; j < axis.out; ++j) {
    const Span span = axis.spans[j];
    W folded = P::neutral;
    if (axis.step == 1) {
      folded = fold_run<P>(line + span.first, span.count);
    } else {
      for (int64_t k = 0; k < span.count; ++k) folded = P::fold_one(folded, line[span.first + k * axis.step]);
    }
    const W result = finished<P>(Vec<W, N>(folded), static_cast<W>(divisor), divisors + j).v[0];
    if constexpr (P::repeats) kept = kept && P::is_kept(result);
    store_one(result, out + j);
  }
  return kept;
}

// --- results element by element ---

// Calls body(element) for each element of the window of result j.
template <class T, class Body>
SUANZI_INLINE void for_elements(const Pooling& p, const Row<T>& row, int64_t j, Body body) {
  const Span span = p.axis[2].spans[j];
  for (int64_t d = 0; d < row.deep->count; ++d)
    for (int64_t h = 0; h < row.high->count; ++h) {
      const T* const from = row.at(p, d, h) + span.first;
      for (int64_t k = 0; k < span.count; ++k) body(from + k * p.axis[2].step);
    }
}

template <class T>
double careful_average(const Pooling& p, const Row<T>& row, int64_t j) {
  const double scale = p.scale;
  double sum = 0;
  for_elements(p, row, j, [&](const T* x) { sum += widened<T, double>(x) * scale; });
  const double divisor = row.divisor * p.axis[2].divisors[j];
  return sum / divisor / scale;
}

// Returns x^n for n > 0.
inline double whole_power(double x, int n) {
  double power = 1;
  for (; n > 1; n >>= 1, x *= x)
    if (n & 1) power *= x;
  return power * x;
}

// Returns the norm of a window's elements. The function first divides the elements by the greatest magnitude.
template <class T>
double careful_norm(const Pooling& p, const Row<T>& row, int64_t j) {
  double greatest = 0;
  for_elements(p, row, j, [&](const T* x) {
    const double magnitude = std::fabs(widened<T, double>(x));
    if (magnitude > greatest || magnitude != magnitude) greatest = magnitude;
  });
  const double order = p.order;
  if (!(greatest > 0 && greatest <= std::numeric_limits<double>::max()) || order > std::numeric_limits<double>::max())
    return greatest;
  double sum = 0;
  const int whole = order <= 64 && order == static_cast<double>(static_cast<int>(order)) ? static_cast<int>(order) : 0;
  for_elements(p, row, j, [&](const T* x) {
    const double share = std::fabs(widened<T, double>(x)) / greatest;
    sum += whole ? whole_power(share, whole) : std::pow(share, order);
  });
  return greatest * (order == 1   ? sum
                     : order == 2 ? std::sqrt(sum)
                     : order == 3 ? std::cbrt(sum)
                                  : std::pow(sum, 1 / order));
}

template <class P, class T, class W>
void repeat(T* out, const Pooling& p, const Row<T>& row) {
  for (int64_t j = 0; j < p.axis[2].out; ++j) {
    if (P::is_kept(widened<T, W>(out + j))) continue;
    const double result = P::divides ? careful_average(p, row, j) : careful_norm(p, row, j);
    store_one(result, out + j);
  }
}

// --- kernels ---

// Computes a row of results. `columns` is the result of columns_side_by_side. `line` is the memory for the row and its
// runs. `is_neutral` is true if the memory has only neutral elements. Returns true if `is_kept` accepts all results.
template <class P, class T, class W>
SUANZI_INLINE bool pool_row(const Results<T>& results, const Pooling& p, const Row<T>& row, int64_t columns, W* line,
                            bool& is_neutral) {
  const RegularWindows& r = p.regular;
  if constexpr (std::is_same_v<T, W> && P::prepares_nothing) {
    if (!r.line && row.is_single())
      return along_spans<P>(results.to, row.at(p, 0, 0), p, row.divisor);  // reads the row in place
    if (columns && !row.is_empty()) return side_by_side<P>(columns, results, p, row);
  }
  W *const elements = line + (r.line ? r.before : 0), *const runs = line + r.line;
  if (!row.is_empty()) {
    fold_rows<P>(elements, p, row);
    is_neutral = false;
  } else if (!is_neutral) {
    for (int64_t i = 0; i < p.axis[2].in; ++i) elements[i] = P::neutral;
    is_neutral = true;
  }
  if (!r.line) return along_spans<P>(results.to, line, p, row.divisor);
  if (r.in_pairs) return along<P, true>(results, line, p, row.divisor);
  if (r.stride != 1) spread(runs, line, r);
  return along<P, false>(results, r.stride != 1 ? runs : line, p, row.divisor);
}

template <class P, class T, class W>
void pool(void* out, const void* in, const Pooling& p, int64_t first, int64_t last, void* scratch) {
  auto* const line = static_cast<W*>(scratch);
  for (int64_t i = 0; i < p.scratch; ++i) line[i] = P::neutral;
  bool is_neutral = true;
  const int64_t height = p.axis[1].out, depth = p.axis[0].out, width = p.axis[2].out;
  int64_t h = first % height, d = first / height % depth, plane = first / height / depth;
  T* const end = static_cast<T*>(out) + (width == p.result_pitch ? last * width : 0);
  const int64_t columns = std::is_same_v<T, W> && P::prepares_nothing ? columns_side_by_side<T>(p) : 0;
  for (int64_t number = first; number < last; ++number) {
    const Row<T> row(static_cast<const T*>(in), p, h, d, plane);
    if (++h == height) {
      h = 0;
      if (++d == depth) d = 0, ++plane;
    }
    T* const to = static_cast<T*>(out) + number * p.result_pitch + p.start;
    const bool kept = pool_row<P>(Results<T>{to, end, width}, p, row, columns, line, is_neutral);
    if constexpr (P::repeats)
      if (!kept) repeat<P, T, W>(to, p, row);
  }
}

template <class T>
void any_norm(void* out, const void* in, const Pooling& p, int64_t first, int64_t last, void*) {
  for (int64_t number = first; number < last; ++number) {
    const Row<T> row(static_cast<const T*>(in), p, number);
    T* const to = static_cast<T*>(out) + number * p.result_pitch + p.start;
    for (int64_t j = 0; j < p.axis[2].out; ++j) store_one(careful_norm(p, row, j), to + j);
  }
}

template <class T>
void places(void* out, int64_t* found, const void* in, const Pooling& p, int64_t first, int64_t last) {
  const int64_t width = p.axis[2].out;
  for (int64_t number = first; number < last; ++number) {
    const Row<T> row(static_cast<const T*>(in), p, number);
    T* const to = static_cast<T*>(out) + number * p.result_pitch + p.start;
    int64_t* const place = found + number * p.result_pitch + p.start;
    for (int64_t j = 0; j < width; ++j) {
      T best = Max<T>::neutral;
      const T* at = nullptr;
      for_elements(p, row, j, [&](const T* x) {
        const T value = *x;
        if (!at || value > best || (value != value && best == best)) best = value, at = x;
      });
      to[j] = best;
      place[j] = at ? at - row.plane : -1;
    }
  }
}

template <Pool which, class P, class T, class W>
void set(PoolingKernels& kernels) {
  kernels.pool[static_cast<int>(which)][static_cast<int>(dtype_of<T>)] = pool<P, T, W>;
}

template <class... T>
void set_max(PoolingKernels& kernels, Types<T...>) {
  (set<Pool::max, Max<T>, T, T>(kernels), ...);
  ((kernels.places[static_cast<int>(dtype_of<T>)] = places<T>), ...);
}

// Sets the kernels of floating types. W is the type in which averages are computed.
template <class T, class W>
void set_floating(PoolingKernels& kernels) {
  set<Pool::average, Average<W>, T, W>(kernels);
  set<Pool::norm1, Norm1<double>, T, double>(kernels);
  set<Pool::norm2, Norm2<double, !std::is_same_v<T, double>>, T, double>(kernels);
  kernels.pool[static_cast<int>(Pool::norm)][static_cast<int>(dtype_of<T>)] = any_norm<T>;
}

PoolingKernels build() {
  PoolingKernels kernels{};
  set_max(kernels, Integers{});
  set_max(kernels, Floats{});
  set<Pool::max, Max<float>, Float16, float>(kernels);
  set<Pool::max, Max<float>, BFloat16, float>(kernels);
  set_floating<float, float>(kernels);
  set_floating<double, double>(kernels);
  set_floating<Float16, float>(kernels);
  set_floating<BFloat16, float>(kernels);
  return kernels;
}

}  // namespace

void fill_pooling(KernelTable& table) {
  static const PoolingKernels kernels = build();
  table.pooling = &kernels;
}

}  // namespace suanzi::SUANZI_LEVEL
