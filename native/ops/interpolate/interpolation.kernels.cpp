// The kernels of interpolation, which interpolation.kernels.h describes.
//
// Along a row, neighbouring results need neighbouring elements. If the neighbouring elements fit two vectors, each tap
// is a permutation of the vectors, and a kernel reads the tap's table once for several rows. If the elements are
// further apart, kernels read the elements one by one. However, if each result is a sum of many consecutive elements,
// kernels read these elements as vectors.
#include "ops/interpolate/interpolation.kernels.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "simd/lanes.h"
#include "simd/permute.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// --- positions ---

template <class T>
void locate(int64_t* element, void* beyond, const Grid& grid, int64_t first, int64_t n) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  using Index = Vec<int64_t, N>;
  const V ratio(static_cast<T>(grid.ratio)), offset(static_cast<T>(grid.offset)), shift(static_cast<T>(grid.shift));
  const Index last(grid.size - 1);
  Index number;
  for (int k = 0; k < N; ++k) number.v[k] = first + k;
  for (int64_t i = 0; i < n; i += N, number = number + Index(N)) {
    // The position is rounded only once, so that the position is the same at every level.
    V position = fused_mul_add(ratio, convert<T>(number) + offset, -offset);
    if (grid.clamped) position = max(position, V(T(0)));
    const Index before = min(convert<int64_t>(floor(convert<float>(position + shift))), last);
    before.store(element + i);
    if (beyond) min(max(position - convert<T>(before), V(T(0))), V(T(1))).store(static_cast<T*>(beyond) + i);
  }
}

// --- sums ---

// Returns sum + weight * x. If the weight is 0, the function returns the sum without a change. A sum begins with -0,
// the neutral element of addition.
template <class V>
SUANZI_INLINE V add_tap(V sum, V weight, V x) {
  return select(weight != V(0), mul_add(weight, x, sum), sum);
}
template <class V>
SUANZI_INLINE V empty_sum() {
  return V(typename V::element(-0.0));
}

// --- along rows, tap by tap: a vector of results at a time ---

// The distance between the elements that a vector of results needs.
enum class Spread { one_vector, two_vectors, two_for_each_tap, any };

// The places of the elements that a tap reads. If the elements are read as vectors, these places are lanes counted from
// element `start`. Otherwise, these places are indices in the row.
template <Spread spread, class T, int N>
struct Places {
  int64_t start;
  std::conditional_t<spread == Spread::any, Vec<int64_t, N>, Vec<IntFor<T>, N>> lanes;

  // Reads the places of N results. If the taps have no separate starts, the lanes are counted from `from`.
  SUANZI_INLINE Places(const int64_t* index, int64_t origin, int64_t from) {
    const auto places = Vec<int64_t, N>::load(index);
    start = spread == Spread::two_for_each_tap ? *index - origin : from;
    if constexpr (spread == Spread::any) {
      lanes = places - Vec<int64_t, N>(origin);
    } else {
      lanes = convert<IntFor<T>>(places - Vec<int64_t, N>(origin + start));
    }
  }
};

// The elements that the taps of a vector of results read, in a row of `extent` elements.
template <Spread spread, class T, int N>
struct Window {
  using V = Vec<T, N>;
  const T* row;
  int64_t extent;
  V low, high;

  SUANZI_INLINE Window(const T* from, int64_t start, int64_t size) : row(from), extent(size) {
    if constexpr (spread == Spread::one_vector || spread == Spread::two_vectors) low = part(start);
    if constexpr (spread == Spread::two_vectors) high = part(start + N);
  }
  SUANZI_INLINE V part(int64_t start) const {
    const int64_t left = extent - start;
    if (left >= N) return V::load(row + start);
    return left > 0 ? V::load_first(row + start, static_cast<int>(left)) : V(T(0));
  }
  SUANZI_INLINE V take(const Places<spread, T, N>& places) const {
    if constexpr (spread == Spread::any) return gather(row, places.lanes);
    if constexpr (spread == Spread::one_vector) return permute(low, places.lanes);
    if constexpr (spread == Spread::two_vectors) return permute(low, high, places.lanes);
    if constexpr (spread == Spread::two_for_each_tap)
      return permute(part(places.start), part(places.start + N), places.lanes);
  }
};

