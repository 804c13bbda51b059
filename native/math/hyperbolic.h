// Hyperbolic functions: sinh, cosh, tanh, each for float32 and float64.
//
// All are quotients and sums of exponentials. In float64 the exponential carries a low part; float32 is computed in
// float64.
#pragma once

#include "math/coefficients/hyperbolic.h"
#include "math/common.h"
#include "math/exp.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace hyperbolic {

namespace c = suanzi::coefficients;

// e^x = 2^k m and e^-x = 2^k w, for 0 <= x < 800, m and w as sums of two; w is 0 where it cannot count.
template <int N>
struct Exponentials {
  DoubleDouble<N> m, w;
  Vec<double, N> k;
};
template <int N>
SUANZI_INLINE Exponentials<N> exponentials(Vec<double, N> x) {
  const exponential::Reduced<N> a = exponential::reduce(x);
  const DoubleDouble<N> m = exponential::expm1_parts(Vec<double, N>(1.0), a.r, a.r_lo);
  const Vec<double, N> twice = min(Vec<double, N>(500.0), a.k + a.k);
  const Vec<double, N> scale = power_of_two(round_to_integer(-twice).integer);
  const Vec<double, N> reciprocal = Vec<double, N>(1.0) / m.hi;
  const Vec<double, N> w = scale * reciprocal;
  const DoubleDouble<N> back = two_prod(m.hi, w);
  const Vec<double, N> rest = ((scale - back.hi) - back.lo) - m.lo * w;
  return {m, {w, rest * reciprocal}, a.k};
}

// e^x - 1 for float32's range of x, in float64.
template <int N>
SUANZI_INLINE Vec<double, N> expm1_short(Vec<double, N> x) {
  const exponential::BinaryReduced<N> a = exponential::reduce_binary(x, exponential::c::log2_e);
  const Vec<double, N> power = exponential::add_exponent(Vec<double, N>(1.0), a.shifted);
  return mul_add(power, a.r * polynomial(a.r, exponential::c::exp2m1_short), power - Vec<double, N>(1.0));
}

}  // namespace hyperbolic

// x + x^3 P(x^2) up to 1, (e^x - e^-x) / 2 from there on.
template <int N>
SUANZI_INLINE Vec<double, N> sinh(Vec<double, N> x) {
  const Vec<double, N> magnitude = clamp(abs(x), 0.0, 750.0);
  const Vec<double, N> square = magnitude * magnitude;
  const Vec<double, N> near = mul_add(magnitude * square, polynomial(square, hyperbolic::c::sinh_tail), magnitude);
  const hyperbolic::Exponentials<N> e = hyperbolic::exponentials(magnitude);
  const DoubleDouble<N> sum = two_sum(e.m.hi, -e.w.hi);
  const Vec<double, N> far = scale_by_power_of_two(sum.hi + (sum.lo + (e.m.lo - e.w.lo)), e.k - Vec<double, N>(1.0));
  return copysign(select(magnitude < Vec<double, N>(1.0), near, far), x);
}

template <int N>
SUANZI_INLINE Vec<double, N> cosh(Vec<double, N> x) {
  const hyperbolic::Exponentials<N> e = hyperbolic::exponentials(clamp(abs(x), 0.0, 750.0));
  const DoubleDouble<N> sum = two_sum(e.m.hi, e.w.hi);
  return scale_by_power_of_two(sum.hi + (sum.lo + (e.m.lo + e.w.lo)), e.k - Vec<double, N>(1.0));
}

// E / (E + 2), where E = e^(2x) - 1, both divided by 2^k.
template <int N>
SUANZI_INLINE Vec<double, N> tanh(Vec<double, N> x) {
  const Vec<double, N> magnitude = clamp(abs(x), 0.0, 22.0);
  const exponential::Reduced<N> a = exponential::reduce(magnitude + magnitude);
  const Vec<double, N> power = power_of_two(round_to_integer(-a.k).integer);
  const DoubleDouble<N> n = exponential::expm1_parts(Vec<double, N>(1.0) - power, a.r, a.r_lo);
  const DoubleDouble<N> sum = two_sum(power + power, n.hi);
  const Vec<double, N> d_lo = sum.lo + n.lo;
  const Vec<double, N> reciprocal = Vec<double, N>(1.0) / sum.hi;
  const Vec<double, N> q = n.hi * reciprocal;
  const DoubleDouble<N> back = two_prod(q, sum.hi);
  const Vec<double, N> rest = ((n.hi - back.hi) - back.lo) + (n.lo - q * d_lo);
  const Vec<double, N> quotient = mul_add(rest, reciprocal, q);
  return copysign(select(magnitude < Vec<double, N>(0x1p-28), magnitude, quotient), x);
}

template <int N>
SUANZI_INLINE Vec<float, N> sinh(Vec<float, N> x) {
  const Vec<double, N> e = hyperbolic::expm1_short(convert<double>(clamp(abs(x), 0.0f, 90.0f)));
  const Vec<double, N> twice = e + e / (e + Vec<double, N>(1.0));
  return copysign(convert<float>(twice * Vec<double, N>(0.5)), x);
}

template <int N>
SUANZI_INLINE Vec<float, N> cosh(Vec<float, N> x) {
  const Vec<double, N> d = convert<double>(clamp(abs(x), 0.0f, 90.0f));
  const exponential::BinaryReduced<N> a = exponential::reduce_binary(d, exponential::c::log2_e);
  const Vec<double, N> e = exponential::add_exponent(polynomial(a.r, exponential::c::exp2_short), a.shifted);
  return convert<float>((e + Vec<double, N>(1.0) / e) * Vec<double, N>(0.5));
}

template <int N>
SUANZI_INLINE Vec<float, N> tanh(Vec<float, N> x) {
  const Vec<double, N> d = convert<double>(clamp(abs(x), 0.0f, 20.0f));
  const Vec<double, N> e = hyperbolic::expm1_short(d + d);
  return copysign(convert<float>(e / (e + Vec<double, N>(2.0))), x);
}

}  // namespace suanzi::SUANZI_LEVEL::math
