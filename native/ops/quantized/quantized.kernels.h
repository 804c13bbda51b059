// The kernels of quantized tensors: between real numbers and codes in one pass, as steps of tile programs.
//
// An element stands for scale * (element - zero). An operand is two: its elements, and their scale in float64, one for
// all or one for each; its zero point is KernelParams::integer[0] for the first and [1] for the second. Real numbers
// stand for themselves: zero 0, scale 1. Results for such numbers are exact or rounded once in float64, and then made
// codes: divided by the scale of the result, which is the last operand, correctly rounded, rounded half to even, held
// to the codes there are. Every level gives the same codes.
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>

#include "base/dtype.h"
#include "kernels/kernel.h"

namespace suanzi {

// The codes that there are, as KernelParams::more of what makes them.
struct Coding {
  int32_t zero, least, greatest;
  std::atomic<bool>* has_nan;  // set where a number is NaN, whose code is then anything
};

// The elementwise operations that have kernels of codes, in the order of these.
inline constexpr Operation quantized_operations[] = {Operation::add, Operation::subtract, Operation::multiply,
                                                     Operation::maximum, Operation::minimum};
inline constexpr int quantized_operation_count = std::size(quantized_operations);

// The place of one of them there.
constexpr int quantized_place(Operation operation) {
  int place = 0;
  while (quantized_operations[place] != operation) ++place;
  return place;
}

// Kernels by the element type that is read (null if there is none) and by log2 of the bytes of a written code.
struct QuantizedKernels {
  Kernel encode[dtype_count][2] = {};  // (x, scale, scale of the result): codes of numbers
  // (x, scale, y, scale, scale of the result): codes of what the operation makes of codes of one type
  Kernel combine[quantized_operation_count][dtype_count][2] = {};
  Kernel decode[dtype_count][2] = {};  // (codes, scale of the same type): the numbers, in float32 and in float64
  // Folds, which widen the two float64 at `out` to hold what the operation makes of (x, scale, y, scale), or float64
  // numbers (x).
  Kernel combined_range[quantized_operation_count][dtype_count] = {};
  Kernel range = nullptr;
};

}  // namespace suanzi
