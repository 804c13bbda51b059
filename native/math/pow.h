// The function pow(x, y), x to the power of y, for float32 and float64, with the special cases of C99 (annex F.9.4.4).
//
// |x|^y = e^(y log |x|). In float64, the relative error of log |x| is about 2^-64. Even if y log |x| is close to the
// limits of the exponent, the result is therefore within 1 ulp, and powers that are doubles are exact. float32 is
// rounded correctly. A quick algorithm in float64 decides most lanes, and the float64 function decides most of the
// remaining lanes. Double-double arithmetic decides lanes whose result is too close to the middle of two float32
// numbers. The parity of y determines the sign for a negative x.
#pragma once

#include "math/coefficients/pow.h"
#include "math/exp.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace power {

namespace c = suanzi::coefficients;

template <int N>
SUANZI_INLINE DoubleDouble<N> ln2() {
  return {Vec<double, N>(c::ln2_hi), Vec<double, N>(c::ln2_lo)};
}

// The splitting x = 2^k m with m from `least`, which is below 1, to twice `least`.
template <int N>
struct Binary {
  Vec<double, N> k, m;
};

// Returns the splitting of x from 2^-1022 to 2^1023. For any other x, k is meaningless and m is in range.
template <int N>
SUANZI_INLINE Binary<N> split_exponent(Vec<double, N> x, double least) {
  using Bits = Vec<uint64_t, N>;
  constexpr uint64_t one = 0x3ff0000000000000, magic = 0x4330000000000000, mantissa = 0x000fffffffffffff;
  const Bits start = bit_cast<uint64_t>(Vec<double, N>(least));
  const Bits bits = bit_cast<uint64_t>(x) + (Bits(one) - start);
  const Vec<double, N> m = bit_cast<double>((bits & Bits(mantissa)) + start);
  if constexpr (Arch::looks_up_in_registers) return {exponent(bit_cast<double>(bits)), m};
  // The bits of 2^52 with an integer in the low bits are the double 2^52 plus the integer.
  return {bit_cast<double>((bits >> 52) | Bits(magic)) - Vec<double, N>(0x1p52 + 1023), m};
}

// Returns log(2^k m), for m from pow_table_start to twice pow_table_start, with a relative error of 2^-63.9. The result
// is the logarithm of 2^k c from a table of 32 middles c, plus a series in r = m / c - 1, where |r| < 1/64. The code
// adds the first two terms of the series exactly. The number 1 is a middle itself, so the terms of a logarithm near 1
// do not cancel.
template <int N>
SUANZI_INLINE DoubleDouble<N> log_parts(Binary<N> b) {
  using V = Vec<double, N>;
  const Vec<uint64_t, N> start = bit_cast<uint64_t>(V(c::pow_table_start));
  const Vec<uint64_t, N> cell = (bit_cast<uint64_t>(b.m) - start) >> 47;
  const DoubleDouble<N> quotient = two_prod(b.m, lookup(c::pow_table_inverse, cell));
  const V r = quotient.hi - V(1.0);

  const V table_hi = mul_add(b.k, V(c::ln2_short), lookup(c::pow_table_log_hi, cell));  // exact
  const V table_lo = mul_add(b.k, V(c::ln2_rest), lookup(c::pow_table_log_lo, cell));
  const DoubleDouble<N> first = fast_two_sum(table_hi, r);
  const V negative_half = r * V(-0.5), term = r * negative_half;
  const DoubleDouble<N> second = fast_two_sum(first.hi, term);
  // The corrections are quotient.lo / (1 + r) to 18 bits, and table_lo.
  const V corrections = mul_add(mul_add(r, r, -r), quotient.lo, quotient.lo + table_lo);
  const V errors = first.lo + second.lo + product_error(r, negative_half, term);
  return fast_two_sum(second.hi, mul_add(term, r * polynomial(r, c::pow_log1p_tail), errors + corrections));
}

// The power e^(hi + lo) = 2^floor(k) value, where the value is from 1 to 2 or, by rounding errors, just below 1.
template <int N>
struct Power {
  Vec<double, N> shifted;  // k + round_magic / 16
  Vec<double, N> k, value;
};

