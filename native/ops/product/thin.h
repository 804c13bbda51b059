// Products of a few rows, or columns, with a large matrix, which is read once.
#pragma once

#include "ops/product/matrix.h"

namespace suanzi::products {

// Returns whether a product of m × n elements is one for multiply_thin: one operand has from two to a few rows (or
// columns), the other one is a large matrix of floating elements, contiguous along one of its axes.
bool is_thin(const Tensor& a, const Tensor& b, int64_t m, int64_t n);

// C = A B, for such operands, on several threads. `dtype` is the large matrix's type; where that is a 16-bit floating
// one, all others are float32. `start`, contiguous, is added to each row of C, unless it is the taller one of the small
// matrices; null for nothing. The bits do not depend on the number of threads. Scratch memory: copies of the smaller
// operand and of C where these are not contiguous by rows.
void multiply_thin(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start);

}  // namespace suanzi::products
