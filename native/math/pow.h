// pow(x, y), x to the power of y, for float32 and float64, with the special cases of C99 (annex F.9.4.4).
//
// |x|^y = e^(y log |x|). In float64, log |x| is known to about 2^-64, so that y log |x| may come close to the limits of
// the exponent without the result losing a bit, and powers that are doubles themselves come out exact. In float32, the
// power is computed in float64 to about 2^-43 and rounded to 42 bits: a power that lies halfway between two float32
// numbers becomes exact, and is then rounded to even as it should be. The sign of a negative x comes from the parity of
// y.
#pragma once

#include "math/coefficients/pow.h"
#include "math/exp.h"
#include "math/short_reduction.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace power {

namespace c = suanzi::coefficients;

// x = 2^k m with m from `least`, below 1, to twice that.
template <int N>
struct Binary {
  Vec<double, N> k, m;
};

// For a positive normal x. Others get a meaningless k and an m in range.
template <int N>
SUANZI_INLINE Binary<N> split_exponent(Vec<double, N> x, double least) {
  using Bits = Vec<uint64_t, N>;
  constexpr uint64_t one = 0x3ff0000000000000, magic = 0x4330000000000000, mantissa = 0x000fffffffffffff;
  const Bits start = bit_cast<uint64_t>(Vec<double, N>(least));
  const Bits bits = bit_cast<uint64_t>(x) + (Bits(one) - start);
  // An integer in the low bits of 2^52 is a double already.
  const Vec<double, N> k = bit_cast<double>((bits >> 52) | Bits(magic)) - Vec<double, N>(0x1p52 + 1023);
  return {k, bit_cast<double>((bits & Bits(mantissa)) + start)};
}

// log(x) for finite x > 0: that of 2^k c from a table of 32 middles c, and a series in r = m / c - 1, of which the
// first two terms are carried exactly. 1 is a middle itself, so that nothing cancels near it.
template <int N>
SUANZI_INLINE DoubleDouble<N> log_parts(Vec<double, N> x) {
  using V = Vec<double, N>;
  const Mask<8, N> denormal = x < V(0x1p-1022);
  const Binary<N> b = split_exponent(select(denormal, x * V(0x1p54), x), c::pow_table_start);
  const V k = select(denormal, b.k - V(54.0), b.k);
  const Vec<uint64_t, N> start = bit_cast<uint64_t>(V(c::pow_table_start));
  const Vec<uint64_t, N> cell = (bit_cast<uint64_t>(b.m) - start) >> 47;
  const DoubleDouble<N> quotient = two_prod(b.m, lookup(c::pow_table_inverse, cell));
  const V r = quotient.hi - V(1.0);

  const V table_hi = mul_add(k, V(c::ln2_short), lookup(c::pow_table_log_hi, cell));  // exact
  const V table_lo = mul_add(k, V(c::ln2_rest), lookup(c::pow_table_log_lo, cell));
  const DoubleDouble<N> first = fast_two_sum(table_hi, r);
  const V negative_half = r * V(-0.5), term = r * negative_half;
  const DoubleDouble<N> second = fast_two_sum(first.hi, term);
  const V square = r * r, series = square * (r * polynomial(r, c::pow_log1p_tail));
  // quotient.lo / (1 + r) to 18 bits, and table_lo.
  const V corrections = mul_add(square - r, quotient.lo, quotient.lo + table_lo);
  const V errors = first.lo + second.lo + product_error(r, negative_half, term);
  return fast_two_sum(second.hi, (errors + corrections) + series);
}

// |x|^y for finite y and finite x other than 0.
template <int N>
SUANZI_INLINE Vec<double, N> magnitude(Vec<double, N> x, Vec<double, N> y) {
  const DoubleDouble<N> log = log_parts(abs(x));
  // Without fused multiply-add the exact product must not overflow where the logarithm is 0. Any other is large enough
  // for this y.
  if constexpr (!Arch::fuses_multiply_add) y = clamp(y, -0x1p900, 0x1p900);
  const DoubleDouble<N> p = two_prod(y, log.hi);
  return exp_parts(p.hi, mul_add(y, log.lo, p.lo));
}