// Calls body(windows, places) with a window for each of Rows rows. places(t) returns the places of tap t. Row k begins
// at in(k).
template <Spread spread, class T, int Rows, int N, class In, class Body>
SUANZI_INLINE void at_windows(In in, const Taps& taps, const AxisPiece& piece, int64_t i, Body body) {
  const int64_t start = taps.index[i] - piece.origin;
  const auto places = [&](int64_t t) __attribute__((always_inline)) {
    return Places<spread, T, N>(taps.index + t * taps.step + i, piece.origin, start);
  };
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    const Window<spread, T, N> windows[] = {{in(k), start, piece.extent}...};
    body(windows, places);
  }(std::make_integer_sequence<int, Rows>{});
}

// Chooses how the code reads the elements of the results [i, i + N), and calls body(windows, places).
template <class T, int Rows, int N, class In, class Body>
SUANZI_INLINE void with_windows(In in, const Taps& taps, const AxisPiece& piece, int64_t i, Body body) {
  if constexpr (Arch::permutes<T, N>) {
    const auto spread = [&](int64_t first_tap, int64_t last_tap) __attribute__((always_inline)) {
      return taps.index[last_tap * taps.step + i + N - 1] - taps.index[first_tap * taps.step + i];
    };
    const int64_t all = spread(0, taps.count - 1);
    if (all < N) return at_windows<Spread::one_vector, T, Rows, N>(in, taps, piece, i, body);
    if (all < 2 * N) return at_windows<Spread::two_vectors, T, Rows, N>(in, taps, piece, i, body);
    bool each = taps.count > 1;
    for (int64_t t = 0; each && t < taps.count; ++t) each = spread(t, t) < 2 * N;
    if (each) return at_windows<Spread::two_for_each_tap, T, Rows, N>(in, taps, piece, i, body);
  }
  at_windows<Spread::any, T, Rows, N>(in, taps, piece, i, body);
}

template <int Rows, class T>
void along_taps(T* out, const T* in, const Taps& taps, const AxisPiece& piece) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const auto* weights = static_cast<const T*>(taps.weight);
  const int64_t size = piece.last - piece.first;
  walk<N>(size, [&](int64_t at, auto access) __attribute__((always_inline)) {
    const int64_t i = piece.first + at;
    const auto weigh = [&](const auto& windows, auto places) __attribute__((always_inline)) {
      V sums[Rows];
      for (V& sum : sums) sum = empty_sum<V>();
      for (int64_t t = 0; t < taps.count; ++t) {
        const V weight = V::load(weights + t * taps.step + i);
        const auto from = places(t);
        for (int k = 0; k < Rows; ++k) sums[k] = add_tap(sums[k], weight, windows[k].take(from));
      }
      for (int k = 0; k < Rows; ++k) access.store(sums[k], out + k * size + at);
    };
    const auto row = [&](int k) __attribute__((always_inline)) { return in + k * piece.extent; };
    with_windows<T, Rows, N>(row, taps, piece, i, weigh);
  });
}

// --- along rows, result by result: a vector of taps at a time ---

struct Add {
  template <class V>
  static SUANZI_INLINE V fold(V a, V b) {
    return a + b;
  }
};

template <int Rows, class T>
void along_windows(T* out, const T* in, const Taps& taps, const AxisPiece& piece) {
  constexpr int N = lanes<T> < whole_window ? lanes<T> : static_cast<int>(whole_window);
  using V = Vec<T, N>;
  const int64_t size = piece.last - piece.first;
  for (int64_t i = 0; i < size; ++i) {
    const auto* weights = static_cast<const T*>(taps.weight) + (piece.first + i) * taps.step;
    const T* const window = in + taps.index[piece.first + i] - piece.origin;
    V sums[Rows];
    for (V& sum : sums) sum = empty_sum<V>();
    for (int64_t t = 0; t < taps.step; t += N) {
      const V weight = V::load(weights + t);
      for (int k = 0; k < Rows; ++k) sums[k] = add_tap(sums[k], weight, V::load(window + k * piece.extent + t));
    }
    for (int k = 0; k < Rows; ++k) out[k * size + i] = fold_all_lanes<Add>(sums[k]);
  }
}

template <class T>
void along(void* out, const void* in, int64_t rows, const Taps& taps, const AxisPiece& piece) {
  constexpr int together = 4;
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(in);
  const int64_t size = piece.last - piece.first;
  const auto some = taps.windows ? along_windows<together, T> : along_taps<together, T>;
  const auto one = taps.windows ? along_windows<1, T> : along_taps<1, T>;
  int64_t r = 0;
  for (; r + together <= rows; r += together) some(to + r * size, from + r * piece.extent, taps, piece);
  for (; r < rows; ++r) one(to + r * size, from + r * piece.extent, taps, piece);
}

// --- across rows ---

