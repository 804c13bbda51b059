// Functions that choose scales and zero points so that codes cover numbers, and that compute codes with the finest
// scale.
#pragma once

#include <optional>

#include "base/dtype.h"
#include "ops/quantized/quantized.h"

namespace suanzi {

// The least and the greatest code of a type. Each code of a symmetric type has a negative code of the same magnitude.
struct CodeLimits {
  int32_t least, greatest;
};
CodeLimits code_limits(const char* op, DType codes, bool symmetric);

// The kind of codes that a function returns.
struct CodeKind {
  DType codes;
  bool symmetric;
  // Each position along this axis has its own scale. Only symmetric codes may have an axis.
  std::optional<int> axis = {};
};

// Codes that represent numbers. The codes have the shape of the numbers. The scale is float32 and has the shape () or
// (positions along the axis,).
struct Quantized {
  Tensor codes, scale;
  int64_t zero;
};

// These functions return the codes of x, or of the operation's result for x and y, with the finest parameters that
// cover the numbers. No number is beyond the last code, except by rounding. The functions fail with INVALID_ARGUMENT if
// a number is not finite, and with OUT_OF_RANGE if the numbers need a scale outside float32.
Quantized quantize_finest(const char* op, const QuantizedOperand& x, const CodeKind& kind);
Quantized combine_finest(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
                         const CodeKind& kind);

}  // namespace suanzi