// Returns e^(hi + lo) for |hi| <= 800. k is a multiple of 1/16. For the fraction f of k, the table holds T, which is
// 2^f rounded, and log(2^f / T). The value is T e^r with a small r. The error is 0.53 ulp.
template <int N>
SUANZI_INLINE Power<N> exp_parts(Vec<double, N> hi, Vec<double, N> lo) {
  using V = Vec<double, N>;
  constexpr double magic = round_magic / 16;
  const V shifted = mul_add(hi, V(c::log2_e), V(magic)), k = shifted - V(magic);
  const Vec<uint64_t, N> entry = bit_cast<uint64_t>(shifted);
  const V exact = mul_add(k, V(-c::pow_ln2_short), hi);
  const V r = exact + mul_add(k, V(-c::pow_ln2_rest), lo + lookup(c::exp2_double_16_rest, entry));
  const V fraction = lookup(c::exp2_double_16, entry), m = mul_add(r * r, horner(r, c::pow_exp_tail), r);
  return {shifted, k, mul_add(fraction, m, fraction)};
}

// Returns y times `log`.
template <int N>
SUANZI_INLINE DoubleDouble<N> scaled_log(DoubleDouble<N> log, Vec<double, N> y) {
  // Without fused multiply-add, the exact product must not overflow if the logarithm is 0. Any other logarithm is large
  // enough for the bounded y.
  if constexpr (!Arch::fuses_multiply_add) y = clamp(y, -0x1p900, 0x1p900);
  const DoubleDouble<N> p = two_prod(y, log.hi);
  return {p.hi, mul_add(y, log.lo, p.lo)};
}

// Returns |x|^y for finite y and finite x other than 0.
template <int N>
SUANZI_INLINE Vec<double, N> magnitude(Vec<double, N> x, Vec<double, N> y) {
  using V = Vec<double, N>;
  const V a = abs(x);
  const Mask<8, N> tiny = a < V(0x1p-1022), huge = a >= V(0x1p1023);
  Binary<N> b = split_exponent(a * select(tiny, V(0x1p54), select(huge, V(0x1p-54), V(1.0))), c::pow_table_start);
  b.k = b.k + select(tiny, V(-54.0), select(huge, V(54.0), V(0.0)));
  const DoubleDouble<N> p = scaled_log(log_parts(b), y);
  const Power<N> power = exp_parts(clamp(p.hi, -800.0, 800.0), select(abs(p.hi) < V(800.0), p.lo, 0.0));
  return scale_by_floor(power.value, power.k);
}

// Returns true if x is positive and finite.
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> is_positive(Vec<T, N> x) {
  return (x > Vec<T, N>(T(0))) & (x < Vec<T, N>(static_cast<T>(__builtin_inf())));
}

// Returns x^y for any x and y. `r` is |x|^y for ordinary operands.
template <class T, int N>
SUANZI_INLINE Vec<T, N> finish(Vec<T, N> r, Vec<T, N> x, Vec<T, N> y) {
  using V = Vec<T, N>;
  const V zero(T(0)), one(T(1)), infinity(static_cast<T>(__builtin_inf())), nan(static_cast<T>(__builtin_nan("")));
  const V a = abs(x), half_y = y * V(T(0.5));
  const Mask<sizeof(T), N> is_integer = rint(y) == y, is_odd = is_integer & (rint(half_y) != half_y);
  const Mask<sizeof(T), N> grows = (a > one) ^ (y < zero);
  const Mask<sizeof(T), N> extreme = (a == zero) | (a == infinity) | (abs(y) == infinity);
  r = select(extreme, select(a == one, one, select(grows, infinity, zero)), r);
  r = select((x < zero) & (a < infinity) & ~is_integer, nan, r);
  r = select(is_odd, or_bits(r, sign_bit(x)), r);
  r = select(is_nan(x) | is_nan(y), nan, r);
  return select((x == one) | (y == zero), one, r);
}

template <int N>
__attribute__((noinline)) Vec<double, N> pow_extreme(Vec<double, N> x, Vec<double, N> y) {
  return finish(magnitude(x, y), x, y);
}

// The functions below are for float32. A lane is open if the quick algorithm does not decide the lane's result
// (rounding.h).

