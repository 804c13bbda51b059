// Dynamic quantization: the scale and the zero point are chosen from the numbers, so that 0 has a code of its own.
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/elementwise/on_rows.h"
#include "tensor/tensor.h"

namespace suanzi {

// A code in 0 … 255 stands for step * (code - zero).
template <class T>
struct DynamicScale {
  T step, zero;

  // For numbers of which these are the ends; NaN where one of them is.
  static DynamicScale of(T least, T most) {
    least = least > 0 ? T(0) : least;
    most = most < 0 ? T(0) : most;
    const T step = most == least ? T(1) : (most - least) / T(255);
    return {step, std::nearbyint(std::clamp(-least / step, T(0), T(255)))};
  }

  // The codes of a short row as numbers, half to even. A NaN stays one.
  void round(const T* x, T* codes, int64_t n) const {
    using On = OnRows<T>;
    On::run(Operation::true_divide, codes, {x, static_cast<double>(step)}, n);
    On::run(Operation::rint, codes, {codes}, n);
    On::run(Operation::add, codes, {codes, static_cast<double>(zero)}, n);
    On::run(Operation::clip, codes, {codes, 0.0, 255.0}, n);
  }
};

struct DynamicCodes {
  Tensor codes, step, zero;  // uint8, float32 and uint8; the last two have rank 0
};

// Codes of numbers of float32, with one scale and zero point for all. NaN has no certain code.
DynamicCodes dynamic_codes(const char* op, const Tensor& x);

}  // namespace suanzi
