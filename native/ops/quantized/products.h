// Exact products of matrices of quantized codes.
#pragma once

#include "ops/quantized/quantized.h"

namespace suanzi {

// The result of matmul() for two operands of codes is `elements` times `factor`. A centred code is a code minus its
// zero point. `elements` holds exact sums of products of centred codes, and `factor` is the product of the two scales.
// If a scale differs between rows of x or between columns of y, `elements` instead holds these sums times the scales,
// in float64, and `factor` is 1. multiply_codes fails with INVALID_ARGUMENT if sums may exceed 64 bits. The scratch
// memory holds both operands in the type of the sums, or less.
struct Product {
  Tensor elements;
  double factor;
};
Product multiply_codes(const char* op, const QuantizedOperand& x, const QuantizedOperand& y);

}  // namespace suanzi
