// Exponentials: exp and expm1, each for float32 and float64.
//
// All reduce the argument to k ln 2 + r with |r| <= ln(2) / 2 (Cody and Waite), evaluate a polynomial in r, and scale
// by 2^k. float32 is computed in float64. In float64, r carries a low part and the leading terms 1 + r are added
// exactly, so that little more than the last rounding is left of the error.
#pragma once

#include "math/float_exp.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace exponential {

namespace c = suanzi::coefficients;

// x times 2^k, for a normal result and `shifted` = k + round_magic, by adding to the exponent field. NaN that comes
// from float32 survives it, others may not.
template <int N>
SUANZI_INLINE Vec<double, N> add_exponent(Vec<double, N> x, Vec<double, N> shifted) {
  return bit_cast<double>(bit_cast<uint64_t>(x) + (bit_cast<uint64_t>(shifted) << 52));
}

// y = k + r with k integral and |r| <= 1/2, where y = x * scale.
template <int N>
struct BinaryReduced {
  Vec<double, N> shifted;  // k + round_magic
  Vec<double, N> k, r;
};
template <int N>
SUANZI_INLINE BinaryReduced<N> reduce_binary(Vec<double, N> x, double scale) {
  const Vec<double, N> shifted = mul_add(x, Vec<double, N>(scale), Vec<double, N>(round_magic));
  const Vec<double, N> k = shifted - Vec<double, N>(round_magic);
  return {shifted, k, mul_add(x, Vec<double, N>(scale), -k)};
}

// x = k ln 2 + r + r_lo, for |x| < 2000.
template <int N>
struct Reduced {
  Vec<double, N> k, r, r_lo;
};
template <int N>
SUANZI_INLINE Reduced<N> reduce(Vec<double, N> x) {
  const Vec<double, N> k = round_to_integer(x * Vec<double, N>(c::log2_e)).value;
  const Vec<double, N> exact = mul_add(k, Vec<double, N>(-c::ln2_short), x);
  const Vec<double, N> rest = k * Vec<double, N>(c::ln2_rest);
  const Vec<double, N> r = exact - rest;
  return {k, r, (exact - r) - rest};
}

// e^(r + r_lo) to about 0.66 ulp.
template <int N>
SUANZI_INLINE Vec<double, N> exp_reduced(Vec<double, N> r, Vec<double, N> r_lo) {
  const Vec<double, N> tail = mul_add(r * r, polynomial(r, c::exp_tail), r_lo);
  const DoubleDouble<N> leading = fast_two_sum(Vec<double, N>(1.0), r);
  return leading.hi + (leading.lo + tail);
}

// start + start_lo + (e^(r + r_lo) - 1) as a sum of two, where start is 0 or |start| >= 1/2. Up to r^2 the terms are
// added exactly, and only the rounding of r^2 is left: about 2^-54 of it.
template <int N>
SUANZI_INLINE DoubleDouble<N> expm1_parts(DoubleDouble<N> start, Vec<double, N> r, Vec<double, N> r_lo) {
  const Vec<double, N> square = r * r, half_square = Vec<double, N>(0.5) * square;
  const Vec<double, N> low = mul_add(r, r_lo, r_lo) + start.lo;
  const Vec<double, N> tail = mul_add(square * r, polynomial(r, c::exp_cubic), low);
  const DoubleDouble<N> linear = fast_two_sum(start.hi, r);
  const DoubleDouble<N> sum = fast_two_sum(linear.hi, half_square);
  return fast_two_sum(sum.hi, sum.lo + (linear.lo + tail));
}

// 1 - 2^-k for k > -1000.
template <int N>
SUANZI_INLINE DoubleDouble<N> one_minus_power(Vec<double, N> k) {
  // Half of 2^(1 - k), whose exponent field is 0 from k = 1024 on.
  const Vec<double, N> bounded = min(Vec<double, N>(1024.0), k);
  const Vec<double, N> twice = power_of_two(round_to_integer(Vec<double, N>(1.0) - bounded).integer);
  const Vec<double, N> one(1.0), difference = mul_add(twice, Vec<double, N>(-0.5), one);
  return {difference, mul_add(twice, Vec<double, N>(-0.5), one - difference)};
}

// 2^(k + r) - 1 for float32.
template <int N>
SUANZI_INLINE Vec<double, N> short_expm1(BinaryReduced<N> a) {
  const Vec<double, N> one(1.0), power = add_exponent(one, a.shifted);
  return mul_add(power, a.r * polynomial(a.r, c::exp2m1_short), power - one);
}

}  // namespace exponential

template <int N>
SUANZI_INLINE Vec<double, N> exp(Vec<double, N> x) {
  const exponential::Reduced<N> a = exponential::reduce(clamp(x, -800.0, 800.0));
  return scale_by_power_of_two(exponential::exp_reduced(a.r, a.r_lo), a.k);
}

