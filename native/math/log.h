// The logarithms log, log2, log10 and log1p, each for float32 and float64, and the functions that log.h shares with the
// inverse hyperbolic functions.
//
// If small tables fit in registers, log_table.h contains the functions. Other levels write the argument as 2^k m, with
// m from sqrt(1/2) to sqrt(2), and use
//   log(m) = log((1 + t / 2) / (1 - t / 2)) = t + t^3 P(t^2),  t = (m - 1) / ((m + 1) / 2).
// In float64, the correction term includes the rounding error of the quotient t and the error of adding k ln 2 and t.
// The error of the result is therefore little more than the error of the last rounding. These levels compute float32 in
// float64.
#pragma once

#include "math/coefficients/exp.h"
#include "math/coefficients/log.h"
#include "math/log_table.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace logarithm {

namespace c = suanzi::coefficients;

inline constexpr uint64_t one_bits = uint64_t(1023) << 52;
inline constexpr uint64_t sqrt_half_bits = 0x3fe6a09e667f3bcd;
inline constexpr uint64_t exponent_mask = uint64_t(0x7ff) << 52;

// The splitting x = power * m, where power = 2^k.
template <int N>
struct Binary {
  Vec<double, N> k, power, m;
};

// Returns the splitting of a positive normal x. The power is wrong for k = 1024.
template <int N>
SUANZI_INLINE Binary<N> split_exponent(Vec<double, N> x) {
  // The integers are unsigned, because the integers of infinities and NaN wrap around. The code does not use the
  // wrapped integers.
  using Bits = Vec<uint64_t, N>;
  const Bits shifted = bit_cast<uint64_t>(x) - Bits(sqrt_half_bits - one_bits);
  const Bits mantissa = shifted & Bits((uint64_t(1) << 52) - 1);
  // The code reads the exponent as the mantissa of 2^52 + exponent, because levels below AVX-512 do not convert 64-bit
  // integers.
  const Bits digits = (shifted >> 52) | bit_cast<uint64_t>(Vec<double, N>(0x1p52));
  return {bit_cast<double>(digits) - Vec<double, N>(0x1p52 + 1023), bit_cast<double>(shifted & Bits(exponent_mask)),
          bit_cast<double>(mantissa + Bits(sqrt_half_bits))};
}

// Returns the reciprocal of a power of two up to 2^1022.
template <int N>
SUANZI_INLINE Vec<double, N> inverse_power(Vec<double, N> power) {
  return bit_cast<double>(Vec<uint64_t, N>(2 * one_bits) - bit_cast<uint64_t>(power));
}

// The sum t + tail = log((1 + q / 2) / (1 - q / 2)), where the tail is below |t| / 100.
template <int N>
struct Series {
  Vec<double, N> t, tail;
};

// Returns the series for q = (numerator + numerator_lo) / (half.hi + half.lo).
template <int N>
SUANZI_INLINE Series<N> series(DoubleDouble<N> numerator, DoubleDouble<N> half) {
  const Vec<double, N> inverse = Vec<double, N>(1.0) / half.hi;
  const Vec<double, N> t = numerator.hi * inverse, z = t * t;
  const Vec<double, N> rest = product_error(t, half.hi, numerator.hi) + mul_add(t, half.lo, -numerator.lo);
  return {t, mul_add(t * z, polynomial(z, c::log_tail), -(rest * inverse))};
}
template <int N>
SUANZI_INLINE Series<N> series(Vec<double, N> numerator, DoubleDouble<N> half) {
  const Vec<double, N> inverse = Vec<double, N>(1.0) / half.hi;
  const Vec<double, N> t = numerator * inverse, z = t * t;
  const Vec<double, N> rest = mul_add(t, half.lo, product_error(t, half.hi, numerator));
  return {t, mul_add(t * z, polynomial(z, c::log_tail), -(rest * inverse))};
}

// Returns the series for q = (m - 1) / ((m + 1) / 2).
template <int N>
SUANZI_INLINE Series<N> series(Vec<double, N> m) {
  const Vec<double, N> one(1.0), f = m - one;
  return series(f, fast_two_sum(one, Vec<double, N>(0.5) * f));
}

// Returns k log(2) + t + tail.
template <int N>
SUANZI_INLINE Vec<double, N> combine(Vec<double, N> k, Series<N> a) {
  const DoubleDouble<N> s = fast_two_sum(k * Vec<double, N>(c::ln2_short), a.t);
  return s.hi + (s.lo + mul_add(k, Vec<double, N>(c::ln2_rest), a.tail));
}

