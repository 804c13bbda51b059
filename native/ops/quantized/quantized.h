// Real numbers to codes and back, and computations with codes in between: every element is read once and every code
// written once, in tiles.
#pragma once

#include <optional>

#include "ops/quantized/quantized.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

// An operand: elements that stand for scale * (element - zero), or one number.
struct QuantizedOperand {
  const Tensor* elements = nullptr;  // null: `factor` is the number
  const Tensor* scale = nullptr;     // float32, of a shape that broadcasts to that of the elements; null: `factor`
  int64_t zero = 0;                  // other than 0 only for codes
  double factor = 1;
};

// The parameters of the codes of a result.
struct Quantization {
  const Tensor* scale;  // float32, of a shape that broadcasts to that of the result
  int64_t zero;
  DType codes;     // a type of 8 or 16 bits
  bool symmetric;  // codes begin at minus the greatest code
};

// The codes nearest to the numbers x, or to the results of `operation` for x and y, which broadcast; in `out` if there
// is one. Half to even, and past the last code that one; the numbers in between are float64, rounded once if they are
// not exact. INVALID_ARGUMENT where x holds NaN.
Tensor quantize(const char* op, const QuantizedOperand& x, const Quantization& result, const Tensor* out);
Tensor combine(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
               const Quantization& result, const Tensor* out);

// The least and the greatest of the numbers that `combine` makes codes of; nothing where there are none.
struct NumberRange {
  double least, greatest;
};
std::optional<NumberRange> combined_range(const char* op, Operation operation, const QuantizedOperand& x,
                                          const QuantizedOperand& y);

// Returns the operation's result for x and y, in float64.
Tensor operate(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y);

// scale * (code - zero) in float32, rounded once, or in float64, exactly.
Tensor dequantize(const char* op, const QuantizedOperand& x, DType real);

}  // namespace suanzi
