// Matrices by their diagonals: the identity, a diagonal as a matrix, triangles (part of diag).
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace suanzi {

// Ones on diagonal `offset` of a matrix of zeros.
Tensor eye(int64_t rows, int64_t columns, int64_t offset, DType dtype, const Dims* order = nullptr);

// A copy of the diagonal of a matrix, or the matrix that has a vector on its diagonal.
Tensor diag(const Tensor& x, int64_t offset);

// The elements on and below (lower) or on and above the diagonal `offset` of each matrix, zeros elsewhere. The logical
// order is that of x where x has its columns, not its rows, in memory one after the other.
enum class Triangle { lower, upper };
Tensor triangle(const char* op, const Tensor& x, int64_t offset, Triangle which);

}  // namespace suanzi
