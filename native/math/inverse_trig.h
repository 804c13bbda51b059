// Inverse trigonometric functions: asin, acos, atan, atan2.
//
// One polynomial each for asin on [0, 1/2] and for atan near 0; the half-angle formula and the subtraction formulas
// bring the rest there. float32 is computed in double; float64 adds the error of each step to the correction term.
#pragma once

#include "math/coefficients/trig.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace inverse_trig {

inline constexpr double quarter_pi = coefficients::quarter_pi_hi + coefficients::quarter_pi_lo;

template <int N>
struct HalfAngle {
  Mask<8, N> big;             // |x| > 1/2
  Vec<double, N> root, tail;  // asin(|x|), or where big, asin(sqrt((1 - |x|) / 2)): root + tail
};

// float64: asin(|x|) = pi / 2 - 2 asin(sqrt((1 - |x|) / 2)).
template <int N>
SUANZI_INLINE HalfAngle<N> half_angle(Vec<double, N> a) {
  const Vec<double, N> half(0.5), zero(0.0);
  const Mask<8, N> big = a > half;
  const Vec<double, N> z = select(big, (Vec<double, N>(1.0) - a) * half, a * a);
  const Vec<double, N> s = sqrt(z);
  // The error of the root is (z - s^2) / (2 s); single precision is enough for the divisor.
  const Vec<float, N> divisor = convert<float>(s + s + Vec<double, N>(0x1p-100));
  const Vec<double, N> s_lo = -product_error(s, s, z) * convert<double>(Vec<float, N>(1.0f) / divisor);
  const Vec<double, N> root = select(big, s, a);
  const Vec<double, N> tail = mul_add(root * z, polynomial(z, coefficients::asin_tail), select(big, s_lo, zero));
  return {big, root, tail};
}

// offset.hi + root + offset.lo + tail, where |offset.hi| >= |root| or offset.hi = 0.
template <int N>
SUANZI_INLINE Vec<double, N> combine(DoubleDouble<N> offset, Vec<double, N> root, Vec<double, N> tail) {
  const DoubleDouble<N> s = fast_two_sum(offset.hi, root);
  return s.hi + (s.lo + (offset.lo + tail));
}

// count * pi / 4 for small integers.
template <int N>
SUANZI_INLINE DoubleDouble<N> quarters(Vec<double, N> count) {
  return {count * Vec<double, N>(coefficients::quarter_pi_hi), count * Vec<double, N>(coefficients::quarter_pi_lo)};
}

// count * pi / 4 + atan(numerator / denominator), with the sign bit of `sign` before the arctangent, for quotients of
// at most 1/2.
template <int N>
SUANZI_INLINE Vec<double, N> atan_of_quotient(Vec<double, N> numerator, DoubleDouble<N> denominator,
                                              Vec<double, N> count, Vec<double, N> sign) {
  const Vec<double, N> inverse = Vec<double, N>(1.0) / denominator.hi;
  const Vec<double, N> t = numerator * inverse;
  const Vec<double, N> rest = product_error(t, denominator.hi, numerator) + t * denominator.lo;
  const Vec<double, N> z = t * t;
  const Vec<double, N> t_lo = -(rest * inverse);
  // atan'(t) = 1 / (1 + t^2)
  const Vec<double, N> tail = mul_add(t * z, polynomial(z, coefficients::atan_tail), mul_add(-t_lo, z, t_lo));
  return combine(quarters(count), xor_bits(t, sign), xor_bits(tail, sign));
}

// x, or the bound where x is beyond it; NaN stays.
template <int N>
SUANZI_INLINE Vec<double, N> at_most(Vec<double, N> x, double bound) {
  return min(Vec<double, N>(bound), x);
}
template <int N>
SUANZI_INLINE Vec<double, N> at_least(Vec<double, N> x, double bound) {
  return max(Vec<double, N>(bound), x);
}

// The larger and the smaller of |y| and |x|, and where the angle of (x, y) lies.
template <int N>
struct Octant {
  Vec<double, N> small, large;
  Mask<8, N> steep, left;  // |y| > |x|; x has its sign bit set
};

template <int N>
SUANZI_INLINE Octant<N> octant(Vec<double, N> y, Vec<double, N> x) {
  const Vec<double, N> ay = abs(y), ax = abs(x);
  // In this order NaN in either operand ends up in one of the two.
  return {min(ay, ax), max(ax, ay), ay > ax, bit_cast<int64_t>(x) < Vec<int64_t, N>(int64_t(0))};
}

