// The trigonometric functions sin, cos and tan of every finite argument.
//
// An argument is reduced by a multiple of pi or pi / 2. Moderate arguments use Cody and Waite's method with pi in
// pieces. Huge arguments are multiplied only by the digits of 1 / pi that do not contribute whole turns (Payne and
// Hanek 1983). A table holds these digits for each exponent or for every sixteenth exponent. float32 is computed in
// float64. float64 keeps the remainder as an unevaluated sum. A separate function, out of line, computes vectors with a
// huge lane, so the usual path stays short.
#pragma once

#include "math/coefficients/trig.h"
#include "math/rounding.h"
#include "simd/codes.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace trig {

// Below the bound `moderate`, the reduction by the pieces of pi is accurate enough. Without fused multiply-adds, the
// products of the pieces and the quotient must be exact.
inline constexpr double moderate = Arch::fuses_multiply_add ? 0x1p29 : 0x1p20;

// Returns true if a lane of x >= 0 is huge, which means at least `moderate`. NaN counts as huge.
template <int N>
SUANZI_INLINE bool any_huge(Vec<double, N> x) {
  return __builtin_expect(any_not_less(x, Vec<double, N>(moderate)), 0);
}

// sign_if_odd returns the lowest bit of each lane as a sign bit. is_odd returns this bit as a mask.
template <int N>
SUANZI_INLINE Vec<double, N> sign_if_odd(Vec<int64_t, N> n) {
  return bit_cast<double>(n << 63);
}
template <int N>
SUANZI_INLINE Mask<8, N> is_odd(Vec<int64_t, N> n) {
  return (n & Vec<int64_t, N>(int64_t(1))) != Vec<int64_t, N>(int64_t(0));
}

// Returns the exponent of x >= 0 modulo a power of two of at most 1024. The code adds 1 to the biased exponent, which
// is the exponent plus 1023, so the sum is congruent to the exponent.
template <int N>
SUANZI_INLINE Vec<int64_t, N> exponent_modulo(Vec<double, N> x, int64_t modulus) {
  const auto biased = bit_cast<int64_t>(bit_cast<uint64_t>(x) >> 52);
  return (biased + Vec<int64_t, N>(int64_t(1))) & Vec<int64_t, N>(modulus - 1);
}

// Returns x with the exponent e instead of the exponent of x.
template <int N>
SUANZI_INLINE Vec<double, N> with_exponent(Vec<double, N> x, Vec<int64_t, N> e) {
  const Vec<int64_t, N> kept(~(int64_t(0x7ff) << 52)), bias(int64_t(1023));
  return bit_cast<double>((bit_cast<int64_t>(x) & kept) | ((e + bias) << 52));
}

// The reduction for float32 is x + shift * unit = n * unit + r. The unit is pi for sin and cos, and pi / 2 for tan.
// cos(x) is sin(x + pi / 2).
enum class Short { sin, cos, tan };
template <Short F>
inline constexpr double unit = (F == Short::tan ? 1 : 2) * coefficients::half_pi[0];
template <Short F>
inline constexpr double shift = F == Short::cos ? 0.5 : 0.0;

template <int N>
struct ShortRemainder {
  Vec<double, N> r;
  Vec<int64_t, N> n;  // the low bits of n
};

// Reduces a float32 x. A float32 below 2^29 comes no closer to a multiple of pi / 2 than about 2^-31, so r has more
// than 45 correct bits.
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
  // The constants are negative, so that n = +0 maps -0 to -0.
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

// Reduces x in vectors with huge lanes. For x = m 2^e, the table holds 2^e / pi.
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

// Returns sin, cos or tan from a reduced argument. tan(r) is a quotient of polynomials. If n is odd, the angle is a
// quarter turn away from r, and the result is -1 / tan(r).
template <Short F, int N>
SUANZI_INLINE Vec<double, N> finish_short(ShortRemainder<N> a) {
  const Vec<double, N> z = a.r * a.r, r = xor_bits(a.r, sign_if_odd(a.n));
  if constexpr (F == Short::tan) {
    const Vec<double, N> p = r * horner(z, coefficients::tan_numerator);
    const Vec<double, N> q = horner(z, coefficients::tan_denominator);
    const Mask<8, N> odd = is_odd(a.n);
    return select(odd, q, p) / select(odd, p, q);
  } else {
    return r * horner(z, coefficients::sin_short);
  }
}

// Returns the quick result of sin, cos or tan. Huge lanes are open (rounding.h).
template <Short F, int N>
SUANZI_INLINE QuickInDouble<N, uint32_t> quick_short(Vec<float, N> x) {
  const auto lower = reduce_short<F>(convert<double>(half_of<0>(x)));
  const auto upper = reduce_short<F>(convert<double>(half_of<1>(x)));
  QuickInDouble<N, uint32_t> found = round_quickly<42>(finish_short<F>(lower), finish_short<F>(upper));
  found.sure = select(abs(x) <= Vec<float, N>(moderate), found.sure, 0);
  return found;
}

