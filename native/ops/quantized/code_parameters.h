// The scales and zero points under which codes cover numbers, and codes under the finest of them.
#pragma once

#include <optional>

#include "base/dtype.h"
#include "ops/quantized/quantized.h"

namespace suanzi {

// The least and the greatest code of a type; of symmetric ones every code has a negative.
struct CodeLimits {
  int32_t least, greatest;
};
CodeLimits code_limits(const char* op, DType codes, bool symmetric);

// The kind of codes to make.
struct CodeKind {
  DType codes;
  bool symmetric;
  std::optional<int> axis = {};  // along which each position has a scale of its own; of symmetric codes
};

// Numbers as codes: of the shape of the numbers, with a float32 scale of shape () or (positions along the axis,).
struct Quantized {
  Tensor codes, scale;
  int64_t zero;
};

// The codes of x, or of the operation's result for x and y, under the finest parameters that cover them: no number is
// past the last code by more than rounding. INVALID_ARGUMENT for numbers that are not all finite, OUT_OF_RANGE for such
// as need a scale past float32.
Quantized quantize_finest(const char* op, const QuantizedOperand& x, const CodeKind& kind);
Quantized combine_finest(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
                         const CodeKind& kind);

}  // namespace suanzi