// Returns k log(2) + t + tail in another base, in which log(2) is unit + unit_lo and log(e) is scale + scale_lo.
template <Base base, int N>
SUANZI_INLINE Vec<double, N> combine(Vec<double, N> k, Series<N> a) {
  if constexpr (base == Base::e) return combine(k, a);
  constexpr bool two = base == Base::two;
  const Vec<double, N> scale(two ? c::log2_e : c::log10_e_hi), scale_lo(two ? c::log2_e_lo : c::log10_e_lo);
  const DoubleDouble<N> t = two_prod(a.t, scale);
  Vec<double, N> tail = mul_add(a.t, scale_lo, mul_add(a.tail, scale, t.lo));
  if constexpr (!two) tail = mul_add(k, Vec<double, N>(c::log10_2_rest), tail);
  const DoubleDouble<N> s = fast_two_sum(two ? k : k * Vec<double, N>(c::log10_2_short), t.hi);
  return s.hi + (s.lo + tail);
}

// Returns the logarithm of an x that is zero, negative, infinite or NaN.
template <int N>
SUANZI_INLINE Vec<double, N> limit(Vec<double, N> x) {
  const Vec<double, N> zero(0.0);
  return select(x == zero, -__builtin_inf(), select(x < zero, __builtin_nan(""), x));
}

template <int N>
SUANZI_INLINE Mask<8, N> is_between(Vec<double, N> x, double low, double high) {
  return (x >= Vec<double, N>(low)) & (x < Vec<double, N>(high));
}

// The number x, scaled if x was a positive denormal, and the correction `k` of the exponent of x.
template <int N>
struct Scaled {
  Vec<double, N> x, k;
};
template <int N>
SUANZI_INLINE Scaled<N> scale_denormal(Vec<double, N> x) {
  const Mask<8, N> small = x < Vec<double, N>(0x1p-1022);
  return {select(small, x * Vec<double, N>(0x1p54), x), select(small, -54.0, Vec<double, N>(0.0))};
}

template <Base base, int N>
__attribute__((noinline)) Vec<double, N> log_extreme(Vec<double, N> x) {
  const Scaled<N> scaled = scale_denormal(x);
  const Binary<N> b = split_exponent(scaled.x);
  const Vec<double, N> r = combine<base>(b.k + scaled.k, series(b.m));
  return select((x > Vec<double, N>(0.0)) & is_finite(x), r, limit(x));
}

// Returns r, the logarithm of x that was computed with a table, except in lanes where r is NaN because x is zero,
// negative, infinite or NaN. In these lanes, the function returns the correct logarithm of x.
template <int N>
__attribute__((noinline)) Vec<double, N> limit_where_nan(Vec<double, N> r, Vec<double, N> x) {
  return select(r == r, r, limit(x));
}

template <Base base, int N>
SUANZI_INLINE Vec<double, N> log(Vec<double, N> x) {
  if constexpr (has_table<double>) {
    const Sum<double, N> a = log_sum<base>(x);
    const Vec<double, N> r = a.s + a.low;
    return __builtin_expect(any_unequal(r, r), 0) ? limit_where_nan(r, x) : r;
  } else {
    if (__builtin_expect(any(~is_between(x, 0x1p-1022, __builtin_inf())), 0)) return log_extreme<base>(x);
    const Binary<N> b = split_exponent(x);
    return combine<base>(b.k, series(b.m));
  }
}

// The functions below compute float32 in float64, for levels at which log_table.h has no table. short_log returns
// log(2^k (1 + f)) with a relative error below 2^-37.5.
inline constexpr int short_bits = 37;
template <int N>
SUANZI_INLINE Vec<double, N> short_series(Vec<double, N> f) {
  const Vec<double, N> t = f / mul_add(f, Vec<double, N>(0.5), Vec<double, N>(1.0)), z = t * t;
  return mul_add(t * z, polynomial(z, c::log_short), t);
}
template <int N>
SUANZI_INLINE Vec<double, N> short_log(Vec<double, N> x) {
  const Binary<N> b = split_exponent(x);
  return mul_add(b.k, Vec<double, N>(c::ln2_hi), short_series(b.m - Vec<double, N>(1.0)));
}
// Returns log(1 + x).
template <int N>
SUANZI_INLINE Vec<double, N> short_log1p(Vec<double, N> x) {
  const Binary<N> b = split_exponent(Vec<double, N>(1.0) + x);
  const Vec<double, N> f = select(b.k == Vec<double, N>(0.0), x, b.m - Vec<double, N>(1.0));
  return mul_add(b.k, Vec<double, N>(c::ln2_hi), short_series(f));
}

// Returns r, rounded to float32. Lanes are open (rounding.h) if x is not between the bounds.
template <int bits, int N>
SUANZI_INLINE Quick<N> round_between(Vec<double, N> r, Vec<float, N> x, float low, float high) {
  Quick<N> found = round_quickly<bits>(r);
  found.open = found.open | ~((x > Vec<float, N>(low)) & (x < Vec<float, N>(high)));
  return found;
}

