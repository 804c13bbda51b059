// The kernels of quantized tensors: between real numbers and codes in one pass.
//
// An element stands for scale * (element - zero). What is computed of such numbers is exact or rounded once in float64
// and then made a code by `encode`: divided by the scale of the result, correctly rounded, rounded half to even, held
// to the codes there are. Every level gives the same codes.
#pragma once

#include <cstdint>
#include <iterator>

#include "base/dtype.h"
#include "kernels/operations.h"

namespace suanzi {

// Elements that stand for real numbers. Real numbers stand for themselves: zero 0, scale 1.
struct Reals {
  const void* elements;
  int32_t zero;
  double scale;
};

// Where codes go. `scale` is a float32.
struct Codes {
  void* elements;
  int32_t zero, least, greatest;
  double scale;
  const float* scales;  // of each element, for encode_each
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

// n codes of numbers; whether one is NaN, whose code is then anything. `stream`: write past the caches.
using EncodeKernel = bool (*)(const Codes& out, const Reals& x, int64_t n, bool stream);
// n codes of what the operation makes of codes of one type.
using CombineCodesKernel = void (*)(const Codes& out, const Reals& x, const Reals& y, int64_t n, bool stream);
// Widens range[0] to range[1] to hold what the operation makes of n codes.
using CombinedRangeKernel = void (*)(double* range, const Reals& x, const Reals& y, int64_t n);
using RangeKernel = void (*)(double* range, const double* x, int64_t n);
// The numbers of n codes, in float32 or float64; where `scales` are given, each has its own.
using DecodeKernel = void (*)(void* out, const Reals& x, const float* scales, int64_t n, bool stream);

// By the element type that is read, null where there is none; by log2 of the bytes of a code that is written.
struct QuantizedKernels {
  EncodeKernel encode[dtype_count][2] = {};
  EncodeKernel encode_each[2] = {};  // of float64, with a scale for each
  CombineCodesKernel combine[quantized_operation_count][dtype_count][2] = {};
  CombinedRangeKernel combined_range[quantized_operation_count][dtype_count] = {};
  RangeKernel range = nullptr;
  DecodeKernel decode[dtype_count][2] = {};  // to float32, to float64
};

}  // namespace suanzi
