// Trigonometric functions: sin, cos, tan, of every finite argument.
//
// An argument is reduced by a multiple of pi or pi / 2: by Cody and Waite's method with pi in pieces where it is
// moderate; where it is huge, by multiplying with those digits of 1 / pi that do not contribute whole turns (Payne and
// Hanek 1983), which a table holds for each exponent or every sixteenth. float32 is computed in double; float64 carries
// the remainder as an unevaluated sum. A vector with a huge lane takes a function of its own, out of line, which keeps
// the usual path short.
#pragma once

#include "math/coefficients/trig.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace trig {

// Up to here the pieces of pi are enough; without fused multiply-adds their products with the quotient must be exact.
inline constexpr double moderate = Arch::fuses_multiply_add ? 0x1p29 : 0x1p20;

// For x >= 0.
template <class T, int N>
SUANZI_INLINE bool any_huge(Vec<T, N> x) {
  return __builtin_expect(any(x > Vec<T, N>(static_cast<T>(moderate))), 0);
}

// The lowest bit of each lane as a sign bit, and as a mask.
template <int N>
SUANZI_INLINE Vec<double, N> sign_if_odd(Vec<int64_t, N> n) {
  return bit_cast<double>(n << 63);
}
template <int N>
SUANZI_INLINE Mask<8, N> is_odd(Vec<int64_t, N> n) {
  return (n & Vec<int64_t, N>(int64_t(1))) != Vec<int64_t, N>(int64_t(0));
}

// The biased exponent of x >= 0 plus 1: modulo a power of two up to 1024, that is the exponent itself.
template <int N>
SUANZI_INLINE Vec<int64_t, N> exponent_modulo(Vec<double, N> x, int64_t modulus) {
  const auto biased = bit_cast<int64_t>(bit_cast<uint64_t>(x) >> 52);
  return (biased + Vec<int64_t, N>(int64_t(1))) & Vec<int64_t, N>(modulus - 1);
}

// x with the exponent e instead of its own.
template <int N>
SUANZI_INLINE Vec<double, N> with_exponent(Vec<double, N> x, Vec<int64_t, N> e) {
  const Vec<int64_t, N> kept(~(int64_t(0x7ff) << 52)), bias(int64_t(1023));
  return bit_cast<double>((bit_cast<int64_t>(x) & kept) | ((e + bias) << 52));
}

// float32: x + shift * unit = n * unit + r, where the unit is pi for sin and cos and pi / 2 for tan, and
// cos(x) = sin(x + pi / 2).
enum class Short { sin, cos, tan };
template <Short F>
inline constexpr double unit = (F == Short::tan ? 1 : 2) * coefficients::half_pi[0];
template <Short F>
inline constexpr double shift = F == Short::cos ? 0.5 : 0.0;

template <int N>
struct ShortRemainder {
  Vec<double, N> r;
  Vec<int64_t, N> n;  // its low bits
};

// A float32 below 2^29 comes no closer to a multiple of pi / 2 than about 2^-31, which leaves more than 45 good bits.
template <Short F, int N>
SUANZI_INLINE ShortRemainder<N> reduce_short(Vec<double, N> x) {
  const Vec<double, N> magic(round_magic);
  constexpr double inverse = F == Short::tan ? coefficients::inverse_half_pi : coefficients::inverse_pi;
  Vec<double, N> shifted, n;
  if constexpr (F == Short::cos) {
    shifted = mul_add(x, inverse, Vec<double, N>(shift<F>)) + magic;
    n = (shifted - magic) - Vec<double, N>(shift<F>);
  } else {
    shifted = mul_add(x, inverse, magic);
    n = shifted - magic;
  }
  // Negative constants, so that n = +0 takes -0 to -0.
  constexpr double scale = F == Short::tan ? -1 : -2;
  if constexpr (Arch::fuses_multiply_add) {
    const double (&c)[3] = coefficients::half_pi;
    return {mul_add(n, scale * c[1], mul_add(n, scale * c[0], x)), bit_cast<int64_t>(shifted)};
  } else {
    const double (&c)[4] = coefficients::half_pi_short;
    return {mul_add(n, scale * c[2], mul_add(n, scale * c[1], mul_add(n, scale * c[0], x))),
            bit_cast<int64_t>(shifted)};
  }
}

