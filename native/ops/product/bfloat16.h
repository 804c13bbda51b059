// Products of stacks of bfloat16 matrices where the processor multiplies such numbers itself; elsewhere matmul()
// computes them in float32.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// C = A B over the common batch; A and B of bfloat16, C contiguous and of bfloat16 or float32. All sums are of float32;
// sums below 2^-126 on the way count as 0. False, C having unspecified contents, where there are no kernels, where the
// sizes gain nothing from them, and where an operand has subnormal numbers, which the kernels would take for 0. Takes
// scratch memory for a copy of the operands; of a large batch, for as many matrices of them as there are threads.
bool multiply_bfloat16(const char* op, const Tensor& a, const Tensor& b, const Tensor& c, const Dims& batch);

}  // namespace suanzi::products
