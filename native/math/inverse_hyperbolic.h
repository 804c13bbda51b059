// The inverse hyperbolic functions asinh, acosh and atanh, each for float32 and float64.
//
// All these functions are logarithms of a quotient or a sum u (see log.h). Where u is near 1 (k = 0),
// t = (u - 1) / ((u + 1) / 2) has a form without cancellation:
//   atanh(x) = log((1 + x) / (1 - x)) / 2,   t = 2 x
//   asinh(x) = log(x + sqrt(x^2 + 1)),       t = x / ((1 + sqrt(x^2 + 1)) / 2)
//   acosh(x) = log(x + sqrt(x^2 - 1)),       t = sqrt(x^2 - 1) / ((x + 1) / 2)
#pragma once

#include "math/log.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace inverse_hyperbolic {

namespace c = suanzi::coefficients;

// If x is at least this bound, x^2 replaces x^2 + 1 and x^2 - 1 without changing the logarithm.
inline constexpr double large = 0x1p30;

template <int N>
SUANZI_INLINE DoubleDouble<N> choose(Mask<8, N> m, DoubleDouble<N> a, DoubleDouble<N> b) {
  return {select(m, a.hi, b.hi), select(m, a.lo, b.lo)};
}

// Returns sqrt(x^2 + one), where `one` is 1, or -1 for x >= 1.
template <int N>
SUANZI_INLINE DoubleDouble<N> root_beside_square(Vec<double, N> x, double one) {
  const DoubleDouble<N> square = two_prod(x, x);
  const DoubleDouble<N> sum = two_sum(square.hi, Vec<double, N>(one));
  const DoubleDouble<N> q = fast_two_sum(sum.hi, sum.lo + square.lo);
  const Vec<double, N> root = sqrt(q.hi);
  const Vec<double, N> rest = q.lo - product_error(root, root, q.hi);
  // Single precision is enough for the divisor of the correction.
  const Vec<float, N> divisor = convert<float>(root + root + Vec<double, N>(0x1p-100));
  return {root, rest * convert<double>(Vec<float, N>(1.0f) / divisor)};
}

// Returns log(a + root). Where a + root is near 1, the function uses the quotient t = numerator / half.
template <int N>
SUANZI_INLINE Vec<double, N> log_of_sum(Vec<double, N> a, DoubleDouble<N> root, DoubleDouble<N> numerator,
                                        DoubleDouble<N> half) {
  using V = Vec<double, N>;
  const V zero(0.0), one(1.0);
  const Mask<8, N> is_large = a > V(large);
  const DoubleDouble<N> sum = two_sum(a, root.hi);
  const V u = select(is_large, a, sum.hi), u_lo = sum.lo + root.lo;
  const logarithm::Binary<N> b = logarithm::split_exponent(u);
  const Mask<8, N> near = b.k == zero;
  const V f = b.m - one, f_lo = select(is_large, zero, u_lo * logarithm::inverse_power(b.power));
  DoubleDouble<N> half_sum = fast_two_sum(one, V(0.5) * f);
  half_sum.lo = mul_add(f_lo, V(0.5), half_sum.lo);
  const auto s = logarithm::series(choose(near, numerator, {f, f_lo}), choose(near, half, half_sum));
  return logarithm::combine(b.k + select(is_large, one, zero), s);
}

// Completes atanh for a = |x|. The function returns r if a < 1, infinity if a = 1, and NaN if a > 1 or a is NaN.
template <int N>
SUANZI_INLINE Vec<double, N> atanh_limits(Vec<double, N> a, Vec<double, N> r) {
  const Vec<double, N> one(1.0), nan(__builtin_nan(""));
  return select(a < one, r, select(a == one, __builtin_inf(), nan));
}

template <int N>
SUANZI_INLINE Vec<double, N> acosh_limits(Vec<double, N> x, Vec<double, N> r) {
  const Vec<double, N> one(1.0);
  return select((x >= one) & is_finite(x), r, select(x < one, __builtin_nan(""), x));
}

}  // namespace inverse_hyperbolic

template <int N>
SUANZI_INLINE Vec<double, N> asinh(Vec<double, N> x) {
  const Vec<double, N> a = abs(x), one(1.0), half(0.5), zero(0.0);
  const DoubleDouble<N> root = inverse_hyperbolic::root_beside_square(a, 1.0);
  const DoubleDouble<N> sum = fast_two_sum(root.hi, one);
  const DoubleDouble<N> denominator = {half * sum.hi, half * (sum.lo + root.lo)};
  const Vec<double, N> r = inverse_hyperbolic::log_of_sum(a, root, {a, zero}, denominator);
  return or_bits(select(is_finite(x), r, a), sign_bit(x));
}