// The same for huge lanes too: with x = m 2^e the table has 2^e / pi.
template <Short F, int N>
SUANZI_INLINE ShortRemainder<N> reduce_huge_short(Vec<double, N> x) {
  const Vec<double, N> magic(round_magic), shift_by(shift<F>);
  const Vec<int64_t, N> e = exponent_modulo(abs(x), 128);
  const Vec<int64_t, N> row = F == Short::tan ? e + Vec<int64_t, N>(int64_t(1)) : e;
  const Vec<double, N> m = with_exponent(x, Vec<int64_t, N>(int64_t(0)));
  const DoubleDouble<N> p = two_prod(m, gather(coefficients::half_turns, row));
  const Vec<double, N> shifted = (p.hi + shift_by) + magic;
  const Vec<double, N> n = (shifted - magic) - shift_by;
  const Vec<double, N> fraction = mul_add(m, gather(coefficients::half_turns_rest, row), (p.hi - n) + p.lo);
  const Vec<double, N> r = mul_add(fraction, unit<F>, x - x);  // NaN for infinite x

  const Mask<8, N> huge = abs(x) > Vec<double, N>(moderate);
  const ShortRemainder<N> usual = reduce_short<F>(x);
  return {select(huge, r, usual.r), select(huge, bit_cast<int64_t>(shifted), usual.n)};
}

// tan(r) is a quotient of polynomials; a quarter turn away it is -1 / tan(r).
template <Short F, int N>
SUANZI_INLINE Vec<double, N> finish_short(ShortRemainder<N> a) {
  const Vec<double, N> z = a.r * a.r;
  Vec<double, N> magnitude;
  if constexpr (F == Short::tan) {
    const Vec<double, N> p = a.r * horner(z, coefficients::tan_numerator);
    const Vec<double, N> q = horner(z, coefficients::tan_denominator);
    const Mask<8, N> odd = is_odd(a.n);
    magnitude = select(odd, q, p) / select(odd, p, q);
  } else {
    magnitude = a.r * polynomial(z, coefficients::sin_short);
  }
  return xor_bits(magnitude, sign_if_odd(a.n));
}

template <Short F, int N>
__attribute__((noinline)) Vec<double, N> huge_short(Vec<double, N> x) {
  return finish_short<F>(reduce_huge_short<F>(x));
}

template <Short F, int N>
SUANZI_INLINE Quick<N> evaluate_short(Vec<float, N> x) {
  const Vec<double, N> wide = convert<double>(x);
  if (any_huge(abs(x))) return round_quickly<42>(huge_short<F>(wide));
  return round_quickly<42>(finish_short<F>(reduce_short<F>(wide)));
}

// float64: x = n * pi / 2 + r.hi + r.lo. The sum is accurate to 2^-64 relative, but where n * pi / 2 is very close to
// x, r.lo may exceed half an ulp of r.hi.
template <int N>
struct Remainder {
  DoubleDouble<N> r;
  Vec<int64_t, N> n;  // its low bits
};

// For x >= 0.
template <int N>
SUANZI_INLINE Remainder<N> reduce(Vec<double, N> x) {
  const Vec<double, N> shifted = mul_add(x, coefficients::inverse_half_pi, Vec<double, N>(round_magic));
  const Vec<double, N> n = shifted - Vec<double, N>(round_magic);
  if constexpr (Arch::fuses_multiply_add) {
    const double (&c)[3] = coefficients::half_pi;
    const Vec<double, N> t = mul_add(n, -c[0], x);  // exact: a multiple of 2^-53 below 1
    const DoubleDouble<N> p = two_prod(n, Vec<double, N>(-c[1]));
    const DoubleDouble<N> s = two_sum(t, p.hi);
    return {{s.hi, mul_add(n, -c[2], s.lo + p.lo)}, bit_cast<int64_t>(shifted)};
  } else {
    const double (&c)[4] = coefficients::half_pi_short;
    const Vec<double, N> t = mul_add(n, -c[0], x);
    const DoubleDouble<N> s = two_sum(t, n * Vec<double, N>(-c[1]));
    const DoubleDouble<N> u = two_sum(s.hi, n * Vec<double, N>(-c[2]));
    return {{u.hi, mul_add(n, -c[3], s.lo + u.lo)}, bit_cast<int64_t>(shifted)};
  }
}

