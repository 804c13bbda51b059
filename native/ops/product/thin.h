// Products of a few rows, or columns, with a large matrix. The kernels read the large matrix from memory once, without
// packing.
#pragma once

#include "ops/product/matrix.h"

namespace suanzi::products {

// Returns true if multiply_thin computes a product of m × n elements. In a thin product, one operand has at least two
// and at most costs::many_thin_rows rows (or columns). The other operand is a large floating matrix that is contiguous
// along one axis.
bool is_thin(const Tensor& a, const Tensor& b, int64_t m, int64_t n);

// Computes C = A B on several threads, for operands that is_thin accepts. `dtype` is the large matrix's type. If
// `dtype` is float16 or bfloat16, the other operands are float32. `start`, a contiguous row or null, is added to each
// row of C. `start` must be null if C has more rows than columns. The bits do not depend on the number of threads. The
// scratch memory is a copy of the smaller operand, unless this operand is contiguous along the summed axis, and a copy
// of C if C has more rows than columns.
void multiply_thin(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start);

}  // namespace suanzi::products