template <int N>
SUANZI_INLINE Vec<double, N> acosh(Vec<double, N> x) {
  const Vec<double, N> one(1.0), half(0.5);
  const DoubleDouble<N> root = inverse_hyperbolic::root_beside_square(x, -1.0);
  const DoubleDouble<N> sum = fast_two_sum(x, one);
  const Vec<double, N> r = inverse_hyperbolic::log_of_sum(x, root, root, {half * sum.hi, half * sum.lo});
  return inverse_hyperbolic::acosh_limits(x, r);
}

// Returns atanh(x). k is the exponent of an approximate quotient n / d. t is (n - 2^k d) / ((n + 2^k d) / 2) for n = 1
// + |x| and d = 1 - |x|.
template <int N>
SUANZI_INLINE Vec<double, N> atanh(Vec<double, N> x) {
  const Vec<double, N> a = abs(x), one(1.0), half(0.5);
  const DoubleDouble<N> n = fast_two_sum(one, a), d = fast_two_sum(one, -a);
  const Vec<double, N> quotient = convert<double>(convert<float>(n.hi) / convert<float>(d.hi));
  const logarithm::Binary<N> b = logarithm::split_exponent(quotient);
  const DoubleDouble<N> scaled = {b.power * d.hi, b.power * d.lo};
  const DoubleDouble<N> numerator = two_sum(n.hi - scaled.hi, n.lo - scaled.lo);
  const DoubleDouble<N> sum = fast_two_sum(n.hi, scaled.hi);
  const DoubleDouble<N> denominator = {half * sum.hi, half * (sum.lo + (n.lo + scaled.lo))};
  const Vec<double, N> r = half * logarithm::combine(b.k, logarithm::series(numerator, denominator));
  return or_bits(inverse_hyperbolic::atanh_limits(a, r), sign_bit(x));
}

// The functions for float32 in pairs of floats use the logarithm of a pair u + u_low (log_table.h). u_low is a
// remainder with an error of about 2^-44 u. If a = |x| is below 2^-5, u is close to 1, and asinh and atanh use the
// series a + a^3 P(a^2), which is exact to 2^-43.
namespace inverse_hyperbolic {

using logarithm::Sum;

// Returns sqrt(q.hi + q.lo). `first` is an estimate of the root to 2^-22, and `inverse` is an estimate of the root's
// reciprocal.
template <int N>
SUANZI_INLINE FloatPair<N> root(FloatPair<N> q, Vec<float, N> first, Vec<float, N> inverse) {
  return {first, (mul_add(-first, first, q.hi) + q.lo) * (Vec<float, N>(0.5f) * inverse)};
}

// Returns the sum `far` or, where a is small, the series `scale` (a + a^3 P(a^2)).
template <int N>
SUANZI_INLINE Sum<float, N> or_series(Sum<float, N> far, Vec<float, N> a, float scale, const float (&series)[3]) {
  using V = Vec<float, N>;
  const Mask<4, N> near = a < V(0x1p-5f);
  const V square = a * a, s = V(scale) * a;
  return {select(near, s, far.s), select(near, s * square * horner(square, series), far.low), select(near, a, far.h)};
}

template <int N>
SUANZI_INLINE Ends<N> asinh_by_pairs(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V a = abs(x), one(1.0f), q = mul_add(a, a, one), square = q - one, lost = (q - square) - one;
  // Like the root itself, `first` is never below a, so u - r.hi is exact.
  const V inverse = rsqrt_22(q), first = max(a, q * inverse);
  const FloatPair<N> r = root(FloatPair<N>{q, mul_add(a, a, -square) - lost}, first, inverse);
  const V u = r.hi + a;
  const float series[] = {-1.0f / 6, 3.0f / 40, -15.0f / 336};
  const Sum<float, N> sum = or_series(logarithm::log_sum(u, (a - (u - r.hi)) + r.lo), a, 1.0f, series);
  Ends<N> found = logarithm::round_sum<logarithm::Base::e>(sum, u);
  found.value = or_bits(found.value, sign_bit(x));
  return found;
}

template <int N>
SUANZI_INLINE Ends<N> acosh_by_pairs(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V one(1.0f), positive = max(V(0.0f), x);  // the root is NaN for all x below 1, so negative x may become 0
  const V q = mul_add(positive, positive, -one), larger = max(one, q), smaller = min(one, q), square = larger + smaller;
  // Like the root itself, `first` is never above x, so u - x is exact.
  const V inverse = rsqrt_22(q), first = min(x, q * inverse);
  const V q_lo = mul_add(positive, positive, -square) + ((square - larger) - smaller);
  const FloatPair<N> r = root(FloatPair<N>{q, q_lo}, first, inverse);
  const V u = x + r.hi;
  return logarithm::round_sum<logarithm::Base::e>(logarithm::log_sum(u, (r.hi - (u - x)) + r.lo), u);
}

// Returns 2 atanh(x) as the two rounded ends of an interval. The function computes in pairs of float32.
template <int N>
SUANZI_INLINE Ends<N> atanh_by_pairs(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V a = abs(x), one(1.0f), n = one + a, n_lo = a - (n - one), d = one - a, d_lo = (one - d) - a;
  const V inverse = reciprocal_22(d), u = n * inverse;
  const V rest = mul_add(-u, d_lo, mul_add(-u, d, n) + n_lo);
  const float series[] = {1.0f / 3, 1.0f / 5, 1.0f / 7};
  Ends<N> found =
      logarithm::round_sum<logarithm::Base::e>(or_series(logarithm::log_sum(u, rest * inverse), a, 2.0f, series), u);
  found.value = or_bits(V(0.5f) * found.value, sign_bit(x));
  return found;
}

}  // namespace inverse_hyperbolic