// The angle of (x, y), y >= 0, from its octant: atan(small / large), or pi / 4 + atan((small - large) / (small +
// large)) for quotients above 1/2, then mirrored at pi / 4 and pi / 2.
template <int N>
SUANZI_INLINE Vec<double, N> angle(Octant<N> o) {
  const Vec<double, N> zero(0.0), one(1.0);
  const Mask<8, N> middle = o.small + o.small > o.large;
  const Vec<double, N> numerator = select(middle, o.small - o.large, o.small);  // exact (Sterbenz)
  const DoubleDouble<N> sum = fast_two_sum(o.large, o.small);
  const DoubleDouble<N> denominator = {select(middle, sum.hi, o.large), select(middle, sum.lo, zero)};
  Vec<double, N> count = select(middle, one, zero);
  count = select(o.steep, Vec<double, N>(2.0) - count, count);
  count = select(o.left, Vec<double, N>(4.0) - count, count);
  const Vec<double, N> sign = select(o.steep ^ o.left, Vec<double, N>(-0.0), zero);
  return atan_of_quotient(numerator, denominator, count, sign);
}

// The same in one double, for float32 operands; here the middle begins at tan(pi / 8).
template <int N>
SUANZI_INLINE Vec<double, N> short_angle(Octant<N> o) {
  const Vec<double, N> zero(0.0), one(1.0);
  const Mask<8, N> middle = o.small > o.large * Vec<double, N>(0.41421356);
  const Vec<double, N> t = select(middle, o.small - o.large, o.small) / select(middle, o.small + o.large, o.large);
  const Vec<double, N> first = t * polynomial(t * t, coefficients::atan_short);
  Vec<double, N> r = select(middle, first + Vec<double, N>(quarter_pi), first);
  r = select(o.steep, Vec<double, N>(2 * quarter_pi) - r, r);
  return select(o.left, Vec<double, N>(4 * quarter_pi) - r, r);
}

// Where a quotient or a remainder in `angle` may leave the range of normal numbers.
template <int N>
SUANZI_INLINE Mask<8, N> is_extreme(Octant<N> o) {
  return (o.small < Vec<double, N>(0x1p-900)) | (o.large > Vec<double, N>(0x1p500));
}

// atan2 with extreme lanes: zeros, infinities, the very large and the very small. The others come out as always.
template <int N>
__attribute__((noinline)) Vec<double, N> atan2_extreme(Vec<double, N> y, Vec<double, N> x) {
  const Vec<double, N> zero(0.0), one(1.0), infinity(__builtin_inf());
  Octant<N> o = octant(y, x);
  const Mask<8, N> extreme = is_extreme(o), infinite = o.large == infinity;
  o.small = select(infinite, select(o.small == infinity, one, o.small * zero), o.small);
  o.large = select(infinite | (o.large == zero), one, o.large);
  const Vec<double, N> quotient = o.small / o.large;
  const Mask<8, N> tiny = quotient < Vec<double, N>(0x1p-60);
  // Bring `large` to [2, 4), a denormal to 2^-51 at least.
  const Vec<int64_t, N> exponent =
      bit_cast<int64_t>(at_least(o.large, 0x1p-1022)) & Vec<int64_t, N>(int64_t(0x7ff) << 52);
  const Vec<double, N> power = bit_cast<double>(Vec<int64_t, N>(int64_t(2047) << 52) - exponent);
  const Vec<double, N> scale = select(extreme, power, one);
  o.small = o.small * scale;
  o.large = o.large * scale;
  const Mask<8, N> is_quotient = extreme & tiny & ~o.steep & ~o.left;
  return xor_bits(select(is_quotient, quotient, angle(o)), sign_bit(y));
}

// float32: asin(|x|) = |x| ratio, or pi / 2 - root ratio where big.
template <int N>
struct ShortHalfAngle {
  Mask<8, N> big;
  Vec<double, N> a, root, ratio;  // |x|; sqrt(2 - 2 a); asin(r) / r at r = a, or at root / 2 where big
};

template <int N>
SUANZI_INLINE ShortHalfAngle<N> short_half_angle(Vec<double, N> a) {
  const Mask<8, N> big = a > Vec<double, N>(0.5);
  const Vec<double, N> twice = Vec<double, N>(2.0) - (a + a);
  const Vec<double, N> z = select(big, twice * Vec<double, N>(0.25), a * a);
  return {big, a, sqrt(twice), polynomial(z, coefficients::asin_short)};
}

}  // namespace inverse_trig

template <int N>
SUANZI_INLINE Vec<double, N> asin(Vec<double, N> x) {
  const auto h = inverse_trig::half_angle(abs(x));
  const Vec<double, N> count = select(h.big, 2.0, Vec<double, N>(0.0));
  const Vec<double, N> scale = select(h.big, -2.0, Vec<double, N>(1.0));
  return xor_bits(inverse_trig::combine(inverse_trig::quarters(count), h.root * scale, h.tail * scale), sign_bit(x));
}

template <int N>
SUANZI_INLINE Vec<double, N> acos(Vec<double, N> x) {
  const Vec<double, N> zero(0.0), one(1.0), two(2.0), four(4.0);
  const auto h = inverse_trig::half_angle(abs(x));
  const Vec<double, N> count = select(h.big, select(x < zero, four, zero), two);
  const Vec<double, N> scale = select(h.big, copysign(two, x), -copysign(one, x));
  return inverse_trig::combine(inverse_trig::quarters(count), h.root * scale, h.tail * scale);
}