// Returns sin, cos or tan of vectors with huge lanes. This function is separate from its caller, a cold function,
// because a cold function is compiled for size.
template <Short F, int N>
__attribute__((noinline)) Vec<double, N> any_short(Vec<double, N> x) {
  return finish_short<F>(reduce_huge_short<F>(x));
}

// The reduction for float64 is x = n * pi / 2 + r.hi + r.lo. The relative error of the sum is 2^-64. Where n * pi / 2
// is very close to x, r.lo may exceed half an ulp of r.hi.
template <int N>
struct Remainder {
  DoubleDouble<N> r;
  Vec<int64_t, N> n;  // the low bits of n
};

// Reduces x >= 0, with `quarters` added to n, so that sin(x + quarters * pi / 2) costs no more than sin(x).
template <int N>
SUANZI_INLINE Remainder<N> reduce(Vec<double, N> x, int quarters = 0) {
  using V = Vec<double, N>;
  const V magic(round_magic + quarters), shifted = mul_add(x, coefficients::inverse_half_pi, magic);
  const V n = shifted - magic;
  if constexpr (Arch::fuses_multiply_add) {
    const double (&c)[3] = coefficients::half_pi;
    const V t = mul_add(n, -c[0], x);  // exact: a multiple of 2^-53 below 1
    const DoubleDouble<N> p = two_prod(n, V(-c[1])), s = two_sum(t, p.hi);
    return {{s.hi, mul_add(n, -c[2], s.lo + p.lo)}, bit_cast<int64_t>(shifted)};
  } else {
    const double (&c)[4] = coefficients::half_pi_short;
    const V t = mul_add(n, -c[0], x);
    const DoubleDouble<N> s = two_sum(t, n * V(-c[1]));
    const DoubleDouble<N> u = two_sum(s.hi, n * V(-c[2]));
    return {{u.hi, mul_add(n, -c[3], s.lo + u.lo)}, bit_cast<int64_t>(shifted)};
  }
}

// A reduction with fewer operations. The reduction is valid for lanes where bound < distance. These lanes are not huge.
// With fused multiply-adds, these lanes are also not so close to a multiple of pi / 2 that a difference is inexact.
template <int N>
struct QuickRemainder {
  Remainder<N> remainder;
  Vec<double, N> bound, distance;
};

template <int N>
SUANZI_INLINE QuickRemainder<N> reduce_quickly(Vec<double, N> x, int quarters) {
  using V = Vec<double, N>;
  if constexpr (Arch::fuses_multiply_add) {
    const double (&c)[3] = coefficients::half_pi;
    const V magic(round_magic + quarters), shifted = mul_add(x, coefficients::inverse_half_pi, magic);
    const V n = shifted - magic, t = mul_add(n, -c[0], x), hi = mul_add(n, -c[1], t);
    // t - hi is exact if |t| >= 2 n c[1], which is below 2^-53 x. Because the constant is negative, the reduction is
    // valid for x = 0, too.
    const V lo = mul_add(n, -c[2], mul_add(n, -c[1], t - hi));
    const V bound = max(x - V(moderate), mul_add(x, 0x1p-53, V(-0x1p-1000)));
    return {{{hi, lo}, bit_cast<int64_t>(shifted)}, bound, abs(t)};
  } else {
    return {reduce(x, quarters), x, V(moderate)};
  }
}

// Returns x modulo 4, from -2 to 2.
template <int N>
SUANZI_INLINE Vec<double, N> modulo_4(Vec<double, N> x) {
  return x - rint(x * Vec<double, N>(0.25)) * Vec<double, N>(4.0);
}

// Reduces vectors with huge lanes. For x = m 2^(16 k), the table holds 2^(16 k) 2 / pi. A double comes no closer to a
// multiple of pi / 2 than 2^-61, and the fraction is accurate to 2^-140.
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

  // s - n is exact, because s is a multiple of 2^-51.
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

// The numbers sin(r) and cos(r) for |r| <= pi / 4. Each number is the sum of a leading term and a correction of at most
// a tenth of the leading term.
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

// fused_sin returns sin(r) to 0.77 ulp, and fused_cos returns cos(r) to 0.94 ulp, with fused multiply-adds. The
// functions use sin(r) = r + r^3 s(r^2) and cos(r) = 1 + r^2 (-1/2 + r^2 c(r^2)). The low part r.lo contributes r.lo to
// the sine and 2 r.hi r.lo to the square. The error is greatest at pi / 4. For the sine, 0.15 ulp come from the factor
// cos(r) that r.lo lacks, and 0.1 ulp come from r^3 s. For the cosine, 0.25 ulp come from the square, and 0.16 ulp come
// from the square's factor.
template <int N>
SUANZI_INLINE Vec<double, N> fused_sin(DoubleDouble<N> r, Vec<double, N> z) {
  return r.hi + mul_add(r.hi * z, horner(z, coefficients::sin_tail), r.lo);
}
template <int N>
SUANZI_INLINE Vec<double, N> fused_cos(DoubleDouble<N> r, Vec<double, N> z) {
  const Vec<double, N> product = r.hi * r.lo, square = mul_add(r.hi, r.hi, product + product);
  return mul_add(square, mul_add(z, horner(z, coefficients::cos_tail), -0.5), 1.0);
}

