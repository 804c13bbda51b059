// Dynamic quantization chooses the scale and the zero point from the numbers, so that a code represents exactly 0.
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/elementwise/on_rows.h"
#include "tensor/tensor.h"

namespace suanzi {

// A scale and a zero point. A code in 0 … 255 represents step * (code - zero).
template <class T>
struct DynamicScale {
  T step, zero;

  // Returns the scale for numbers from `least` to `most`, or NaN if either number is NaN.
  static DynamicScale of(T least, T most) {
    least = least > 0 ? T(0) : least;
    most = most < 0 ? T(0) : most;
    const T step = most == least ? T(1) : (most - least) / T(255);
    return {step, std::nearbyint(std::clamp(-least / step, T(0), T(255)))};
  }

  // Rounds a short row to codes, half to even, and writes the codes as numbers of the type T. NaN stays NaN.
  void round(const T* x, T* codes, int64_t n) const {
    using On = OnRows<T>;
    On::run(Operation::true_divide, codes, {x, static_cast<double>(step)}, n);
    On::run(Operation::rint, codes, {codes}, n);
    On::run(Operation::add, codes, {codes, static_cast<double>(zero)}, n);
    On::run(Operation::clip, codes, {codes, 0.0, 255.0}, n);
  }
};

struct DynamicCodes {
  // `codes` is uint8, `step` is float32 and `zero` is uint8. `step` and `zero` have rank 0.
  Tensor codes, step, zero;
};

// Returns the codes of float32 numbers, with one scale and zero point for all numbers. The code of NaN is unspecified.
DynamicCodes dynamic_codes(const char* op, const Tensor& x);

}  // namespace suanzi