// atan for |x| <= 1/2; up to 2: pi / 4 + atan((x - 1) / (x + 1)), where x - 1 is exact; beyond: pi / 2 + atan(-1 / x).
template <int N>
SUANZI_INLINE Vec<double, N> atan(Vec<double, N> x) {
  const Vec<double, N> a = abs(x), zero(0.0), one(1.0), two(2.0);
  const Mask<8, N> middle = a > Vec<double, N>(0.5), big = a > two;
  const Vec<double, N> numerator = select(big, -1.0, select(middle, a - one, a));
  const DoubleDouble<N> sum = fast_two_sum(one, a);
  const DoubleDouble<N> denominator = {select(big, inverse_trig::at_most(a, 0x1p60), select(middle, sum.hi, one)),
                                       select(middle & ~big, sum.lo, zero)};
  const Vec<double, N> count = select(big, two, select(middle, one, zero));
  return xor_bits(inverse_trig::atan_of_quotient(numerator, denominator, count, zero), sign_bit(x));
}

// The angle of the point (x, y).
template <int N>
SUANZI_INLINE Vec<double, N> atan2(Vec<double, N> y, Vec<double, N> x) {
  const auto o = inverse_trig::octant(y, x);
  if (__builtin_expect(any(inverse_trig::is_extreme(o)), 0)) return inverse_trig::atan2_extreme(y, x);
  return xor_bits(inverse_trig::angle(o), sign_bit(y));
}

// float32.
namespace inverse_trig {

struct Asin {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_asin;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    const Vec<double, N> wide = convert<double>(x), zero(0.0), half_pi(2 * quarter_pi);
    const auto h = short_half_angle(abs(wide));
    const Vec<double, N> r = mul_add(select(h.big, -h.root, h.a), h.ratio, select(h.big, half_pi, zero));
    return round_quickly<42>(xor_bits(r, sign_bit(wide)));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return asin(x);
  }
};

struct Acos {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_acos;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    const Vec<double, N> wide = convert<double>(x), zero(0.0), half_pi(2 * quarter_pi), pi(4 * quarter_pi);
    const auto h = short_half_angle(abs(wide));
    const Vec<double, N> offset = select(h.big, select(wide < zero, pi, zero), half_pi);
    return round_quickly<42>(mul_add(select(h.big, copysign(h.root, wide), -wide), h.ratio, offset));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return acos(x);
  }
};

// |x| <= tan(pi / 8): atan(x); up to tan(3 pi / 8): pi / 4 + atan((x - 1) / (x + 1)); beyond: pi / 2 + atan(-1 / x).
struct Atan {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_atan;
  template <int N>
  static SUANZI_INLINE Quick<N> quick(Vec<float, N> x) {
    const Vec<double, N> wide = convert<double>(x), a = abs(wide), one(1.0), zero(0.0), half_pi(2 * quarter_pi);
    const Mask<8, N> small = a <= Vec<double, N>(0.41421356), big = a > Vec<double, N>(2.4142135);
    const Vec<double, N> numerator = select(big, -1.0, select(small, a, a - one));
    const Vec<double, N> denominator = select(big, a, select(small, one, a + one));
    const Vec<double, N> offset = select(big, half_pi, select(small, zero, Vec<double, N>(quarter_pi)));
    const Vec<double, N> t = numerator / denominator;
    const Vec<double, N> r = mul_add(t, polynomial(t * t, coefficients::atan_short), offset);
    return round_quickly<42>(xor_bits(r, sign_bit(wide)));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return atan(x);
  }
};

}  // namespace inverse_trig

SUANZI_ROUNDED_CORRECTLY(asin, inverse_trig::Asin)
SUANZI_ROUNDED_CORRECTLY(acos, inverse_trig::Acos)
SUANZI_ROUNDED_CORRECTLY(atan, inverse_trig::Atan)
template <int N>
SUANZI_INLINE Vec<float, N> atan2(Vec<float, N> y, Vec<float, N> x) {
  const Vec<double, N> wide_y = convert<double>(y);
  auto o = inverse_trig::octant(wide_y, convert<double>(x));
  // Bounds far outside float32 make quotients of two zeros or two infinities right.
  o.small = inverse_trig::at_most(o.small, 0x1p300);
  o.large = inverse_trig::at_least(inverse_trig::at_most(o.large, 0x1p300), 0x1p-300);
  return convert<float>(xor_bits(inverse_trig::short_angle(o), sign_bit(wide_y)));
}
template <class T>
inline constexpr int lanes_of_atan2 = vector_bytes / 8;

}  // namespace suanzi::SUANZI_LEVEL::math
