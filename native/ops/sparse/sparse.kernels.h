// The kernels of compressed rows (CSR) times what is dense, which take every element type but the 16-bit floating ones
// (integers wrap, for bool the product is `and`, the sum `or`), and what puts elements of two patterns side by side.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// Rows [first, last) of the product of a matrix of compressed rows and a dense one of `width` columns. The caller
// vouches for starts and columns; the elements of a row are summed in their order, whatever the range.
struct RowProducts {
  const int64_t* starts;
  const void* columns;  // int32 or int64
  const void* values;
  const void* dense;  // contiguous
  int64_t width;
  void* out;  // contiguous
  int64_t first, last;
};
using RowProductsKernel = void (*)(const RowProducts& rows);

// Elements spread out: out[k] becomes the next element, in[from] being the first, where marks[k] has the bit; else
// zero, or it stays where they are spread `over` what is there. There are n marks, and in[0] can be read in any case.
struct Spreading {
  const uint8_t* marks;
  uint8_t bit;
  bool over;
  const void* in;
  int64_t from;
};
using SpreadKernel = void (*)(void* out, int64_t n, const Spreading& spreading);

struct SparseKernels {
  // Kernels by the type of columns (int32, int64) and by element type. `vector` is for a width of 1.
  RowProductsKernel vector[2][dtype_count] = {};
  RowProductsKernel matrix[2][dtype_count] = {};
  // Rows of values alone, folded by sum, prod, max or min of all its elements, by reduction and element type; the
  // identity for no elements. Complex numbers have only sums.
  RowProductsKernel fold[reduction_count][dtype_count] = {};
  // Kernels by the logarithm of an element's size.
  SpreadKernel spread[4] = {};
};

}  // namespace suanzi