// x modulo 4, from -2 to 2.
template <int N>
SUANZI_INLINE Vec<double, N> modulo_4(Vec<double, N> x) {
  return x - rint(x * Vec<double, N>(0.25)) * Vec<double, N>(4.0);
}

// The same for huge lanes too: with x = m 2^(16 k) the table has 2^(16 k) 2 / pi. A double comes no closer to a
// multiple of pi / 2 than 2^-61; the fraction is good to 2^-140.
template <int N>
SUANZI_INLINE Remainder<N> reduce_huge(Vec<double, N> x) {
  const Vec<double, N> magic(round_magic);
  const Vec<int64_t, N> e = exponent_modulo(x, 1024), in_step(int64_t(15));
  const Vec<double, N> m = with_exponent(x, e & in_step);
  const Vec<int64_t, N> row = bit_cast<int64_t>(bit_cast<uint64_t>(e & ~in_step) >> 2);
  const double* table = coefficients::quarter_turns;
  const DoubleDouble<N> p0 = two_prod(m, gather(table, row));
  const DoubleDouble<N> p1 = two_prod(m, gather(table + 1, row));
  const DoubleDouble<N> p2 = two_prod(m, gather(table + 2, row));
  const Vec<double, N> p3 = m * gather(table + 3, row);

  // s - n is exact: s is a multiple of 2^-51.
  const Vec<double, N> s = modulo_4(p0.hi) + modulo_4(p0.lo), h = modulo_4(p1.hi);
  const Vec<double, N> shifted = (s + h) + magic, n = shifted - magic;
  const DoubleDouble<N> u = two_sum(s - n, h), v = two_sum(u.hi, p1.lo), w = two_sum(v.hi, p2.hi);
  const DoubleDouble<N> fraction = {w.hi, (u.lo + v.lo) + (w.lo + (p2.lo + p3))};
  const Vec<double, N> unit_hi(coefficients::half_pi[0]), unit_lo(coefficients::half_pi[1]);
  const DoubleDouble<N> r = multiply(fraction, DoubleDouble<N>{unit_hi, unit_lo});

  const Mask<8, N> huge = x > Vec<double, N>(moderate);
  const Remainder<N> usual = reduce(x);
  return {{select(huge, r.hi + (x - x), usual.r.hi), select(huge, r.lo, usual.r.lo)},  // NaN for infinite x
          select(huge, bit_cast<int64_t>(shifted), usual.n)};
}

// sin(r) and cos(r) for |r| <= pi / 4, each a sum of a leading term and a correction of at most a tenth of it.
template <int N>
struct SinCos {
  DoubleDouble<N> sin, cos;
};

template <int N>
SUANZI_INLINE SinCos<N> sin_cos(DoubleDouble<N> r) {
  const Vec<double, N> one(1.0), half(0.5);
  const Vec<double, N> z = r.hi * r.hi;
  const Vec<double, N> z_lo = product_error(r.hi, r.hi, z);
  const Vec<double, N> s = polynomial(z, coefficients::sin_tail);
  const Vec<double, N> c = polynomial(z, coefficients::cos_tail);
  const Vec<double, N> w = one - half * z;
  const Vec<double, N> w_lo = (one - w) - half * z;
  const Vec<double, N> cubic = mul_add(z, s, z_lo * Vec<double, N>(coefficients::sin_tail[0]));
  const Vec<double, N> rest = mul_add(half, z_lo, r.hi * r.lo);
  return {{r.hi, mul_add(r.hi, cubic, r.lo * w)}, {w, w_lo + mul_add(z * z, c, -rest)}};
}

