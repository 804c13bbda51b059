// Short transforms of single rows in memory. The numbers of a row stay in registers from load to store. In the
// registers, real and imaginary parts alternate, as in memory. A quad is four neighbouring numbers of a row, and a
// vector holds one quad or the same quad of several rows. A row whose length is a single radix is transposed together
// with three other rows, so that the numbers of each row are in one lane. Later the row is transposed back. A row whose
// length is the product of two radices needs no transposition before the first butterflies, whose lanes already hold
// the row. This row is transposed once, between the two butterflies. The results have the same bits as the results of
// the passes over planes, because an inverse transform is also a forward transform of numbers whose parts are
// exchanged.
#pragma once

#include <cstring>

#include "ops/fft/fft_butterfly.h"
#include "ops/fft/fft_memory.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int quad = 4, quad_parts = 2 * quad;

// The constant is true if a vector holds at least one quad.
template <class T>
inline constexpr bool has_quads = fft_lanes<T> >= quad_parts;
template <class T>
inline constexpr int quad_rows = fft_lanes<T> / quad_parts;

// Chooses lanes of two vectors a and b. The result alternates runs of `Run` lanes from a and from b. Of every two runs
// of a vector, the result contains the first run if `Which` is 0, and the second run if `Which` is 1.
template <int Which, int Run>
struct RunsByTurns {
  template <int N>
  static constexpr int lane(int i, int) {
    return i / (2 * Run) * 2 * Run + Which * Run + i % Run + i / Run % 2 * N;
  }
};

// Exchanges number i of quad j with number j of quad i.
template <class V>
SUANZI_INLINE void transpose_quads(V& a, V& b, V& c, V& d) {
  using FirstNumbers = RunsByTurns<0, 2>;
  using SecondNumbers = RunsByTurns<1, 2>;
  using FirstHalves = RunsByTurns<0, quad>;
  using SecondHalves = RunsByTurns<1, quad>;
  const V p = shuffle<FirstNumbers>(a, b), q = shuffle<SecondNumbers>(a, b);
  const V r = shuffle<FirstNumbers>(c, d), s = shuffle<SecondNumbers>(c, d);
  a = shuffle<FirstHalves>(p, r);
  b = shuffle<FirstHalves>(q, s);
  c = shuffle<SecondHalves>(p, r);
  d = shuffle<SecondHalves>(q, s);
}

// Computes a butterfly of `Radix` quads. A multiplication by -i exchanges the parts of a number. `signs` alternates 1
// and -1. If the parts of all numbers are exchanged, `signs` alternates -1 and 1.
template <int Radix, class V>
SUANZI_INLINE void butterfly_of_quads(V* z, V signs) {
  if constexpr (Radix == 4) {
    const V s = z[0] + z[2], t = z[0] - z[2], u = z[1] + z[3], v = swap_neighbours(z[1] - z[3]);
    z[0] = s + u;
    z[1] = mul_add(v, signs, t);
    z[2] = s - u;
    z[3] = mul_add(-v, signs, t);
  } else {
    static_assert(Radix == 8);
    V even[4], odd[4];
    for (int i = 0; i < 4; ++i) even[i] = z[i] + z[i + 4], odd[i] = z[i] - z[i + 4];
    const V half_root(static_cast<typename V::element>(0.70710678118654752440L));
    odd[1] = mul_add(swap_neighbours(odd[1]), signs, odd[1]) * half_root;
    odd[2] = swap_neighbours(odd[2]) * signs;
    odd[3] = mul_add(odd[3], -signs, swap_neighbours(odd[3])) * (half_root * signs);
    butterfly_of_quads<4>(even, signs);
    butterfly_of_quads<4>(odd, signs);
    for (int i = 0; i < 4; ++i) z[2 * i] = even[i], z[2 * i + 1] = odd[i];
  }
}

