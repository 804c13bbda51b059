// Products of matrices of quantized codes, exactly.
#pragma once

#include "ops/quantized/quantized.h"

namespace suanzi {

// The result of matmul() for two operands of codes, as real numbers times a factor: the sums of products of codes less
// their zero points, exactly, and the product of both scales; or, where a scale differs from row to row of x or from
// column to column of y, the numbers in float64. INVALID_ARGUMENT where sums may pass 64 bits. Takes scratch memory for
// both operands in the type of the sums, or less.
struct Product {
  Tensor elements;
  double factor;
};
Product multiply_codes(const char* op, const QuantizedOperand& x, const QuantizedOperand& y);

}  // namespace suanzi
