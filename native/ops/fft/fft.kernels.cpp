// The passes of Fourier transforms, and the steps between a complex transform and a real transform of twice the length.
//
// Stockham's form of the transform puts the results in order during the passes. Therefore, no pass only permutes
// numbers, and all passes read and write contiguous runs of columns. Only the first pass over a single column has no
// columns to vectorise over. This pass computes its butterflies side by side and interleaves the results of the
// butterflies.
#include "ops/fft/fft.kernels.h"

#include "kernels/families.h"
#include "ops/fft/fft_butterfly.h"
#include "ops/fft/fft_memory.h"
#include "ops/fft/fft_rows.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

template <int N, class T, class Access>
SUANZI_INLINE ComplexVec<T, N> load_planes(Planes<const T> x, int64_t i, Access access) {
  return {access.template load<N>(x.re + i), access.template load<N>(x.im + i)};
}
template <class T, int N, class Access>
SUANZI_INLINE void store_planes(ComplexVec<T, N> z, Planes<T> x, int64_t i, Access access) {
  access.store(z.re, x.re + i);
  access.store(z.im, x.im + i);
}
template <int N, class T>
SUANZI_INLINE ComplexVec<T, N> spread(Planes<const T> x, int64_t i) {
  return {Vec<T, N>(x.re[i]), Vec<T, N>(x.im[i])};
}

// Computes the butterflies of group p for N columns. get(j) returns row j of the numbers of these columns, and put(k,
// z) stores row k of the results.
template <int Radix, int N, bool twiddled, class T, class Get, class Put>
SUANZI_INLINE void transform_group(const FftPass<T>& pass, int64_t p, Get get, Put put) {
  const int radix = Radix ? Radix : pass.radix;
  ComplexVec<T, N> z[Radix ? Radix : max_radix];
  for (int j = 0; j < radix; ++j) z[j] = get(j);
  butterfly<Radix>(z, pass);
  put(0, z[0]);
#pragma GCC unroll 8  // Clang would keep z in memory.
  for (int k = 1; k < radix; ++k) {
    if constexpr (twiddled) z[k] = times(z[k], spread<N>(pass.twiddles, (k - 1) * pass.count + p));
    put(k, z[k]);
  }
}

template <int Radix, int N, bool twiddled, class T>
SUANZI_INLINE void run_groups(const FftPass<T>& pass, Planes<T> out, Planes<const T> in, int64_t columns) {
  const int radix = Radix ? Radix : pass.radix;
  for (int64_t p = 0; p < pass.count; ++p)
    walk<N>(columns, [&](int64_t q, auto access) __attribute__((always_inline)) {
      transform_group<Radix, N, twiddled>(
          pass, p,
          [&](int j)
              __attribute__((always_inline)) { return load_planes<N>(in, (p + j * pass.count) * columns + q, access); },
          [&](int k, ComplexVec<T, N> z)
              __attribute__((always_inline)) { store_planes(z, out, (p * radix + k) * columns + q, access); });
    });
}

template <int Radix, class T>
void run_pass(const FftPass<T>& pass, Planes<T> out, Planes<const T> in, int64_t columns) {
  constexpr int N = fft_lanes<T>;
  if (pass.count == 1) return run_groups<Radix, N, false>(pass, out, in, columns);
  // The 8 columns after a first pass of radix 8 fill vectors of 8 lanes, but no wider vectors.
  if constexpr (N > 8) {
    if (columns == 8) return run_groups<Radix, 8, true>(pass, out, in, columns);
  }
  run_groups<Radix, N, true>(pass, out, in, columns);
}

template <bool swapped, class T, int N>
SUANZI_INLINE ComplexVec<T, N> swap_if(ComplexVec<T, N> z) {
  return swapped ? ComplexVec<T, N>{z.im, z.re} : z;
}