// Computes row i of the results. Count is the number of taps, or 0 for any number.
template <int Count, class T>
void across_row(T* out, const T* in, int64_t columns, const Taps& taps, const AxisPiece& piece, int64_t i,
                bool stream) {
  constexpr int N = lanes<T>, together = 4;
  using V = Vec<T, N>;
  const auto* weights = static_cast<const T*>(taps.weight) + (taps.windows ? i * taps.step : i);
  const int64_t weight_step = taps.windows ? 1 : taps.step;
  const auto row = [&](int64_t t) __attribute__((always_inline)) {
    const int64_t place = taps.windows ? taps.index[i] + t : taps.index[t * taps.step + i];
    return in + (place - piece.origin) * columns;
  };
  const auto some = [&]<int Vectors>(int64_t j, auto access, std::integral_constant<int, Vectors>)
                        __attribute__((always_inline)) {
                          V sums[Vectors];
                          for (V& sum : sums) sum = empty_sum<V>();
                          for (int64_t t = 0; t < (Count ? Count : taps.windows ? taps.step : taps.count); ++t) {
                            const T weight = weights[t * weight_step];
                            if (weight == 0) continue;
                            const T* const from = row(t) + j;
                            for (int k = 0; k < Vectors; ++k)
                              sums[k] = mul_add(V(weight), access.template load<N>(from + k * N), sums[k]);
                          }
                          for (int k = 0; k < Vectors; ++k) access.store(sums[k], out + j + k * N);
                        };
  int64_t done = 0;
  if (!stream)
    for (; done + together * N <= columns; done += together * N)
      some(done, Whole{}, std::integral_constant<int, together>{});
  walk<N>(out + done, columns - done, stream, [&](int64_t j, auto access) __attribute__((always_inline)) {
    some(done + j, access, std::integral_constant<int, 1>{});
  });
}

template <class T>
void across(void* out, const void* in, int64_t columns, const Taps& taps, const AxisPiece& piece, bool stream) {
  const auto row = taps.count == 2 ? across_row<2, T> : taps.count == 4 ? across_row<4, T> : across_row<0, T>;
  for (int64_t i = piece.first; i < piece.last; ++i)
    row(static_cast<T*>(out) + (i - piece.first) * columns, static_cast<const T*>(in), columns, taps, piece, i, stream);
}

// --- bytes, whose sums are computed in a floating type ---

template <class T>
void to_bytes(void* x, int64_t n) {
  using V = Vec<T, lanes<T>>;
  auto* at = static_cast<T*>(x);
  walk<V::lanes>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const V clamped = min(max(access.template load<V::lanes>(at + i), V(T(0))), V(T(255)));
    access.store(rint(clamped), at + i);
  });
}

template <class T>
constexpr WeighingKernels weighing_kernels() {
  return {locate<T>, along<T>, across<T>, to_bytes<T>};
}

// --- moving ---

template <class T, int Rows>
void take_rows(std::byte* const* out, const std::byte* const* in, const Taps& taps, const AxisPiece& piece) {
  const auto row = [&](int k) __attribute__((always_inline)) { return reinterpret_cast<const T*>(in[k]); };
  walk<lanes<T>>(piece.last - piece.first, [&](int64_t at, auto access) __attribute__((always_inline)) {
    const auto move = [&](const auto& windows, auto places) __attribute__((always_inline)) {
      const auto from = places(0);
      for (int k = 0; k < Rows; ++k) access.store(windows[k].take(from), reinterpret_cast<T*>(out[k]) + at);
    };
    with_windows<T, Rows, lanes<T>>(row, taps, piece, piece.first + at, move);
  });
}

template <int Size>
void take(std::byte* const* out, const std::byte* const* in, int64_t rows, const Taps& taps, const AxisPiece& piece) {
  if constexpr (Size == 4 || Size == 8) {
    using T = std::make_unsigned_t<typename IntOfSize<Size>::type>;
    constexpr int together = 4;
    int64_t row = 0;
    for (; row + together <= rows; row += together) take_rows<T, together>(out + row, in + row, taps, piece);
    for (; row < rows; ++row) take_rows<T, 1>(out + row, in + row, taps, piece);
  } else {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = piece.first; i < piece.last; ++i)
        std::memcpy(out[row] + (i - piece.first) * Size, in[row] + (taps.index[i] - piece.origin) * Size, Size);
  }
}

constexpr InterpolationKernels interpolation{
    .float32 = weighing_kernels<float>(),
    .float64 = weighing_kernels<double>(),
    .take = {take<1>, take<2>, take<4>, take<8>, take<16>},
};

}  // namespace

void fill_interpolation(KernelTable& table) { table.interpolation = &interpolation; }

}  // namespace suanzi::SUANZI_LEVEL