// Returns e^r - 1 with a relative error of about 2^-102, for |r| <= ln(2) / 2.
template <int N>
SUANZI_INLINE DoubleDouble<N> expm1_series(DoubleDouble<N> r) {
  constexpr int terms = sizeof(c::pow_factorial_hi) / sizeof(double);
  const auto coefficient = [](int i) {
    return DoubleDouble<N>{Vec<double, N>(c::pow_factorial_hi[i]), Vec<double, N>(c::pow_factorial_lo[i])};
  };
  DoubleDouble<N> sum = coefficient(terms - 1);
  for (int i = terms - 2; i >= 0; --i) sum = add(multiply(sum, r), coefficient(i));
  return multiply(sum, r);
}

// Returns log(x) with a relative error of about 2^-102, for x = 2^k m. One step of Newton's method, log(m) = a + (m
// e^-a - 1), improves the result a of log_parts, which is exact to 2^-64.
template <int N>
SUANZI_INLINE DoubleDouble<N> accurate_log(Vec<double, N> x) {
  const Binary<N> b = split_exponent(x, c::pow_table_start);
  const DoubleDouble<N> a = log_parts(Binary<N>{Vec<double, N>(0.0), b.m}),
                        inverse = expm1_series(DoubleDouble<N>{-a.hi, -a.lo});
  const DoubleDouble<N> step = add(multiply(inverse, b.m), b.m - Vec<double, N>(1.0));
  return add(multiply(ln2<N>(), b.k), add(a, step.hi));
}

// Returns |x|^y rounded to odd, for normal results of float32 operands.
//
// The error is below 2^-94. A result that seems closer than 2^-92 to a double is that double. Results may be the middle
// of two floats only if x is a power of two, or if y = n / 8 is below 16. The reason is that m^y must be an integer of
// at most 25 bits, where m is the odd part of x (as in Lauter and Lefevre, "An efficient rounding boundary test for
// pow(x, y) in double precision", 2009). A check of all powers with such a y shows that each power is either exact or
// 2^-59 away from any number of 25 bits. Among the about 2^60 other pairs with results in range, the pair closest to a
// middle is expected to be 2^-85 away from that middle.
template <int N>
__attribute__((noinline, cold)) Vec<double, N> magnitude_to_odd(Vec<double, N> x, Vec<double, N> y) {
  using V = Vec<double, N>;
  const DoubleDouble<N> p = multiply(accurate_log(abs(x)), y);
  const V k = round_to_integer(p.hi * V(c::log2_e)).value;
  DoubleDouble<N> e = add(expm1_series(add(p, multiply(ln2<N>(), -k))), V(1.0));
  e.lo = select(abs(e.lo) < V(0x1p-92), 0.0, e.lo);
  return scale_by_power_of_two(round_to_odd(e), k);
}

// Returns log2 |x| with a relative error of about 2^-45, for a normal x. The function uses a table if tables fit in
// registers.
template <int N>
SUANZI_INLINE Vec<double, N> short_log2(Vec<double, N> x) {
  const Vec<double, N> one(1.0);
  if constexpr (Arch::looks_up_in_registers) {
    using Bits = Vec<uint64_t, N>;
    const Bits bits = bit_cast<uint64_t>(x), cell = bits >> 48;
    const Vec<double, N> m = bit_cast<double>((bits & Bits(0x000fffffffffffff)) | bit_cast<uint64_t>(one));
    const Vec<double, N> r = mul_add(m, lookup(c::pow_short_inverse, cell), -one);
    return mul_add(r, polynomial(r, c::pow_short_log2), exponent(x) + lookup(c::pow_short_log2_c, cell));
  } else {
    const Binary<N> b = split_exponent(x, 0x1.6a09ep-1);
    const Vec<double, N> s = (b.m - one) / (b.m + one);
    return mul_add(s, polynomial(s * s, c::pow_log2), b.k);
  }
}

