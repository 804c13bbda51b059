// Exact products of matrices of quantized codes.
#pragma once

#include "ops/quantized/quantized.h"

namespace suanzi {

// The result of matmul() for two operands of codes, as real numbers times a factor. The numbers are the exact sums of
// products of codes minus their zero points. The factor is the product of the two scales. If a scale differs from row
// to row of x or from column to column of y, the elements are instead the products with the scales, in float64.
// multiply_codes fails with INVALID_ARGUMENT if sums may exceed 64 bits. The scratch memory holds both operands in the
// type of the sums, or less.
struct Product {
  Tensor elements;
  double factor;
};
Product multiply_codes(const char* op, const QuantizedOperand& x, const QuantizedOperand& y);

}  // namespace suanzi
