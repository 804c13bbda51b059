// A matrix that is packed once for many products. A BLAS library packs the matrix at every call, which for a few rows
// takes longer than the product.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// Packs the columns of a float32 or float64 matrix in panels: the result has the shape (panels, rows, columns of a
// panel), and the last panel is padded with zeros. The number of columns in a panel depends on the SIMD level. A matrix
// without elements is refused.
Tensor to_panels(const char* op, const Tensor& matrix);

// Computes x B, plus a vector with one element per column of B, if given. All operands have one type. An element of the
// result does not depend on the number of rows or of threads.
Tensor multiply_panels(const char* op, const Tensor& x, const Tensor& panels, int64_t columns, const Tensor* bias);

}  // namespace suanzi::products