// 2^-k (e^x - 1) = (1 - 2^-k) + (e^r - 1).
template <int N>
SUANZI_INLINE Vec<double, N> expm1(Vec<double, N> x) {
  const exponential::Reduced<N> a = exponential::reduce(clamp(x, -50.0, 800.0));
  const DoubleDouble<N> sum = exponential::expm1_parts(exponential::one_minus_power(a.k), a.r, a.r_lo);
  return or_bits(scale_by_power_of_two(sum.hi, a.k), sign_bit(x));
}

// float32, whose limits leave the double result normal; the conversion overflows and underflows. Denormal results are
// left to the accurate way.
namespace exponential {

struct Exp {
  static constexpr bool full_width = has_float_pairs;
  static constexpr HardCases hard_cases = coefficients::hard_exp;

  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    if constexpr (full_width) {
      return in_pairs(x);
    } else {
      const BinaryReduced<N> a = reduce_binary(convert<double>(clamp(x, -104.0f, 90.0f)), c::log2_e);
      Quick<N> found = round_quickly<43>(add_exponent(polynomial(a.r, c::exp2_short), a.shifted));
      found.open = found.open | ((x < Vec<float, N>(-87.3f)) & (x > Vec<float, N>(-104.0f)));
      return found;
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return exp(x);
  }

 private:
  // A table of 32: e^r = (1 + r) (1 + r^2 p(r)); t + t r is exact as a sum of two.
  // A table of 8, where r^2 / 2 is too large for its rounding error: e^r = 1 + r + r^2 / 2 + r^3 p(r).
  template <int N>
  static SUANZI_INLINE Quick<N> in_pairs(Vec<float, N> x) {
    using V = Vec<float, N>;
    const FloatReduced<N> a = reduce_float(clamp(x, -104.0f, 89.0f), Tables::rest_low, Tables::exp_ln2_rest);
    V s, low;
    if constexpr (Arch::float_table == 32) {
      s = mul_add(a.t, a.r, a.t);
      const V rest = mul_add(a.r * a.r, polynomial(a.r, c::float_exp_square_32), a.r_lo);
      low = mul_add(s, rest, mul_add(a.t, a.r, a.t - s));
    } else {
      const FloatPair<N> m = expm1_series(a.r);
      s = mul_add(a.t, m.hi, a.t);
      low = mul_add(s, a.r_lo, mul_add(a.t, m.lo, mul_add(a.t, m.hi, a.t - s)));
    }
    const V high = mul_add(s, V(Tables::width), low);
    Quick<N> found = round_quickly(s, low, high);
    found.value = scale_float(found.value, a.n, a.shifted);
    if constexpr (Arch::looks_up_in_registers) {
      const auto normal_or_zero = bit_cast<uint32_t>(found.value) - Vec<uint32_t, N>(1u) >= Vec<uint32_t, N>(0x7fffffu);
      found.open = ~(~found.open & normal_or_zero);
    } else {
      const auto below = x < V(-104.0f);
      found.value = select(below, V(0.0f), found.value);
      found.open = (found.open | (abs(x - V(0.695f)) > V(88.02f))) & ~below;
    }
    return found;
  }
};

struct Expm1 {
  static constexpr bool full_width = has_float_pairs;
  static constexpr HardCases hard_cases = coefficients::hard_expm1;

  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    Quick<N> found;
    if constexpr (full_width) {
      found = in_pairs(clamp(x, -20.0f, 89.0f));
    } else {
      found = round_quickly<43>(short_expm1(reduce_binary(convert<double>(clamp(x, -105.0f, 90.0f)), c::log2_e)));
    }
    found.value = or_bits(found.value, sign_bit(x));
    return found;
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return expm1(x);
  }

 private:
  // With p = 2^floor(n) t: p e^(r + r_lo) - 1 = (p - 1) + p (e^r - 1) + p e^r r_lo.
  template <int N>
  static SUANZI_INLINE Quick<N> in_pairs(Vec<float, N> x) {
    const FloatReduced<N> a = reduce_float(x);
    const FloatPair<N> m = expm1_series(a.r);
    const Vec<float, N> p = scale_float(a.t, a.n, a.shifted);
    const FloatPair<N> start = two_sum(p, Vec<float, N>(-1.0f));
    // |start.hi| is 0 or more than p |m.hi|.
    const Vec<float, N> s = mul_add(p, m.hi, start.hi), s_lo = mul_add(p, m.hi, start.hi - s) + start.lo;
    const Vec<float, N> factor = mul_add(m.hi, a.r_lo, a.r_lo + m.lo);
    return round_pair(FloatPair<N>{s, mul_add(p, factor, s_lo)}, Tables::expm1_error);
  }
};

}  // namespace exponential

SUANZI_ROUNDED_CORRECTLY(exp, exponential::Exp)
SUANZI_ROUNDED_CORRECTLY(expm1, exponential::Expm1)

}  // namespace suanzi::SUANZI_LEVEL::math
