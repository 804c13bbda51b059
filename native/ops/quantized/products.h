// Products of matrices of quantized codes, exactly.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::linalg {

// The sums of products of codes of 8 or 16 bits less their zero points, shaped as matmul() has it: in the quickest type
// that holds every sum there can be, float32, float64 or int64. INVALID_ARGUMENT where none does. Takes scratch memory
// for the operands in that type, or less.
Tensor multiply_codes(const char* op, const Tensor& x, int64_t x_zero, const Tensor& y, int64_t y_zero);

}  // namespace suanzi::linalg
