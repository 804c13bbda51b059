// The kernels of interpolation: see interpolation.h.
//
// Along a row, neighbouring results need neighbouring elements: where those fit two vectors, each tap is a permutation
// of them, and its table is read once for several rows. Elements further apart are read one by one.
#include "kernels/interpolation.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "simd/permute.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// sum + weight * x, and the sum itself where the weight is 0. A sum begins with -0, the neutral element of addition.
template <class V>
SUANZI_INLINE V add_tap(V sum, V weight, V x) {
  return select(weight != V(0), mul_add(weight, x, sum), sum);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> empty_sum() {
  return Vec<T, N>(T(-0.0));
}

// --- along rows ---

// The elements of a row that a vector of results needs: they lie in `Vectors` vectors, or anywhere (0).
template <int Vectors, class T, int N>
struct Window {
  const T* row;
  Vec<T, N> parts[Vectors];

  // From element `start` on; `extent` elements are there.
  SUANZI_INLINE Window(const T* from, int64_t start, int64_t extent) : row(from) {
    for (int p = 0; p < Vectors; ++p) {
      const int64_t at = start + p * N, left = extent - at;
      parts[p] = left >= N ? Vec<T, N>::load(row + at) : Vec<T, N>::load_first(row + at, static_cast<int>(left));
    }
  }
  SUANZI_INLINE Vec<T, N> take(Vec<IntFor<T>, N> places) const {
    if constexpr (Vectors == 1) {
      return permute(parts[0], places);
    } else {
      return permute(parts[0], parts[1], places);
    }
  }
};
template <class T, int N>
struct Window<0, T, N> {
  const T* row;

  SUANZI_INLINE Window(const T* from, int64_t, int64_t) : row(from) {}
  SUANZI_INLINE Vec<T, N> take(Vec<int64_t, N> places) const { return gather(row, places); }
};

// body(k, window) for the windows of Rows rows, `extent` elements apart, and places(t): what take() wants for tap t.
template <int Vectors, int Rows, int N, class T, class Body>
SUANZI_INLINE void at_window(const T* in, const Taps& taps, const AxisPiece& piece, int64_t i, Body body) {
  const int64_t start = taps.index[i] - piece.origin;
  const auto places = [&](int64_t t) __attribute__((always_inline)) {
    const auto index = Vec<int64_t, N>::load(taps.index + t * taps.step + i);
    if constexpr (Vectors == 0) {
      return index - Vec<int64_t, N>(piece.origin);
    } else {
      return convert<IntFor<T>>(index - Vec<int64_t, N>(piece.origin + start));
    }
  };
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    const Window<Vectors, T, N> windows[] = {{in + k * piece.extent, start, piece.extent}...};
    body(windows, places);
  }(std::make_integer_sequence<int, Rows>{});
}

// Chooses how the window of the results [i, i + N) is read, and calls body as above.
template <int Rows, int N, class T, class Body>
SUANZI_INLINE void with_window(const T* in, const Taps& taps, const AxisPiece& piece, int64_t i, Body body) {
  if constexpr (has_permute<T, N>) {
    const int64_t count = taps.index[(taps.count - 1) * taps.step + i + N - 1] + 1 - taps.index[i];
    if (count <= N) return at_window<1, Rows, N>(in, taps, piece, i, body);
    if (count <= 2 * N) return at_window<2, Rows, N>(in, taps, piece, i, body);
  }
  at_window<0, Rows, N>(in, taps, piece, i, body);
}

template <int Rows, class T>
void along_rows(T* out, const T* in, const Taps& taps, const AxisPiece& piece) {
  constexpr int N = lanes<T>;
  using V = Vec<T, N>;
  const auto* weights = static_cast<const T*>(taps.weight);
  const int64_t size = piece.last - piece.first;
  walk<N>(size, [&](int64_t at, auto access) __attribute__((always_inline)) {
    const int64_t i = piece.first + at;
    const auto weigh = [&](const auto& windows, auto places) __attribute__((always_inline)) {
      V sums[Rows];
      for (V& sum : sums) sum = empty_sum<T, N>();
      for (int64_t t = 0; t < taps.count; ++t) {
        const V weight = V::load(weights + t * taps.step + i);
        const auto from = places(t);
        for (int k = 0; k < Rows; ++k) sums[k] = add_tap(sums[k], weight, windows[k].take(from));
      }
      for (int k = 0; k < Rows; ++k) access.store(sums[k], out + k * size + at);
    };
    with_window<Rows, N>(in, taps, piece, i, weigh);
  });
}

