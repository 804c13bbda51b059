// 1 / sqrt(x) for float32 and float64.
#pragma once

#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

// The root s and its reciprocal y, both rounded, and then one step that takes both errors off: sqrt(x) = s + r / 2s
// with r = x - s^2, and 1 / s = y + y d with d = 1 - s y. Scaled where the squares would leave the range.
template <int N>
SUANZI_INLINE Vec<double, N> rsqrt(Vec<double, N> x) {
  using V = Vec<double, N>;
  const Mask<8, N> small = x<V(0x1p-900), large = x> V(0x1p900);
  const V scaled = x * select(small, V(0x1p200), select(large, V(0x1p-200), 1.0));
  const V s = sqrt(scaled), y = V(1.0) / s;
  const DoubleDouble<N> square = two_prod(s, s), one = two_prod(s, y);
  const V r = (scaled - square.hi) - square.lo, d = (V(1.0) - one.hi) - one.lo;
  const V corrected = y + y * (d - V(0.5) * r * y * y);
  const V result = corrected * select(small, V(0x1p100), select(large, V(0x1p-100), 1.0));
  return select((x > V(0.0)) & is_finite(x), result, y);
}

struct Rsqrt {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_rsqrt;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    return round_quickly<39>(rsqrt_40(convert<double>(x)));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return rsqrt(x);
  }
};
SUANZI_ROUNDED_CORRECTLY(rsqrt, Rsqrt)

}  // namespace suanzi::SUANZI_LEVEL::math