// The functions for float32. Near 0, asinh is the sum of a series (the next term is below 2^-44), and acosh and atanh
// use log1p.
namespace inverse_hyperbolic {

struct Asinh {
  static constexpr bool full_width = logarithm::has_table<float>;
  static constexpr HardCases hard_cases = coefficients::hard_asinh;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (full_width) {
      return asinh_by_pairs(x);
    } else {
      // Near 0, the result is a - a^3 / 6.
      const Vec<double, N> a = abs(convert<double>(x)), square = a * a;
      const Vec<double, N> far = logarithm::short_log(a + sqrt(square + Vec<double, N>(1.0)));
      const Vec<double, N> near = mul_add(a * square, Vec<double, N>(-1.0 / 6), a);
      const Vec<double, N> r = select(a < Vec<double, N>(0x1p-10), near, far);
      Quick<N> found = logarithm::round_between<logarithm::short_bits>(r, abs(x), -1.0f, __builtin_inff());
      found.value = or_bits(found.value, sign_bit(x));
      return found;
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return asinh(x);
  }
};

struct Acosh {
  static constexpr bool full_width = logarithm::has_table<float>;
  static constexpr HardCases hard_cases = coefficients::hard_acosh;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (full_width) {
      return acosh_by_pairs(x);
    } else {
      const Vec<double, N> wide = convert<double>(x);
      const Vec<double, N> r = logarithm::short_log(wide + sqrt(wide * wide - Vec<double, N>(1.0)));
      return logarithm::round_between<logarithm::short_bits>(r, x, 0x1.fffffep-1f, __builtin_inff());
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return acosh(x);
  }
};

struct Atanh {
  static constexpr bool full_width = logarithm::has_table<float>;
  static constexpr HardCases hard_cases = coefficients::hard_atanh;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (full_width) {
      return atanh_by_pairs(x);
    } else {
      const Vec<double, N> a = abs(convert<double>(x)), one(1.0);
      const Vec<double, N> r = Vec<double, N>(0.5) * logarithm::short_log1p((a + a) / (one - a));
      Quick<N> found = logarithm::round_between<logarithm::short_bits>(r, abs(x), -1.0f, 1.0f);
      found.value = or_bits(found.value, sign_bit(x));
      return found;
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return atanh(x);
  }
};

}  // namespace inverse_hyperbolic

SUANZI_ROUNDED_CORRECTLY(asinh, inverse_hyperbolic::Asinh)
SUANZI_ROUNDED_CORRECTLY(acosh, inverse_hyperbolic::Acosh)
SUANZI_ROUNDED_CORRECTLY(atanh, inverse_hyperbolic::Atanh)

}  // namespace suanzi::SUANZI_LEVEL::math
