// Products of stacks of matrices of 8-bit integers.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// C = (A - zero_a) (B - zero_b) over the common batch. C is contiguous and int32, whose sums wrap, or int64. Each zero
// point must be a value of its operand's element type. Scratch memory: 4 MiB, and 400 KiB for each thread.
void multiply_bytes(const char* op, const Tensor& a, int zero_a, const Tensor& b, int zero_b, const Tensor& c,
                    const Dims& batch);

}  // namespace suanzi::products
