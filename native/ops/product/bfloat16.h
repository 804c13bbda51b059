// Products of stacks of bfloat16 matrices on processors that multiply bfloat16 directly. On other processors, matmul()
// computes the products in float32.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// Computes C = A B over the common batch. A and B are bfloat16. C is contiguous, and is bfloat16 or float32. All sums
// are float32, and intermediate sums with a magnitude below 2^-126 count as 0. The function returns false, and leaves C
// unspecified, in these cases:
// - The level has no kernels for these products.
// - The kernels would not be faster for these sizes.
// - An operand has subnormal numbers, which the kernels would read as 0.
// The scratch memory is a packed copy of one matrix A and one matrix B, and at most 96 KiB for each thread. In a large
// batch, each thread packs its own matrices. An operand without a contiguous matrix axis is copied first.
bool multiply_bfloat16(const char* op, const Tensor& a, const Tensor& b, const Tensor& c, const Dims& batch);

}  // namespace suanzi::products
