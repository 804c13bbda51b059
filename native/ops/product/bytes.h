// Products of stacks of matrices of 8-bit integers.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// C = (A - zero_a) (B - zero_b) over the common batch; C is contiguous and of int32, whose sums wrap, or of int64. Each
// zero point is a value that the element type has. Scratch memory: 4 MiB, and 400 KiB for each thread.
void multiply_bytes(const char* op, const Tensor& a, int zero_a, const Tensor& b, int zero_b, const Tensor& c,
                    const Dims& batch);

}  // namespace suanzi::products