// Returns log(1 + x) for x > -1. Near 0, where k = 0, the function computes the quotient t from x itself. Elsewhere,
// the function adds the rounding error of 1 + x to the numerator and the denominator.
template <int N>
SUANZI_INLINE Vec<double, N> log1p_finite(Vec<double, N> x) {
  const Vec<double, N> one(1.0), zero(0.0), half(0.5);
  const DoubleDouble<N> u = two_sum(one, x);
  const Binary<N> b = split_exponent(u.hi);
  const Mask<8, N> near = b.k == zero;
  const Vec<double, N> f = select(near, x, b.m - one);
  const Vec<double, N> f_lo = select(near, zero, u.lo * inverse_power(b.power));
  DoubleDouble<N> denominator = fast_two_sum(one, half * f);
  denominator.lo = mul_add(f_lo, half, denominator.lo);
  return or_bits(combine(b.k, series(DoubleDouble<N>{f, f_lo}, denominator)), sign_bit(x));
}

template <int N>
__attribute__((noinline)) Vec<double, N> log1p_extreme(Vec<double, N> x) {
  const Vec<double, N> minus_one(-1.0), large(0x1p1000);
  const Mask<8, N> is_large = (x >= large) & is_finite(x);
  const Binary<N> b = split_exponent(select(is_large, x, large));
  const Vec<double, N> r = log1p_finite(select(is_between(x, -1.0, 0x1p1000) & (x > minus_one), x, 0.0));
  const Vec<double, N> bounded = select(is_large, combine(b.k, series(b.m)), r);
  return select((x > minus_one) & is_finite(x), bounded, limit(select(is_finite(x), x + Vec<double, N>(1.0), x)));
}

// Returns r, a logarithm log(1 + x) that a table computed, or the correct logarithm where r is NaN. r is also NaN for
// x >= 2^1023, for which 1 + x rounds to x.
template <int N>
__attribute__((noinline)) Vec<double, N> log_where_nan(Vec<double, N> r, Vec<double, N> x) {
  return select(r == r, r, log<Base::e>(one_plus(x)));
}

}  // namespace logarithm

template <int N>
SUANZI_INLINE Vec<double, N> log1p(Vec<double, N> x) {
  using namespace logarithm;
  if constexpr (has_table<double>) {
    const Sum<double, N> a = log1p_sum(x);
    const Vec<double, N> r = small_or(x, a.s + a.low);
    return __builtin_expect(any_unequal(r, r), 0) ? log_where_nan(r, x) : r;
  } else {
    const Mask<8, N> ordinary = (x > Vec<double, N>(-1.0)) & (x < Vec<double, N>(0x1p1000));
    return __builtin_expect(any(~ordinary), 0) ? log1p_extreme(x) : log1p_finite(x);
  }
}

// The functions for float32.
namespace logarithm {

template <Base base, int N>
SUANZI_INLINE Quick<N> log_by_doubles(Vec<float, N> x) {
  const Binary<N> b = split_exponent(convert<double>(x));
  const Vec<double, N> s = short_series(b.m - Vec<double, N>(1.0));
  Vec<double, N> r;
  if constexpr (base == Base::e) r = mul_add(b.k, Vec<double, N>(c::ln2_hi), s);
  if constexpr (base == Base::two) r = mul_add(s, Vec<double, N>(c::log2_e), b.k);
  if constexpr (base == Base::ten)
    r = mul_add(s, Vec<double, N>(c::log10_e_hi), b.k * Vec<double, N>(c::log10_2_short + c::log10_2_rest));
  return round_between<short_bits>(r, x, 0.0f, __builtin_inff());
}

template <int N>
SUANZI_INLINE Quick<N> log1p_by_doubles(Vec<float, N> x) {
  Quick<N> found = round_between<short_bits>(short_log1p(convert<double>(x)), x, -1.0f, __builtin_inff());
  found.value = or_bits(found.value, sign_bit(x));
  return found;
}

template <Base base>
struct Log {
  static constexpr bool full_width = has_table<float>;
  static constexpr HardCases hard_cases = base == Base::e     ? coefficients::hard_log
                                          : base == Base::two ? coefficients::hard_log2
                                                              : coefficients::hard_log10;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (full_width) {
      return round_sum<base>(log_sum<base>(x), x);
    } else {
      return log_by_doubles<base>(x);
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return log<base>(x);
  }
};

struct Log1p {
  static constexpr bool full_width = has_table<float>;
  static constexpr HardCases hard_cases = coefficients::hard_log1p;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (full_width) {
      Ends<N> found = round_sum<Base::e>(log1p_sum(x), one_plus(x));
      found.value = small_or(x, found.value);
      return found;
    } else {
      return log1p_by_doubles(x);
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return log1p(x);
  }
};

}  // namespace logarithm

#define SUANZI_LOGARITHM(name, base)                    \
  template <int N>                                      \
  SUANZI_INLINE Vec<double, N> name(Vec<double, N> x) { \
    return logarithm::log<logarithm::Base::base>(x);    \
  }                                                     \
  SUANZI_ROUNDED_CORRECTLY(name, logarithm::Log<logarithm::Base::base>)
SUANZI_LOGARITHM(log, e)
SUANZI_LOGARITHM(log2, two)
SUANZI_LOGARITHM(log10, ten)
#undef SUANZI_LOGARITHM

SUANZI_ROUNDED_CORRECTLY(log1p, logarithm::Log1p)

}  // namespace suanzi::SUANZI_LEVEL::math
