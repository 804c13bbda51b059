// Functions that convert real numbers to codes and back, and that compute with codes. A code is an integer that
// represents a real number. Tiles read every element once and write every code once.
#pragma once

#include <optional>

#include "ops/quantized/quantized.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

// An operand, which is a tensor or one number. An element of the tensor represents scale * (element - zero).
struct QuantizedOperand {
  // The pointer is null if the operand is the number `factor`.
  const Tensor* elements = nullptr;
  // The scale is float32, with a shape that broadcasts to the shape of the elements. The pointer is null if the scale
  // is `factor`.
  const Tensor* scale = nullptr;
  // Only codes may have a zero point other than 0.
  int64_t zero = 0;
  double factor = 1;
};

// The parameters of the codes of a result.
struct Quantization {
  const Tensor* scale;  // a float32 tensor whose shape broadcasts to the shape of the result
  int64_t zero;
  DType codes;  // the type of the codes, of 8 or 16 bits
  // If `symmetric` is true, codes begin at minus the greatest code.
  bool symmetric;
};

// These functions return the codes nearest to the numbers x, or to the results of `operation` for x and y. The operands
// broadcast. If `out` is given, the functions write the codes to `out`. Rounding is half to even, and numbers beyond
// the last code become the last code. Before the rounding to codes, the numbers are float64, and are rounded once if
// float64 does not hold the numbers exactly. The functions fail with INVALID_ARGUMENT if a number is NaN.
Tensor quantize(const char* op, const QuantizedOperand& x, const Quantization& result, const Tensor* out);
Tensor combine(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y,
               const Quantization& result, const Tensor* out);

// The least and the greatest result of an operation on two operands. combined_range returns this range, or nothing if
// the result has no elements.
struct NumberRange {
  double least, greatest;
};
std::optional<NumberRange> combined_range(const char* op, Operation operation, const QuantizedOperand& x,
                                          const QuantizedOperand& y);

// Returns the operation's result for x and y, in float64.
Tensor operate(const char* op, Operation operation, const QuantizedOperand& x, const QuantizedOperand& y);

// Returns scale * (code - zero) in float32, rounded once, or in float64, exactly.
Tensor dequantize(const char* op, const QuantizedOperand& x, DType real);

}  // namespace suanzi
