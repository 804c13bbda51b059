// The kernels of Fourier transforms compute the passes of a Stockham transform and the further steps of a real
// transform, and copy from and to memory. The plan (ops/fft/plan.h) chooses the passes of a length.
//
// Between passes, one plane holds the real parts and another plane holds the imaginary parts, so that no pass needs a
// shuffle. A transform runs along the rows of a block, on several columns side by side. In a block of `columns`
// columns, the number in row `row` of column q is at [row * columns + q].
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

template <class T>
struct Planes {
  T* re;
  T* im;
};

// The previous passes have divided the rows into groups, and a pass transforms the n = radix * count rows of each
// group. Rows p, p + count, p + 2 count, … become `radix` neighbouring rows, and each of these rows is multiplied by a
// root of unity.
template <class T>
struct FftPass {
  int radix;
  int64_t count;
  // twiddles[k - 1][p] is exp(-2πi p k / n). No pass reads `twiddles` if count is 1.
  Planes<const T> twiddles;
  // Root k is exp(-2πi k / radix) with a negated imaginary part, as planes of cosines and sines.
  Planes<const T> roots;
};

// The greatest odd radix for which passes have kernels. Passes of radix 2, 4 and 8 have kernels as well.
inline constexpr int max_radix = 61;
// The number of columns that are transformed side by side. A row of a plane with this number of columns has 64 bytes,
// the width of a cache line.
template <class T>
inline constexpr int64_t block_columns = 64 / static_cast<int64_t>(sizeof(T));

// Describes columns of a block in memory by the address of each column's first number, and by the bytes from one row to
// the next.
struct FftColumns {
  std::byte* const* first;
  int64_t count;
  int64_t row_step;
};

// Describes contiguous rows in memory by the address of the first row, and by the bytes from one row to the next.
struct FftRows {
  std::byte* first;
  int64_t step;
};
// The lengths 4, 8, …, 64 have kernels for rows if a vector holds at least four complex numbers.
inline constexpr int64_t shortest_rows = 4, longest_rows = 64;

template <class T>
struct FftScale {
  T re, im;
};

template <class T>
struct FftKernelsOf {
  // The type of a kernel for a pass over a block. `columns` includes the factors of the radices of previous passes.
  using PassKernel = void (*)(const FftPass<T>& pass, Planes<T> out, Planes<const T> in, int64_t columns);
  // The type of a kernel for the first pass over one column of complex numbers whose parts alternate. If `swapped` is
  // true, imaginary parts come first. The radix of this pass is 8.
  using FirstKernel = void (*)(const FftPass<T>& pass, Planes<T> out, const T* in, bool swapped);
  // The type of a kernel for the last pass over one column, which also multiplies the results by `scale`.
  using LastKernel = void (*)(const FftPass<T>& pass, T* out, Planes<const T> in, int64_t columns, T scale,
                              bool swapped);
  // The first pass over a block reads block_columns columns that are side by side in memory. The last pass writes
  // columns that are side by side, and the results of this pass are `rows` rows apart.
  using LoadPassKernel = void (*)(const FftPass<T>& pass, Planes<T> out, const FftColumns& in, bool swapped);
  using StorePassKernel = void (*)(const FftPass<T>& pass, const FftColumns& out, Planes<const T> in, int64_t rows,
                                   T scale, bool swapped);
  // The type of a kernel that transforms `count` whole rows by the passes of their length. `out` may be `in`.
  using RowsKernel = void (*)(const FftPass<T>* passes, const FftRows& out, const FftRows& in, int64_t count,
                              bool swapped, T scale);
  // The index is the exponent of the length, a power of two. The entry is null for lengths without a kernel.
  RowsKernel rows[7] = {};
  // The index is the radix, and index 0 means any odd radix.
  PassKernel pass[9] = {};
  FirstKernel first = nullptr;
  LastKernel last[9] = {};
  LoadPassKernel load_pass[9] = {};
  StorePassKernel store_pass[9] = {};

  // Kernels that copy between memory and rows of block_columns columns. Columns that do not exist hold numbers that do
  // not affect the results.
  void (*load)(Planes<T> rows, const FftColumns& columns, int64_t count) = nullptr;
  void (*store)(const FftColumns& columns, Planes<const T> rows, int64_t count, FftScale<T> scale) = nullptr;
  void (*load_real)(T* rows, const FftColumns& columns, int64_t count) = nullptr;
  void (*store_real)(const FftColumns& columns, const T* rows, int64_t count, T scale) = nullptr;

  // Writes out = a * (b.re, sign * b.im) for lines of n numbers whose parts alternate.
  void (*multiply)(T* out, const T* a, const T* b, int64_t n, T sign) = nullptr;

  // Multiplies rows[i][q] by by[i] * each[i][q], for block_columns columns.
  void (*twiddle)(Planes<T> rows, Planes<const T> by, Planes<const T> each, int64_t count) = nullptr;

  // Kernels for the steps that compute a real transform of even length 2h by a complex transform of length h. `to_half`
  // computes X[0 … h] from Z[0 … h], where Z[h] is Z[0], and the inverse step computes Z from X. Root k is exp(-2πi k /
  // 2h). These steps work on blocks of block_columns columns, or on one column of alternating parts with at least 64
  // bytes of numbers.
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
