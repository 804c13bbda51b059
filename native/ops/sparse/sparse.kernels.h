// The kernels of products of compressed rows (CSR) with dense operands, for every element type except the 16-bit
// floating types (integers wrap; for bool the product is `and`, the sum `or`); and the kernels that spread the elements
// of a pattern over the places of a merged pattern.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// Rows [first, last) of the product of a matrix of compressed rows and a dense matrix of `width` columns. The caller
// guarantees that starts and columns are valid. The elements of a row are summed in their order, whatever the range.
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

// The parameters of a spread: if marks[k] has the bit, out[k] becomes the next element, beginning with in[from]; if
// not, out[k] becomes zero, or keeps its contents if `over` is set. There are n marks, and in[0] must be readable in
// any case.
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
  // Folds the values of each row by sum, prod, max or min, by reduction and element type; the fold of a row without
  // elements is the identity. Complex numbers have only sums.
  RowProductsKernel fold[reduction_count][dtype_count] = {};
  // Kernels by the logarithm of an element's size.
  SpreadKernel spread[4] = {};
};

}  // namespace suanzi
