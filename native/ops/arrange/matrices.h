// Operators on the diagonals of matrices: eye, diag and triangles.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace suanzi {

// Returns a matrix of zeros with ones on diagonal `offset`.
Tensor eye(int64_t rows, int64_t columns, int64_t offset, DType dtype, const Dims* order = nullptr);

// Returns a copy of the diagonal of a matrix. For a vector, the function returns a matrix with the vector on the
// diagonal.
Tensor diag(const Tensor& x, int64_t offset);

// Returns the elements on and below (lower) or on and above (upper) the diagonal `offset` of each matrix, with zeros
// elsewhere. If the columns of x are contiguous and the rows of x are not, the result has the logical order of x.
enum class Triangle { lower, upper };
Tensor triangle(const char* op, const Tensor& x, int64_t offset, Triangle which);

}  // namespace suanzi
