// The kernels of Fourier transforms: the passes of a Stockham transform, the further steps of a real transform, and
// copies from and to memory. Which passes a length has is the plan's affair (ops/fft/plan.h).
//
// Between the passes complex numbers lie as two planes, real and imaginary parts, so that no pass has a shuffle.
// A transform runs along the rows of a block, on several columns side by side: number `row` of column q, of
// `columns`, lies at [row * columns + q].
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

template <class T>
struct Planes {
  T* re;
  T* im;
};

// A pass takes n = radix * count rows of each of several groups that the passes before it have left: rows p,
// p + count, p + 2 count, … become `radix` neighbouring ones, each times a root of unity.
template <class T>
struct FftPass {
  int radix;
  int64_t count;
  Planes<const T> twiddles;  // [k - 1][p]: exp(-2πi p k / n); not read where count is 1
  Planes<const T> roots;     // exp(-2πi k / radix), its imaginary parts negated: sines and cosines
};

// Passes of any odd radix up to this, and of 2, 4 and 8, have kernels.
inline constexpr int max_radix = 61;
// Columns that are transformed side by side: planes of as many hold 64 bytes a row, the width of a cache line.
template <class T>
inline constexpr int64_t block_columns = 64 / static_cast<int64_t>(sizeof(T));

// Columns of a block in memory, one number or more a row: the first of each, and the bytes from row to row.
struct FftColumns {
  std::byte* const* first;
  int64_t count;
  int64_t row_step;
};

// Rows in memory, each contiguous: the first of them, and the bytes from one to the next.
struct FftRows {
  std::byte* first;
  int64_t step;
};
// The lengths 4, 8, …, 64 have kernels for rows, where a vector holds four complex numbers.
inline constexpr int64_t shortest_rows = 4, longest_rows = 64;

template <class T>
struct FftScale {
  T re, im;
};

template <class T>
struct FftKernelsOf {
  // A pass over a block whose column count has been multiplied by the radices before.
  using PassKernel = void (*)(const FftPass<T>& pass, Planes<T> out, Planes<const T> in, int64_t columns);
  // The first pass over one column, in which complex numbers alternate parts; with `swapped` the imaginary part comes
  // first. Its radix is 8.
  using FirstKernel = void (*)(const FftPass<T>& pass, Planes<T> out, const T* in, bool swapped);
  // The last one, scaled.
  using LastKernel = void (*)(const FftPass<T>& pass, T* out, Planes<const T> in, int64_t columns, T scale,
                              bool swapped);
  // The first pass over a block of block_columns columns that lie side by side in memory, and the last one back to such
  // a place, whose results are `rows` rows apart.
  using LoadPassKernel = void (*)(const FftPass<T>& pass, Planes<T> out, const FftColumns& in, bool swapped);
  using StorePassKernel = void (*)(const FftPass<T>& pass, const FftColumns& out, Planes<const T> in, int64_t rows,
                                   T scale, bool swapped);
  // Whole transforms of `count` rows, by the passes of their length; `out` may be `in`.
  using RowsKernel = void (*)(const FftPass<T>* passes, const FftRows& out, const FftRows& in, int64_t count,
                              bool swapped, T scale);
  RowsKernel rows[7] = {};  // by the exponent of the length, a power of two; null where there is none
  PassKernel pass[9] = {};  // by radix; 0 is any odd one
  FirstKernel first = nullptr;
  LastKernel last[9] = {};
  LoadPassKernel load_pass[9] = {};
  StorePassKernel store_pass[9] = {};

  // Rows of block_columns columns each; columns that are not there hold some harmless number.
  void (*load)(Planes<T> rows, const FftColumns& columns, int64_t count) = nullptr;
  void (*store)(const FftColumns& columns, Planes<const T> rows, int64_t count, FftScale<T> scale) = nullptr;
  void (*load_real)(T* rows, const FftColumns& columns, int64_t count) = nullptr;
  void (*store_real)(const FftColumns& columns, const T* rows, int64_t count, T scale) = nullptr;

  // out = a * (b.re, sign * b.im), lines of n numbers of alternating parts.
  void (*multiply)(T* out, const T* a, const T* b, int64_t n, T sign) = nullptr;

  // rows[i][q] *= by[i] each[i][q], for block_columns columns.
  void (*twiddle)(Planes<T> rows, Planes<const T> by, Planes<const T> each, int64_t count) = nullptr;

  // A real transform of even length 2h by a complex one of length h: X[0 … h] of Z[0 … h], where Z[h] is Z[0], and
  // back, with roots[k] = exp(-2πi k / 2h). Blocks of block_columns columns, or one column of alternating parts with
  // at least 64 bytes of numbers.
  void (*to_half)(Planes<T> out, Planes<const T> in, Planes<const T> roots, int64_t h) = nullptr;
  void (*from_half)(Planes<T> out, Planes<const T> in, Planes<const T> roots, int64_t h, T sign) = nullptr;
  void (*to_half_line)(T* out, const T* in, Planes<const T> roots, int64_t h, FftScale<T> scale) = nullptr;
  void (*from_half_line)(T* out, const T* in, Planes<const T> roots, int64_t h, T sign) = nullptr;
};

struct FftKernels {
  FftKernelsOf<float> single;
  FftKernelsOf<double> twice;
};

}  // namespace suanzi