// Loads a vector with one quad from each of quad_rows rows.
template <class T>
SUANZI_INLINE Vec<T, fft_lanes<T>> load_quads(const std::byte* p, int64_t row_step) {
  using Quad = Vec<T, quad_parts>;
  const Quad first = Quad::load(reinterpret_cast<const T*>(p));
  if constexpr (quad_rows<T> == 1) {
    return first;
  } else {
    static_assert(quad_rows<T> == 2);
    return join(first, Quad::load(reinterpret_cast<const T*>(p + row_step)), std::make_index_sequence<fft_lanes<T>>{});
  }
}
template <class T>
SUANZI_INLINE void store_quads(Vec<T, fft_lanes<T>> z, std::byte* p, int64_t row_step) {
  if constexpr (quad_rows<T> == 1) {
    z.store(reinterpret_cast<T*>(p));
  } else {
    half_of<0>(z).store(reinterpret_cast<T*>(p));
    half_of<1>(z).store(reinterpret_cast<T*>(p + row_step));
  }
}
// Returns a vector for quad_rows rows. For each row, the vector holds each of four neighbouring numbers of a table
// twice.
template <class T>
SUANZI_INLINE Vec<T, fft_lanes<T>> spread_quad(const T* p) {
  using Half = Vec<T, quad>;
  const auto both = join(Half::load(p), Half::load(p), std::make_index_sequence<quad_parts>{});
  const Vec<T, quad_parts> twice = interleave<0>(both, both);
  if constexpr (quad_rows<T> == 1) {
    return twice;
  } else {
    return join(twice, twice, std::make_index_sequence<fft_lanes<T>>{});
  }
}

// Transforms rows of Radix numbers. transform(out, in) transforms `rows` rows.
template <int Radix, class T>
struct OneRadix {
  using V = Vec<T, fft_lanes<T>>;
  static constexpr int length = Radix, rows = quad * quad_rows<T>;
  V signs, scale;

  SUANZI_INLINE OneRadix(const FftPass<T>*, V signs_, T scale_) : signs(signs_), scale(scale_) {}
  SUANZI_INLINE void transform(const FftRows& out, const FftRows& in) const {
    constexpr int64_t bytes = quad_parts * sizeof(T);
    V z[Radix];
    for (int i = 0; i < Radix; ++i)
      z[i] = load_quads<T>(in.first + i % quad * quad_rows<T> * in.step + i / quad * bytes, in.step);
    for (int i = 0; i < Radix; i += quad) transpose_quads(z[i], z[i + 1], z[i + 2], z[i + 3]);
    butterfly_of_quads<Radix>(z, signs);
    for (int i = 0; i < Radix; i += quad) transpose_quads(z[i], z[i + 1], z[i + 2], z[i + 3]);
    for (int i = 0; i < Radix; ++i)
      store_quads<T>(z[i] * scale, out.first + i % quad * quad_rows<T> * out.step + i / quad * bytes, out.step);
  }
};

// Transforms rows of First * Second numbers.
template <int First, int Second, bool swapped, class T>
struct TwoRadices {
  using V = Vec<T, fft_lanes<T>>;
  static constexpr int length = First * Second, rows = quad_rows<T>;
  static constexpr int first_quads = First / quad, second_quads = Second / quad;
  V signs, scale;
  // The roots by which the first butterflies' results are multiplied. `first` holds the factors of the results' real
  // parts, and `other` holds the factors of the imaginary parts. If `swapped` is true, a number's real part is the
  // second part in memory.
  V first[First][second_quads], other[First][second_quads];