// Returns 2^y = 2^k 2^r with a relative error of about 2^-38, for |y| < 1000. k is a multiple of 1/16, or an integer if
// the level has no tables.
template <int N>
SUANZI_INLINE Vec<double, N> short_exp2(Vec<double, N> y) {
  constexpr double magic = Arch::looks_up_in_registers ? round_magic / 16 : round_magic;
  const Vec<double, N> shifted = y + Vec<double, N>(magic), r = y - (shifted - Vec<double, N>(magic));
  if constexpr (Arch::looks_up_in_registers) {
    // The fraction of k selects a number of the table. The table's numbers are smaller by the amount that the fraction
    // adds to their bits.
    const Vec<uint64_t, N> k = bit_cast<uint64_t>(shifted);
    const Vec<double, N> power = bit_cast<double>(bit_cast<uint64_t>(lookup(c::pow_short_power, k)) + (k << 48));
    return mul_add(power * r, horner(r, c::pow_short_exp2m1), power);
  } else {
    return exponential::add_exponent(polynomial(r, c::pow_exp2), shifted);
  }
}

// Computes x^y for positive finite x and finite y. `quick` accepts other operands as well, and declares the lanes of
// such operands open.
struct Magnitude {
  static constexpr bool full_width = false;
  // The error of the exponent is below 126 * 2^-45.6, and the error of the power of two is below 2^-37.7. The sum of
  // the two errors is 2^-37.2 of the result. Without tables, the second error is 2^-40.2 and the first is negligible.
  static constexpr int bits = Arch::looks_up_in_registers ? 37 : 40;
  // Lanes are open if their results may not be normal.
  template <int N>
  static SUANZI_INLINE QuickInDouble<N> quick(Vec<float, N> x, Vec<float, N> y) {
    const Vec<double, N> wide = convert<double>(x), exponent = convert<double>(y) * short_log2(wide);
    const Vec<double, N> r = short_exp2(exponent);
    const Mask<8, N> in_range = is_positive(wide) & (abs(exponent) < Vec<double, N>(126.0));
    return {convert<float>(r), select(in_range, sure_bits<bits>(r), Vec<uint64_t, N>(uint64_t{0}))};
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x, Vec<double, N> y) {
    // Lanes with infinity or NaN are not near a middle, because the comparison is false for these lanes.
    const Vec<double, N> r = magnitude(x, y), error = r * Vec<double, N>(0x1p-51);
    const Mask<4, N> near_middle = convert<float>(r - error) < convert<float>(r + error);
    if (!any(near_middle)) return r;
    return select(convert_mask<double>(near_middle), magnitude_to_odd(x, y), r);
  }
};

// Returns x^y for a vector with open lanes. In lanes that are not ordinary, the function computes 1^1, so that these
// lanes are not open again.
template <int N>
__attribute__((noinline)) Vec<float, N> pow_open(Vec<float, N> x, Vec<float, N> y) {
  const Vec<float, N> a = abs(x), one(1.0f);
  const Mask<4, N> ordinary = is_positive(a) & is_finite(y);
  return finish(round_correctly<Magnitude>(select(ordinary, a, one), select(ordinary, y, one)), x, y);
}

}  // namespace power

template <int N>
SUANZI_INLINE Vec<double, N> pow(Vec<double, N> x, Vec<double, N> y) {
  using V = Vec<double, N>;
  using Bits = Vec<uint64_t, N>;
  const DoubleDouble<N> log = power::log_parts(power::split_exponent(x, power::c::pow_table_start));
  const DoubleDouble<N> p = power::scaled_log(log, y);
  // If x is positive, normal and not at the end of the range, and the result is normal, adding to the exponent bits
  // multiplies by 2^k.
  const Mask<8, N> ordinary = (x >= V(0x1p-1022)) & (x < V(0x1p1023)) & (abs(p.hi) < V(708.0));
  if (__builtin_expect(any(~ordinary), 0)) return power::pow_extreme(x, y);
  const power::Power<N> r = power::exp_parts(p.hi, p.lo);
  const Bits k = (bit_cast<uint64_t>(r.shifted) << 48) & Bits(uint64_t{0xfff} << 52);
  return bit_cast<double>(bit_cast<uint64_t>(r.value) + k);
}

template <int N>
SUANZI_INLINE Vec<float, N> pow(Vec<float, N> x, Vec<float, N> y) {
  const auto found = power::Magnitude::quick(x, y);
  if (__builtin_expect(any_open(found), 0)) return power::pow_open(x, y);
  return found.value;
}
template <class T>
inline constexpr int lanes_of_pow = lanes_of<power::Magnitude, T>;

}  // namespace suanzi::SUANZI_LEVEL::math
