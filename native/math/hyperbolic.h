// Hyperbolic functions: sinh, cosh, tanh, each for float32 and float64.
//
// sinh and cosh write e^x = 2^k (C + S) and e^-x = 2^-k (C - S) with C = cosh(r), S = sinh(r), |r| <= ln(2) / 2, so
// that two short polynomials give both exponentials without a division. tanh is a quotient made of e^(2x) - 1. float32
// is computed in float64, which carries low parts for itself.
#pragma once

#include "math/coefficients/hyperbolic.h"
#include "math/exp.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace hyperbolic {

namespace c = suanzi::coefficients;

// (e^x + sign e^-x) / 2 for x >= 0, sign = 1 or -1. With q = sign 2^-2k this is 2^(k-1) ((1 + q) C + (1 - q) S).
template <int N>
SUANZI_INLINE Vec<double, N> half_sum(Vec<double, N> x, double sign) {
  const exponential::Reduced<N> a = exponential::reduce(clamp(x, 0.0, 750.0));
  const Vec<double, N> one(1.0), bounded = min(Vec<double, N>(500.0), a.k);
  const Vec<double, N> q = Vec<double, N>(sign) * power_of_two(round_to_integer(-(bounded + bounded)).integer);
  const Vec<double, N> square = a.r * a.r;
  const Vec<double, N> quartic = mul_add(square * square, polynomial(square, c::cosh_quartic), a.r * a.r_lo);
  const Vec<double, N> cosh_tail = mul_add(square, Vec<double, N>(0.5), quartic);
  const Vec<double, N> sinh_tail = mul_add(square * a.r, polynomial(square, c::sinh_cubic), a.r_lo);

  const Vec<double, N> even = one + q, even_lo = (one - even) + q, odd = one - q;
  const DoubleDouble<N> linear = fast_two_sum(a.r, -(q * a.r));  // (1 - q) r, as q is a power of two
  const DoubleDouble<N> leading = fast_two_sum(even, linear.hi);
  const Vec<double, N> low = mul_add(even, cosh_tail, mul_add(odd, sinh_tail, linear.lo + even_lo));
  return scale_by_power_of_two(leading.hi + (leading.lo + low), a.k - one);
}

// The same for float32's range, of either sign, in float64.
inline constexpr int64_t half_bits = int64_t(1022) << 52;

template <int N>
struct HalfPowers {
  Vec<double, N> plus, minus;  // 2^(k-1), 2^(-k-1)
  Vec<double, N> cosh, sinh;   // of r
};
template <int N>
SUANZI_INLINE HalfPowers<N> half_powers(Vec<double, N> x) {
  const exponential::BinaryReduced<N> a = exponential::reduce_binary(x, exponential::c::log2_e);
  const Vec<double, N> square = a.r * a.r;
  const Vec<double, N> plus = exponential::add_exponent(Vec<double, N>(0.5), a.shifted);
  // The exponent fields of 2^(k-1) and 2^(-k-1) add up to twice that of 1/2.
  const Vec<double, N> minus = bit_cast<double>(Vec<int64_t, N>(2 * half_bits) - bit_cast<int64_t>(plus));
  return {plus, minus, horner(square, c::cosh_short), a.r * horner(square, c::sinh_short)};
}

}  // namespace hyperbolic

template <int N>
SUANZI_INLINE Vec<double, N> sinh(Vec<double, N> x) {
  return copysign(hyperbolic::half_sum(abs(x), -1.0), x);
}

template <int N>
SUANZI_INLINE Vec<double, N> cosh(Vec<double, N> x) {
  return hyperbolic::half_sum(abs(x), 1.0);
}

// E / (E + 2), where E = e^(2x) - 1, both divided by 2^k.
template <int N>
SUANZI_INLINE Vec<double, N> tanh(Vec<double, N> x) {
  const Vec<double, N> magnitude = clamp(abs(x), 0.0, 22.0), one(1.0);
  const exponential::Reduced<N> a = exponential::reduce(magnitude + magnitude);
  const Vec<double, N> power = power_of_two(round_to_integer(-a.k).integer);
  const DoubleDouble<N> start = fast_two_sum(one, -power);
  const DoubleDouble<N> n = exponential::expm1_parts(start, a.r, a.r_lo);
  const DoubleDouble<N> d = two_sum(power + power, n.hi);
  const Vec<double, N> reciprocal = one / d.hi;
  const Vec<double, N> quotient = n.hi * reciprocal;
  const Vec<double, N> rest = mul_add(quotient, d.lo + n.lo, product_error(quotient, d.hi, n.hi) - n.lo);
  return copysign(quotient - rest * reciprocal, x);
}

namespace hyperbolic {

struct Sinh {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_sinh;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    const HalfPowers<N> a = half_powers(convert<double>(clamp(x, -90.0f, 90.0f)));
    const Vec<double, N> even = (a.plus - a.minus) * a.cosh;
    Quick<N> found = round_quickly<43>(mul_add(a.plus + a.minus, a.sinh, even));
    found.value = or_bits(found.value, sign_bit(x));
    return found;
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return sinh(x);
  }
};

struct Cosh {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_cosh;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    const HalfPowers<N> a = half_powers(convert<double>(clamp(x, -90.0f, 90.0f)));
    const Vec<double, N> even = (a.plus + a.minus) * a.cosh;
    return round_quickly<43>(mul_add(a.plus - a.minus, a.sinh, even));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return cosh(x);
  }
};

// E / (E + 2), where E = e^(2x) - 1.
struct Tanh {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_tanh;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    const Vec<double, N> wide = convert<double>(clamp(x, -20.0f, 20.0f));
    const Vec<double, N> e = exponential::short_expm1(exponential::reduce_binary(wide, 2.0 * exponential::c::log2_e));
    Quick<N> found = round_quickly<43>(e / (e + Vec<double, N>(2.0)));
    found.value = or_bits(found.value, sign_bit(x));
    return found;
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return tanh(x);
  }
};

}  // namespace hyperbolic

SUANZI_ROUNDED_CORRECTLY(sinh, hyperbolic::Sinh)
SUANZI_ROUNDED_CORRECTLY(cosh, hyperbolic::Cosh)
SUANZI_ROUNDED_CORRECTLY(tanh, hyperbolic::Tanh)

}  // namespace suanzi::SUANZI_LEVEL::math