  SUANZI_INLINE TwoRadices(const FftPass<T>* passes, V signs_, T scale_) : signs(signs_), scale(scale_) {
    for (int k = 1; k < First; ++k) {
      for (int b = 0; b < second_quads; ++b) {
        const int64_t at = (k - 1) * Second + b * quad;
        const V re = spread_quad(passes[0].twiddles.re + at), im = spread_quad(passes[0].twiddles.im + at);
        const auto real_places = signs == V(T(1));
        first[k][b] = select(real_places, re, im);
        other[k][b] = select(real_places, -im, re);
      }
    }
  }
  SUANZI_INLINE void transform(const FftRows& out, const FftRows& in) const {
    constexpr int64_t bytes = quad_parts * sizeof(T);
    V z[second_quads][First];
    for (int b = 0; b < second_quads; ++b) {
      for (int j = 0; j < First; ++j) z[b][j] = load_quads<T>(in.first + (j * second_quads + b) * bytes, in.step);
      butterfly_of_quads<First>(z[b], signs);
      for (int k = 1; k < First; ++k) {
        const V rest = repeat_neighbour<1 - swapped>(z[b][k]) * other[k][b];
        z[b][k] = mul_add(repeat_neighbour<swapped>(z[b][k]), first[k][b], rest);
      }
      for (int k = 0; k < First; k += quad) transpose_quads(z[b][k], z[b][k + 1], z[b][k + 2], z[b][k + 3]);
    }
    for (int g = 0; g < first_quads; ++g) {
      V x[Second];
      for (int p = 0; p < Second; ++p) x[p] = z[p / quad][g * quad + p % quad];
      butterfly_of_quads<Second>(x, signs);
      for (int m = 0; m < Second; ++m)
        store_quads<T>(x[m] * scale, out.first + (m * first_quads + g) * bytes, out.step);
    }
  }
};

// Transforms `count` rows. Rows that do not fill a vector are copied to a buffer that fills a vector.
template <class Plan, bool swapped, class T>
SUANZI_INLINE void run_rows(const FftPass<T>* passes, const FftRows& out, const FftRows& in, int64_t count, T scale) {
  using V = Vec<T, fft_lanes<T>>;
  constexpr int64_t bytes = 2 * Plan::length * sizeof(T);
  const V ones(T(1)), signs = swapped ? interleave<0>(-ones, ones) : interleave<0>(ones, -ones);
  const Plan plan(passes, signs, scale);
  const auto from = [](const FftRows& rows, int64_t i) { return FftRows{rows.first + i * rows.step, rows.step}; };
  int64_t i = 0;
  for (; i + Plan::rows <= count; i += Plan::rows) plan.transform(from(out, i), from(in, i));
  if (i == count) return;
  alignas(64) std::byte memory[Plan::rows * bytes] = {};
  const FftRows staged{memory, bytes};
  for (int64_t r = i; r < count; ++r) std::memcpy(memory + (r - i) * bytes, in.first + r * in.step, bytes);
  plan.transform(staged, staged);
  for (int64_t r = i; r < count; ++r) std::memcpy(out.first + r * out.step, memory + (r - i) * bytes, bytes);
}

template <class Plan, class SwappedPlan, class T>
void transform_rows(const FftPass<T>* passes, const FftRows& out, const FftRows& in, int64_t count, bool swapped,
                    T scale) {
  if (swapped) {
    run_rows<SwappedPlan, true>(passes, out, in, count, scale);
  } else {
    run_rows<Plan, false>(passes, out, in, count, scale);
  }
}

template <int Radix, class T>
constexpr auto one_radix = transform_rows<OneRadix<Radix, T>, OneRadix<Radix, T>, T>;
template <int First, int Second, class T>
constexpr auto two_radices = transform_rows<TwoRadices<First, Second, false, T>, TwoRadices<First, Second, true, T>, T>;

template <class T>
void fill_rows(FftKernelsOf<T>& kernels) {
  if constexpr (has_quads<T>) {
    kernels.rows[2] = one_radix<4, T>;
    kernels.rows[3] = one_radix<8, T>;
    kernels.rows[4] = two_radices<4, 4, T>;
    kernels.rows[5] = two_radices<8, 4, T>;
    kernels.rows[6] = two_radices<8, 8, T>;
  }
}

}  // namespace suanzi::SUANZI_LEVEL
