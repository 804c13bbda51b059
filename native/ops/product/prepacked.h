// A matrix that many others are multiplied by, packed once as the kernels of products read it; a library packs it anew
// at every call, which for a few rows takes longer than to multiply them.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// The columns of a matrix of float32 or float64, some at a time: (panels, rows, columns of a panel), the last panel
// filled up with zeros. How many columns a panel has is up to the SIMD level. A matrix without elements is refused.
Tensor to_panels(const char* op, const Tensor& matrix);

// x B, plus a vector of as many elements as B has columns, if there is one; all of one type. Each element is the same
// whatever the number of rows and of threads.
Tensor multiply_panels(const char* op, const Tensor& x, const Tensor& panels, int64_t columns, const Tensor* bias);

}  // namespace suanzi::products
