// The kernels of products of compressed rows (CSR) with dense operands, for every element type except the 16-bit
// floating types. Integers wrap. For bool, the product is `and` and the sum is `or`. Other kernels spread the elements
// of a pattern over the places of a merged pattern.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// Rows [first, last) of the product of a matrix of compressed rows and a dense matrix of `width` columns. The caller
// guarantees that starts and columns are valid. The order in which the elements of a row are summed does not depend on
// the range.
struct RowProducts {
  const int64_t* starts;
  const void* columns;  // int32 or int64 elements
  const void* values;
  const void* dense;  // the contiguous dense matrix
  int64_t width;
  void* out;  // the contiguous result
  int64_t first, last;
};
using RowProductsKernel = void (*)(const RowProducts& rows);

// The parameters of a spread, which writes consecutive elements to marked places. If `bit` is set in marks[k], out[k]
// becomes the next element, beginning with in[from]. Otherwise, out[k] becomes zero. If `over` is true, out[k] keeps
// its contents instead of becoming zero. `marks` has n marks. in[0] must be readable even if `bit` is set in no mark.
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
  // Kernels that fold the values of each row by sum, prod, max or min. The indices are the reduction and the element
  // type. The fold of a row without elements is the identity. Complex numbers have only sums.
  RowProductsKernel fold[reduction_count][dtype_count] = {};
  // Kernels by the logarithm of an element's size.
  SpreadKernel spread[4] = {};
};

}  // namespace suanzi
