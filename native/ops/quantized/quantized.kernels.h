// The kernels of quantized tensors, which convert between real numbers and codes in one pass, as steps of tile programs
// (walk/program.h).
//
// An element represents scale * (element - zero). An operand consists of two inputs, its elements and their scale in
// float64. The scale is one number for all elements, or one number for each element. The zero point of the first
// operand is KernelParams::integer[0]. The zero point of the second operand is KernelParams::integer[1]. Real numbers
// represent themselves, with a zero point of 0 and a scale of 1. The kernels compute results for these numbers exactly,
// or rounded once in float64, and then encode the results. To encode a number, the kernels divide with correct rounding
// by the scale of the result, which is the last input. Then the kernels round the quotient to an integer, half to even,
// and limit the integer to the range of codes. Every level computes the same codes.
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>

#include "base/dtype.h"
#include "kernels/kernel.h"

namespace suanzi {

// The range and zero point of codes. In calls of kernels that write codes, KernelParams::more points to a Coding.
struct Coding {
  int32_t zero, least, greatest;
  // The kernel sets this flag if a number is NaN. The code of NaN is unspecified.
  std::atomic<bool>* has_nan;
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

// The kernels, indexed by the type of the elements that a kernel reads, and by log2 of the size in bytes of the codes
// that a kernel writes. Missing kernels are null.
struct QuantizedKernels {
  // The inputs are x, its scale and the scale of the result. The kernels encode numbers.
  Kernel encode[dtype_count][2] = {};
  // The inputs are x, its scale, y, its scale and the scale of the result. The kernels encode the operation's results
  // for codes of one type.
  Kernel combine[quantized_operation_count][dtype_count][2] = {};
  // The inputs are codes and their scale, which has the type of the result. The kernels decode to numbers, in float32
  // and in float64.
  Kernel decode[dtype_count][2] = {};
  // The folds extend the range of two float64 at `out`. `combined_range` extends the range to the operation's results
  // for the inputs x, its scale, y and its scale. `range` extends the range to float64 numbers x.
  Kernel combined_range[quantized_operation_count][dtype_count] = {};
  Kernel range = nullptr;
};

}  // namespace suanzi