// Returns |sin(n * pi / 2 + r)|, without the sign of r.
template <int N>
SUANZI_INLINE Vec<double, N> unsigned_sin(Remainder<N> a) {
  const Mask<8, N> odd = is_odd(a.n);
  if constexpr (Arch::fuses_multiply_add) {
    const Vec<double, N> z = a.r.hi * a.r.hi;
    return select(odd, fused_cos(a.r, z), fused_sin(a.r, z));
  } else {
    const SinCos<N> p = sin_cos(a.r);
    return select(odd, p.cos.hi, p.sin.hi) + select(odd, p.cos.lo, p.sin.lo);
  }
}

// Returns sin(n * pi / 2 + r). A set sign bit in `sign` changes the sign of the result.
template <int N>
SUANZI_INLINE Vec<double, N> finish_sin(Remainder<N> a, Vec<double, N> sign) {
  return xor_bits(unsigned_sin(a), sign_bit(xor_bits(bit_cast<double>(a.n << 62), sign)));
}

// Returns tan(n * pi / 2 + r), which is sin / cos or -cos / sin. The remainder of the division corrects the quotient.
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

// Returns sin(x + quarters * pi / 2) of vectors with lanes for which QuickRemainder is not valid. The result of a lane
// does not depend on the other lanes.
template <int N>
__attribute__((noinline)) Vec<double, N> hard_sin(Vec<double, N> x, int quarters, Vec<double, N> sign) {
  const QuickRemainder<N> quick = reduce_quickly(x, quarters);
  const Remainder<N> usual = quick.remainder, any = reduce_huge(x);
  const Vec<int64_t, N> n = any.n + Vec<int64_t, N>(int64_t{quarters});
  const Mask<8, N> easy = quick.bound < quick.distance;
  const DoubleDouble<N> r = {select(easy, usual.r.hi, any.r.hi), select(easy, usual.r.lo, any.r.lo)};
  return finish_sin(Remainder<N>{r, select(easy, usual.n, n)}, sign);
}
// Returns sin(x + quarters * pi / 2) for x >= 0.
template <int N>
SUANZI_INLINE Vec<double, N> shifted_sin(Vec<double, N> x, int quarters, Vec<double, N> sign) {
  const QuickRemainder<N> a = reduce_quickly(x, quarters);
  if (__builtin_expect(any_not_less(a.bound, a.distance), 0)) return hard_sin(x, quarters, sign);
  return finish_sin(a.remainder, sign);
}

template <int N>
__attribute__((noinline)) Vec<double, N> huge_tan(Vec<double, N> x) {
  return finish_tan(reduce_huge(x));
}

}  // namespace trig

// The float64 functions reduce |x|, so the sign of zero is correct.
template <int N>
SUANZI_INLINE Vec<double, N> sin(Vec<double, N> x) {
  return trig::shifted_sin(abs(x), 0, x);
}
template <int N>
SUANZI_INLINE Vec<double, N> cos(Vec<double, N> x) {
  return trig::shifted_sin(abs(x), 1, Vec<double, N>(0.0));
}
template <int N>
SUANZI_INLINE Vec<double, N> tan(Vec<double, N> x) {
  const Vec<double, N> a = abs(x);
  if (trig::any_huge(a)) return xor_bits(trig::huge_tan(a), sign_bit(x));
  return xor_bits(trig::finish_tan(trig::reduce(a)), sign_bit(x));
}

// The functions for float32.
namespace trig {

template <Short F>
struct Function {
  static constexpr bool full_width = true;
  static constexpr HardCases hard_cases = F == Short::sin   ? coefficients::hard_sin
                                          : F == Short::cos ? coefficients::hard_cos
                                                            : coefficients::hard_tan;
  template <int N>
  static SUANZI_INLINE QuickInDouble<N, uint32_t> quick(Vec<float, N> x) {
    return quick_short<F>(x);
  }
  // Most open lanes (rounding.h) are huge. The quick function for huge lanes decides the results of these lanes.
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    const Vec<double, N> r = any_short<F>(x);
    if (!any(round_quickly<42>(r).open)) return r;
    return F == Short::sin ? sin(x) : F == Short::cos ? cos(x) : tan(x);
  }
};
using Sin = Function<Short::sin>;
using Cos = Function<Short::cos>;
using Tan = Function<Short::tan>;

}  // namespace trig

SUANZI_ROUNDED_CORRECTLY(sin, trig::Sin)
SUANZI_ROUNDED_CORRECTLY(cos, trig::Cos)
SUANZI_ROUNDED_CORRECTLY(tan, trig::Tan)

}  // namespace suanzi::SUANZI_LEVEL::math