template <bool swapped, class T>
SUANZI_INLINE void run_first_as(const FftPass<T>& pass, Planes<T> out, const T* in) {
  constexpr int radix = 8, N = fft_lanes<T>;
  walk<N>(pass.count, [&](int64_t p, auto access) __attribute__((always_inline)) {
    ComplexVec<T, N> z[radix];
    for (int j = 0; j < radix; ++j) z[j] = swap_if<swapped>(load_pairs<N>(in + 2 * (p + j * pass.count), access));
    butterfly<radix>(z, pass);
    for (int k = 1; k < radix; ++k) z[k] = times(z[k], load_planes<N>(pass.twiddles, (k - 1) * pass.count + p, access));
    Vec<T, N> re[radix], im[radix];
    for (int k = 0; k < radix; ++k) re[k] = z[k].re, im[k] = z[k].im;
    interleave_all(re);
    interleave_all(im);
    for (int k = 0; k < radix; ++k) {
      if constexpr (std::is_same_v<decltype(access), Whole>) {
        store_planes(ComplexVec<T, N>{re[k], im[k]}, out, radix * p + k * N, access);
      } else if (radix * access.count > k * N) {
        store_planes(ComplexVec<T, N>{re[k], im[k]}, out, radix * p + k * N, First{radix * access.count - k * N});
      }
    }
  });
}
template <class T>
void run_first(const FftPass<T>& pass, Planes<T> out, const T* in, bool swapped) {
  if (swapped) {
    run_first_as<true>(pass, out, in);
  } else {
    run_first_as<false>(pass, out, in);
  }
}

template <int Radix, bool swapped, class T>
SUANZI_INLINE void run_last_as(const FftPass<T>& pass, T* out, Planes<const T> in, int64_t columns, T scale) {
  constexpr int N = fft_lanes<T>;
  walk<N>(columns, [&](int64_t q, auto access) __attribute__((always_inline)) {
    transform_group<Radix, N, false>(
        pass, 0, [&](int j) __attribute__((always_inline)) { return load_planes<N>(in, j * columns + q, access); },
        [&](int k, ComplexVec<T, N> z) __attribute__((always_inline)) {
          store_pairs(swap_if<swapped>(z * Vec<T, N>(scale)), out + 2 * (k * columns + q), access);
        });
  });
}
template <int Radix, class T>
void run_last(const FftPass<T>& pass, T* out, Planes<const T> in, int64_t columns, T scale, bool swapped) {
  if (swapped) {
    run_last_as<Radix, true>(pass, out, in, columns, scale);
  } else {
    run_last_as<Radix, false>(pass, out, in, columns, scale);
  }
}

template <int Radix, bool swapped, class T>
SUANZI_INLINE void run_load_pass_as(const FftPass<T>& pass, Planes<T> out, const FftColumns& in) {
  constexpr int N = fft_lanes<T>;
  constexpr int64_t width = block_columns<T>;
  const int radix = Radix ? Radix : pass.radix;
  for (int64_t p = 0; p < pass.count; ++p)
    for (int64_t q = 0; q < width; q += N)
      transform_group<Radix, N, true>(
          pass, p,
          [&](int j) __attribute__((always_inline)) {
            return swap_if<swapped>(load_pairs<N>(element<T>(in, 0, p + j * pass.count) + 2 * q, Whole{}));
          },
          [&](int k, ComplexVec<T, N> z)
              __attribute__((always_inline)) { store_planes(z, out, (p * radix + k) * width + q, Whole{}); });
}
template <int Radix, class T>
void run_load_pass(const FftPass<T>& pass, Planes<T> out, const FftColumns& in, bool swapped) {
  if (swapped) {
    run_load_pass_as<Radix, true>(pass, out, in);
  } else {
    run_load_pass_as<Radix, false>(pass, out, in);
  }
}

