// The kernels of quantized tensors, which convert between real numbers and codes in one pass, as steps of tile
// programs.
//
// An element represents scale * (element - zero). An operand consists of two inputs: its elements, and their scale in
// float64, one for all or one for each. The zero point of the first operand is KernelParams::integer[0], and the zero
// point of the second operand is KernelParams::integer[1]. Real numbers represent themselves: zero 0, scale 1. The
// kernels compute results for these numbers exactly, or rounded once in float64, and then encode them: they divide by
// the scale of the result, which is the last input, with correct rounding, then round to an integer, half to even, and
// limit the integer to the range of codes. Every level computes the same codes.
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>

#include "base/dtype.h"
#include "kernels/kernel.h"

namespace suanzi {

// The range and zero point of codes, as KernelParams::more of kernels that write codes.
struct Coding {
  int32_t zero, least, greatest;
  std::atomic<bool>* has_nan;  // set if a number is NaN, whose code is then unspecified
};

// The elementwise operations that have kernels for codes, in the order of their kernels.
inline constexpr Operation quantized_operations[] = {Operation::add, Operation::subtract, Operation::multiply,
                                                     Operation::maximum, Operation::minimum};
inline constexpr int quantized_operation_count = std::size(quantized_operations);

// Returns the position of an operation in quantized_operations.
constexpr int quantized_place(Operation operation) {
  int place = 0;
  while (quantized_operations[place] != operation) ++place;
  return place;
}

// Kernels by the element type that is read (null if there is none) and by log2 of the bytes of a written code.
struct QuantizedKernels {
  Kernel encode[dtype_count][2] = {};  // (x, scale, scale of the result): encodes numbers
  // (x, scale, y, scale, scale of the result): encodes the operation's results for codes of one type
  Kernel combine[quantized_operation_count][dtype_count][2] = {};
  Kernel decode[dtype_count][2] = {};  // (codes, scale of the same type): decodes to numbers, in float32 and in float64
  // Folds that extend the range of two float64 at `out` to the operation's results for (x, scale, y, scale), or to
  // float64 numbers (x).
  Kernel combined_range[quantized_operation_count][dtype_count] = {};
  Kernel range = nullptr;
};

}  // namespace suanzi