template <class T>
void along(void* out, const void* in, int64_t rows, const Taps& taps, const AxisPiece& piece) {
  constexpr int together = 4;
  auto* to = static_cast<T*>(out);
  const auto* from = static_cast<const T*>(in);
  const int64_t size = piece.last - piece.first;
  int64_t r = 0;
  for (; r + together <= rows; r += together) along_rows<together>(to + r * size, from + r * piece.extent, taps, piece);
  for (; r < rows; ++r) along_rows<1>(to + r * size, from + r * piece.extent, taps, piece);
}

// --- across rows ---

// One row of results; Count is the number of taps, or 0 for any.
template <int Count, class T>
void across_row(T* out, const T* in, int64_t columns, const Taps& taps, const AxisPiece& piece, int64_t i,
                bool stream) {
  constexpr int N = lanes<T>, together = 4;
  using V = Vec<T, N>;
  const auto* weights = static_cast<const T*>(taps.weight) + i;
  const auto row = [&](int64_t t) __attribute__((always_inline)) {
    return in + (taps.index[t * taps.step + i] - piece.origin) * columns;
  };
  const auto sum_of = [&](int64_t j, auto access) __attribute__((always_inline)) {
    V sum = empty_sum<T, N>();
    for (int64_t t = 0; t < (Count ? Count : taps.count); ++t)
      sum = add_tap(sum, V(weights[t * taps.step]), access.template load<N>(row(t) + j));
    return sum;
  };
  const auto body = [&](int64_t j, auto access)
                        __attribute__((always_inline)) { access.store(sum_of(j, access), out + j); };
  if (stream) return walk_streaming<N>(out, columns, body);
  int64_t j = 0;
  for (; j + together * N <= columns; j += together * N)
    for (int k = 0; k < together; ++k) body(j + k * N, Whole{});
  for (; j + N <= columns; j += N) body(j, Whole{});
  if (j < columns) body(j, First{columns - j});
}

template <class T>
void across(void* out, const void* in, int64_t columns, const Taps& taps, const AxisPiece& piece, bool stream) {
  const auto row = taps.count == 2 ? across_row<2, T> : taps.count == 4 ? across_row<4, T> : across_row<0, T>;
  for (int64_t i = piece.first; i < piece.last; ++i)
    row(static_cast<T*>(out) + (i - piece.first) * columns, static_cast<const T*>(in), columns, taps, piece, i, stream);
}

// --- bytes, whose sums are computed in a floating type ---

template <class T>
void to_bytes(void* x, int64_t n, bool whole) {
  using V = Vec<T, lanes<T>>;
  auto* at = static_cast<T*>(x);
  walk<V::lanes>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const V clamped = min(max(access.template load<V::lanes>(at + i), V(T(0))), V(T(255)));
    access.store(whole ? rint(clamped) : clamped, at + i);
  });
}

template <class T>
constexpr WeighingKernels weighing_kernels() {
  return {along<T>, across<T>, to_bytes<T>};
}

// --- moving ---

template <int Size>
void take(std::byte* out, const std::byte* in, const Taps& taps, const AxisPiece& piece) {
  const int64_t size = piece.last - piece.first;
  if constexpr (Size == 4 || Size == 8) {
    using T = std::make_unsigned_t<typename IntOfSize<Size>::type>;
    auto* to = reinterpret_cast<T*>(out);
    walk<lanes<T>>(size, [&](int64_t at, auto access) __attribute__((always_inline)) {
      const auto move = [&](const auto& windows, auto places)
                            __attribute__((always_inline)) { access.store(windows[0].take(places(0)), to + at); };
      with_window<1, lanes<T>>(reinterpret_cast<const T*>(in), taps, piece, piece.first + at, move);
    });
  } else {
    for (int64_t i = 0; i < size; ++i)
      std::memcpy(out + i * Size, in + (taps.index[piece.first + i] - piece.origin) * Size, Size);
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