template <int Radix, bool swapped, class T>
SUANZI_INLINE void run_store_pass_as(const FftPass<T>& pass, const FftColumns& out, Planes<const T> in, int64_t rows,
                                     T scale) {
  constexpr int N = fft_lanes<T>;
  constexpr int64_t width = block_columns<T>;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t q = 0; q < width; q += N)
      transform_group<Radix, N, false>(
          pass, 0,
          [&](int j) __attribute__((always_inline)) { return load_planes<N>(in, (j * rows + i) * width + q, Whole{}); },
          [&](int k, ComplexVec<T, N> z) __attribute__((always_inline)) {
            store_pairs(swap_if<swapped>(z * Vec<T, N>(scale)), place<T>(out, 0, k * rows + i) + 2 * q, Whole{});
          });
}
template <int Radix, class T>
void run_store_pass(const FftPass<T>& pass, const FftColumns& out, Planes<const T> in, int64_t rows, T scale,
                    bool swapped) {
  if (swapped) {
    run_store_pass_as<Radix, true>(pass, out, in, rows, scale);
  } else {
    run_store_pass_as<Radix, false>(pass, out, in, rows, scale);
  }
}

template <class T>
void multiply(T* out, const T* a, const T* b, int64_t n, T sign) {
  constexpr int N = fft_lanes<T>;
  walk<N>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const ComplexVec<T, N> y = load_pairs<N>(b + 2 * i, access);
    store_pairs(times(load_pairs<N>(a + 2 * i, access), {y.re, y.im * Vec<T, N>(sign)}), out + 2 * i, access);
  });
}

template <class T>
void twiddle(Planes<T> rows, Planes<const T> by, Planes<const T> each, int64_t count) {
  constexpr int N = fft_lanes<T>;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t q = i * block_columns<T>; q < (i + 1) * block_columns<T>; q += N) {
      const ComplexVec<T, N> z = load_planes<N>(Planes<const T>{rows.re, rows.im}, q, Whole{});
      store_planes(times(z, times(load_planes<N>(each, q, Whole{}), spread<N>(by, i))), rows, q, Whole{});
    }
  }
}

template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> half_of(ComplexVec<T, N> z) {
  return {z.re * Vec<T, N>(T(0.5)), z.im * Vec<T, N>(T(0.5))};
}
// Returns X[k] from Z = E + i O, where E and O are the transforms of the numbers with even and odd indices. The
// formulas are X[k] = E[k] + w^k O[k], 2 E[k] = Z[k] + conj Z[h - k] and 2 O[k] = -i (Z[k] - conj Z[h - k]). The
// operands are halved before they are added, because 2 X[k] may leave the range of T.
template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> half_from_pair(ComplexVec<T, N> z, ComplexVec<T, N> mirrored, ComplexVec<T, N> root) {
  const ComplexVec<T, N> half = half_of(z), other = half_of(conj(mirrored));
  return half + other + times(times_minus_i(half - other), root);
}
// Returns Z[k] from X[k] and X[h - k].
template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> pair_from_half(ComplexVec<T, N> x, ComplexVec<T, N> mirrored, ComplexVec<T, N> root) {
  const ComplexVec<T, N> other = conj(mirrored);
  return x + other - times_minus_i(times(x - other, conj(root)));
}

template <class T>
void to_half(Planes<T> out, Planes<const T> in, Planes<const T> roots, int64_t h) {
  constexpr int N = fft_lanes<T>;
  for (int64_t k = 0; k <= h; ++k) {
    const ComplexVec<T, N> root = spread<N>(roots, k);
    for (int64_t q = 0; q < block_columns<T>; q += N) {
      const auto z = load_planes<N>(in, k * block_columns<T> + q, Whole{});
      const auto mirrored = load_planes<N>(in, (h - k) * block_columns<T> + q, Whole{});
      store_planes(half_from_pair(z, mirrored, root), out, k * block_columns<T> + q, Whole{});
    }
  }
}

template <class T>
void from_half(Planes<T> out, Planes<const T> in, Planes<const T> roots, int64_t h, T sign) {
  constexpr int N = fft_lanes<T>;
  for (int64_t k = 0; k < h; ++k) {
    const ComplexVec<T, N> root = spread<N>(roots, k);
    // The numbers at both ends of the spectrum, X[0] and X[h], are real.
    const Vec<T, N> factor(k == 0 ? T(0) : sign);
    for (int64_t q = 0; q < block_columns<T>; q += N) {
      auto x = load_planes<N>(in, k * block_columns<T> + q, Whole{});
      auto mirrored = load_planes<N>(in, (h - k) * block_columns<T> + q, Whole{});
      x.im = k == 0 ? Vec<T, N>(T(0)) : x.im * factor;
      mirrored.im = k == 0 ? Vec<T, N>(T(0)) : mirrored.im * factor;
      store_planes(pair_from_half(x, mirrored, root), out, k * block_columns<T> + q, Whole{});
    }
  }
}

