// Sigmoid and GELU of float32 with errors of a few units in the last place, for elements that already carry the errors
// of long sums. These two functions are many times faster than the correctly rounded functions. float64 uses the
// accurate functions.
#pragma once

#include "math/coefficients/nearly.h"
#include "math/error_function.h"
#include "math/exp.h"

namespace suanzi::SUANZI_LEVEL::math::nearly {

namespace c = suanzi::coefficients;

// Returns e^r 2^k for |r| <= ln(2) / 2 and integral k from -150 to 0. The power of 2 is applied in two steps, because
// the result may be below the least normal number. NaN stays NaN.
template <int N>
SUANZI_INLINE Vec<float, N> scaled_exp(Vec<float, N> r, Vec<float, N> k) {
  constexpr float lift = 64, bias = 127, magic = 0x1.8p23f;
  const Vec<float, N> shifted = k + Vec<float, N>(magic + lift + bias);
  const Vec<float, N> power = bit_cast<float>(bit_cast<uint32_t>(shifted) << 23);
  return polynomial(r, c::exp_single) * power * Vec<float, N>(0x1p-64f);
}

// Returns e^x for x <= 0.
template <int N>
SUANZI_INLINE Vec<float, N> exp_down(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V low = max(V(-104.0f), x), k = rint(low * V(c::log2_e_single));
  return scaled_exp(mul_add(k, V(-c::ln2_single_rest), mul_add(k, V(-c::ln2_single_short), low)), k);
}
template <int N>
SUANZI_INLINE Vec<double, N> exp_down(Vec<double, N> x) {
  return exp(x);
}

// Returns 1 / (1 + e^-x).
template <class T, int N>
SUANZI_INLINE Vec<T, N> sigmoid(Vec<T, N> x) {
  using V = Vec<T, N>;
  const V power = exp_down(-abs(x));
  return select(x < V(T(0)), power, V(T(1))) / (V(T(1)) + power);
}

// Returns x P(x), where P(x) is the probability that a normal number is less than x. The function treats P(-6) as 0.
template <int N>
SUANZI_INLINE Vec<float, N> gelu(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V size = abs(x), one(1.0f), half(0.5f), end(6.0f);
  const V near = mul_add(x, polynomial(x * x, c::normal_single_near), half);
  const V power = -polynomial(max(one, min(end, size)), c::normal_single_far), k = rint(power);
  const V above = select(size < end, scaled_exp((power - k) * V(c::ln2_single), k), V(0.0f));
  return x * select(size < one, near, select(x < V(0.0f), above, one - above));
}
template <int N>
SUANZI_INLINE Vec<double, N> gelu(Vec<double, N> x) {
  return math::gelu(x);
}

}  // namespace suanzi::SUANZI_LEVEL::math::nearly
