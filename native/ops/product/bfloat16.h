// Products of stacks of bfloat16 matrices on processors that multiply bfloat16 directly. On other processors matmul()
// computes them in float32.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// C = A B over the common batch. A and B are bfloat16; C is contiguous and bfloat16 or float32. All sums are float32,
// and intermediate sums below 2^-126 count as 0.
//
// Returns false, and leaves C unspecified, if there are no kernels, if they would not be faster for these sizes, or if
// an operand has subnormal numbers, which the kernels would read as 0.
//
// Scratch memory: a copy of the operands; for a large batch, copies of as many matrices as there are threads.
bool multiply_bfloat16(const char* op, const Tensor& a, const Tensor& b, const Tensor& c, const Dims& batch);

}  // namespace suanzi::products