// Covers the indices [0, count) with blocks of N indices, and calls body(k) for each block, where k is the block's
// first index. `count` is at least N. The last block may overlap the block before.
template <int N, class Body>
SUANZI_INLINE void walk_overlapping(int64_t count, Body body) {
  int64_t k = 0;
  for (; k + N <= count; k += N) body(k);
  if (k < count) body(count - N);
}
// Loads the numbers h - k, h - k - 1, … of a line.
template <int N, class T>
SUANZI_INLINE ComplexVec<T, N> load_mirrored(const T* line, int64_t h, int64_t k) {
  const ComplexVec<T, N> z = load_pairs<N>(line + 2 * (h - k - N + 1), Whole{});
  return {reverse(z.re), reverse(z.im)};
}

template <class T>
void to_half_line(T* out, const T* in, Planes<const T> roots, int64_t h, FftScale<T> scale) {
  constexpr int N = fft_lanes<T>;
  walk_overlapping<N>(h + 1, [&](int64_t k) __attribute__((always_inline)) {
    const auto x = half_from_pair(load_pairs<N>(in + 2 * k, Whole{}), load_mirrored<N>(in, h, k),
                                  load_planes<N>(roots, k, Whole{}));
    store_pairs(ComplexVec<T, N>{x.re * Vec<T, N>(scale.re), x.im * Vec<T, N>(scale.im)}, out + 2 * k, Whole{});
  });
}

template <class T>
void from_half_line(T* out, const T* in, Planes<const T> roots, int64_t h, T sign) {
  constexpr int N = fft_lanes<T>;
  const Vec<T, N> factor(sign);
  walk_overlapping<N>(h, [&](int64_t k) __attribute__((always_inline)) {
    auto x = load_pairs<N>(in + 2 * k, Whole{}), mirrored = load_mirrored<N>(in, h, k);
    x.im = x.im * factor;
    mirrored.im = mirrored.im * factor;
    store_pairs(pair_from_half(x, mirrored, load_planes<N>(roots, k, Whole{})), out + 2 * k, Whole{});
  });
  // The numbers at both ends of the spectrum, X[0] and X[h], are real.
  out[0] = in[0] + in[2 * h];
  out[1] = in[0] - in[2 * h];
}

template <int Radix, class T>
SUANZI_INLINE void fill_radix(FftKernelsOf<T>& kernels) {
  kernels.pass[Radix] = run_pass<Radix, T>;
  kernels.last[Radix] = run_last<Radix, T>;
  kernels.load_pass[Radix] = run_load_pass<Radix, T>;
  kernels.store_pass[Radix] = run_store_pass<Radix, T>;
}

template <class T, int... radix>
FftKernelsOf<T> kernels_of(std::integer_sequence<int, radix...>) {
  FftKernelsOf<T> kernels;
  (fill_radix<radix>(kernels), ...);
  fill_rows(kernels);
  kernels.first = run_first<T>;
  kernels.load = load_block<T>;
  kernels.store = store_block<T>;
  kernels.load_real = load_real_block<T>;
  kernels.store_real = store_real_block<T>;
  kernels.multiply = multiply<T>;
  kernels.twiddle = twiddle<T>;
  kernels.to_half = to_half<T>;
  kernels.from_half = from_half<T>;
  kernels.to_half_line = to_half_line<T>;
  kernels.from_half_line = from_half_line<T>;
  return kernels;
}

}  // namespace

void fill_fft(KernelTable& table) {
  using Radices = std::integer_sequence<int, 0, 2, 3, 4, 5, 7, 8>;
  static const FftKernels kernels{kernels_of<float>(Radices{}), kernels_of<double>(Radices{})};
  table.fft = &kernels;
}

}  // namespace suanzi::SUANZI_LEVEL
