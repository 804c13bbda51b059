// The reciprocal square root 1 / sqrt(x) for float32 and float64.
#pragma once

#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

// Returns 1 / sqrt(x). The function computes the root s and its reciprocal y, both rounded, and corrects the two errors
// in one step. The root is sqrt(x) = s + r / 2s with r = x - s^2. The reciprocal is 1 / s = y + y d with d = 1 - s y.
// The function scales x if the squares would leave the range.
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
  static constexpr bool full_width = Arch::fuses_multiply_add;
  static constexpr HardCases hard_cases = coefficients::hard_rsqrt;
  // The estimate decides only which lanes are open (rounding.h), and never the values of lanes, because estimates
  // differ between processors. For zeros, infinity and negative x, e is NaN, and the lanes are open.
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    using V = Vec<float, N>;
    if constexpr (!Arch::fuses_multiply_add) {
      return round_quickly<51>(Vec<double, N>(1.0) / sqrt(convert<double>(x)));
    } else {
      // One step of Newton's method reduces the error to at most 2^-21.5.
      const V estimate = rsqrt_estimate(x), rough = mul_add(-(x * estimate), estimate, 1.0f);
      const V y = mul_add(estimate * V(0.5f), rough, estimate);
      // e = 1 - x y^2 has an error of 2^-44. The result is 1 / sqrt(x) = y (1 - e)^(-1/2) = y + y (e / 2 + 3 e^2 / 8 +
      // ...). The term of e^2 is below 2^-42, within the margin.
      const V product = x * y, low = mul_add(x, y, -product), half = y * V(0.5f);
      const V e = mul_add(-low, y, mul_add(-product, y, 1.0f)), margin(0x1p-40f);
      const V value = mul_add(half, e - margin, y);
      return {value, value != mul_add(half, e + margin, y)};
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return rsqrt(x);
  }
};
SUANZI_ROUNDED_CORRECTLY(rsqrt, Rsqrt)

}  // namespace suanzi::SUANZI_LEVEL::math