// log2 |x| to about 2^-50 and 2^y to about 2^-46, for values that come from float32; |y| < 2^47 or 1000.
template <int N>
SUANZI_INLINE Vec<double, N> short_log2(Vec<double, N> x) {
  if constexpr (Arch::looks_up_in_registers) {
    const short_reduction::Logarithm<N> a = short_reduction::logarithm(x);
    return mul_add(a.r, polynomial(a.r, c::short_log2_1p), a.log2_c);
  } else {
    const Binary<N> b = split_exponent(abs(x), 0x1.6a09ep-1);
    const Vec<double, N> one(1.0), s = (b.m - one) / (b.m + one);
    return b.k + s * polynomial(s * s, c::pow_log2);
  }
}
template <int N>
SUANZI_INLINE Vec<double, N> short_exp2(Vec<double, N> y) {
  if constexpr (Arch::looks_up_in_registers) {
    const auto a = short_reduction::exponential(y, 1.0);
    return scale_by_floor(mul_add(a.fraction, a.m, a.fraction), a.k);
  } else {
    const exponential::BinaryReduced<N> a = exponential::reduce_binary(y, 1.0);
    return exponential::add_exponent(polynomial(a.r, c::exp2_short), a.shifted);
  }
}

// 2^y rounded to 42 bits, and then to float32.
template <int N>
SUANZI_INLINE Vec<float, N> round_power(Vec<double, N> y) {
  const Vec<uint64_t, N> half(uint64_t(1) << 10), kept(~uint64_t(0) << 11);
  return convert<float>(bit_cast<double>((bit_cast<uint64_t>(short_exp2(y)) + half) & kept));
}

// x is positive and finite.
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> is_positive(Vec<T, N> x) {
  return (x > Vec<T, N>(T(0))) & (x < Vec<T, N>(static_cast<T>(__builtin_inf())));
}

// r = x^y where x is positive and finite and y finite, which needs no further care.
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> is_ordinary(Vec<T, N> x, Vec<T, N> y) {
  return is_positive(x) & is_finite(y);
}

// x^y for any x and y, where r = |x|^y for the ordinary ones.
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

// Whether any x is not positive and finite, or exponent = y log2 |x| more than short_exp2 can take.
template <int N>
SUANZI_INLINE bool any_extreme(Vec<float, N> x, Vec<float, N> y, Vec<double, N> exponent) {
  // |log2 x| <= 149, and testing half as many bytes costs half as much.
  if constexpr (Arch::looks_up_in_registers) return any(~(is_positive(x) & (abs(y) < Vec<float, N>(0x1p39f))));
  return any(~(is_positive(convert<double>(x)) & (abs(exponent) < Vec<double, N>(1000.0))));
}

// x^y for any x and y, where exponent = y log2 |x| for the ordinary ones.
template <int N>
__attribute__((noinline)) Vec<float, N> pow_extreme(Vec<double, N> exponent, Vec<float, N> x, Vec<float, N> y) {
  return finish(round_power(clamp(exponent, -160.0, 140.0)), x, y);
}

}  // namespace power

template <int N>
SUANZI_INLINE Vec<double, N> pow(Vec<double, N> x, Vec<double, N> y) {
  const Vec<double, N> r = power::magnitude(x, y);
  if (__builtin_expect(any(~power::is_ordinary(x, y)), 0)) return power::finish(r, x, y);
  return r;
}

template <int N>
SUANZI_INLINE Vec<float, N> pow(Vec<float, N> x, Vec<float, N> y) {
  const Vec<double, N> exponent = convert<double>(y) * power::short_log2(convert<double>(x));
  if (__builtin_expect(power::any_extreme(x, y, exponent), 0)) return power::pow_extreme(exponent, x, y);
  return power::round_power(exponent);
}
template <class T>
inline constexpr int lanes_of_pow = vector_bytes / 8;

}  // namespace suanzi::SUANZI_LEVEL::math