// sin(n * pi / 2 + r).
template <int N>
SUANZI_INLINE Vec<double, N> finish_sin(Remainder<N> a) {
  const SinCos<N> p = sin_cos(a.r);
  const Mask<8, N> odd = is_odd(a.n);
  const Vec<double, N> magnitude = select(odd, p.cos.hi, p.sin.hi) + select(odd, p.cos.lo, p.sin.lo);
  return xor_bits(magnitude, sign_if_odd(bit_cast<int64_t>(bit_cast<uint64_t>(a.n) >> 1)));
}

// tan(n * pi / 2 + r): sin / cos or -cos / sin, the quotient corrected by its remainder.
template <int N>
SUANZI_INLINE Vec<double, N> finish_tan(Remainder<N> a) {
  const SinCos<N> p = sin_cos(a.r);
  const DoubleDouble<N> s = fast_two_sum(p.sin.hi, p.sin.lo), c = fast_two_sum(p.cos.hi, p.cos.lo);
  const Mask<8, N> odd = is_odd(a.n);
  const DoubleDouble<N> n = {select(odd, c.hi, s.hi), select(odd, c.lo, s.lo)};
  const DoubleDouble<N> d = {select(odd, s.hi, c.hi), select(odd, s.lo, c.lo)};
  const Vec<double, N> inverse = Vec<double, N>(1.0) / d.hi;
  const Vec<double, N> t = n.hi * inverse;
  const Vec<double, N> rest = (n.lo - product_error(t, d.hi, n.hi)) - t * d.lo;
  return xor_bits(mul_add(rest, inverse, t), sign_if_odd(a.n));
}

// sin(x + Quarters * pi / 2) for x >= 0.
template <int Quarters, int N>
SUANZI_INLINE Vec<double, N> finish_shifted(Remainder<N> a) {
  a.n = a.n + Vec<int64_t, N>(int64_t(Quarters));
  return finish_sin(a);
}
template <int Quarters, int N>
__attribute__((noinline)) Vec<double, N> huge_sin(Vec<double, N> x) {
  return finish_shifted<Quarters>(reduce_huge(x));
}
template <int Quarters, int N>
SUANZI_INLINE Vec<double, N> shifted_sin(Vec<double, N> x) {
  if (any_huge(x)) return huge_sin<Quarters>(x);
  return finish_shifted<Quarters>(reduce(x));
}

template <int N>
__attribute__((noinline)) Vec<double, N> huge_tan(Vec<double, N> x) {
  return finish_tan(reduce_huge(x));
}

}  // namespace trig

// The float64 functions reduce |x|, which settles the sign of zero.
template <int N>
SUANZI_INLINE Vec<double, N> sin(Vec<double, N> x) {
  return xor_bits(trig::shifted_sin<0>(abs(x)), sign_bit(x));
}
template <int N>
SUANZI_INLINE Vec<double, N> cos(Vec<double, N> x) {
  return trig::shifted_sin<1>(abs(x));
}
template <int N>
SUANZI_INLINE Vec<double, N> tan(Vec<double, N> x) {
  const Vec<double, N> a = abs(x);
  if (trig::any_huge(a)) return xor_bits(trig::huge_tan(a), sign_bit(x));
  return xor_bits(trig::finish_tan(trig::reduce(a)), sign_bit(x));
}

// float32.
namespace trig {

struct Sin {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_sin;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    return evaluate_short<Short::sin>(x);
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return sin(x);
  }
};

struct Cos {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_cos;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    return evaluate_short<Short::cos>(x);
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return cos(x);
  }
};

struct Tan {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_tan;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    return evaluate_short<Short::tan>(x);
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return tan(x);
  }
};

}  // namespace trig

SUANZI_ROUNDED_CORRECTLY(sin, trig::Sin)
SUANZI_ROUNDED_CORRECTLY(cos, trig::Cos)
SUANZI_ROUNDED_CORRECTLY(tan, trig::Tan)

}  // namespace suanzi::SUANZI_LEVEL::math
