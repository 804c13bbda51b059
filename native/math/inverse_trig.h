// The inverse trigonometric functions asin, acos, atan and atan2.
//
// The code approximates asin by a polynomial on [0, 1/2], and atan by a polynomial near 0. The half-angle formula and
// the subtraction formulas reduce all other arguments to these ranges. float64 adds the error of each step to the
// correction term. float32 is computed in float64. At levels whose registers hold small tables, atan and atan2 of
// float32 are instead sums of an arctangent from the table and a small arctangent. These sums are pairs of float32, in
// as many lanes as a register has floats.
#pragma once

#include "math/coefficients/trig.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace inverse_trig {

inline constexpr double quarter_pi = coefficients::quarter_pi_hi + coefficients::quarter_pi_lo;
inline constexpr int atan_terms = sizeof(coefficients::atan_series) / sizeof(double);

template <int N>
struct HalfAngle {
  Mask<8, N> big;             // |x| > 1/2
  Vec<double, N> root, tail;  // root + tail is asin(|x|), or asin(sqrt((1 - |x|) / 2)) if big is set
};

// Returns the reduction of a = |x| for float64 by asin(|x|) = pi / 2 - 2 asin(sqrt((1 - |x|) / 2)).
template <int N>
SUANZI_INLINE HalfAngle<N> half_angle(Vec<double, N> a) {
  const Vec<double, N> half(0.5), zero(0.0);
  const Mask<8, N> big = a > half;
  const Vec<double, N> z = select(big, (Vec<double, N>(1.0) - a) * half, a * a);
  const Vec<double, N> s = sqrt(z);
  // The error of the root is (z - s^2) / (2 s). Single precision is enough for the divisor.
  const Vec<float, N> divisor = convert<float>(s + s + Vec<double, N>(0x1p-100));
  const Vec<double, N> s_lo = -product_error(s, s, z) * convert<double>(Vec<float, N>(1.0f) / divisor);
  const Vec<double, N> root = select(big, s, a);
  const Vec<double, N> tail = mul_add(root * z, polynomial(z, coefficients::asin_tail), select(big, s_lo, zero));
  return {big, root, tail};
}

// Returns offset.hi + root + offset.lo + tail, where |offset.hi| >= |root| or offset.hi = 0.
template <int N>
SUANZI_INLINE Vec<double, N> combine(DoubleDouble<N> offset, Vec<double, N> root, Vec<double, N> tail) {
  const DoubleDouble<N> s = fast_two_sum(offset.hi, root);
  return s.hi + (s.lo + (offset.lo + tail));
}

// Returns count * pi / 4. `count` is a small integer.
template <int N>
SUANZI_INLINE DoubleDouble<N> quarters(Vec<double, N> count) {
  return {count * Vec<double, N>(coefficients::quarter_pi_hi), count * Vec<double, N>(coefficients::quarter_pi_lo)};
}

// Returns count * pi / 4 + atan(numerator / denominator) for quotients of at most 1/2. `sign` holds the sign bit of the
// arctangent.
template <int N>
SUANZI_INLINE Vec<double, N> atan_of_quotient(Vec<double, N> numerator, DoubleDouble<N> denominator,
                                              Vec<double, N> count, Vec<double, N> sign) {
  const Vec<double, N> inverse = Vec<double, N>(1.0) / denominator.hi;
  const Vec<double, N> t = numerator * inverse;
  const Vec<double, N> rest = product_error(t, denominator.hi, numerator) + t * denominator.lo;
  const Vec<double, N> z = t * t;
  const Vec<double, N> t_lo = -(rest * inverse);
  // The derivative of atan is 1 / (1 + t^2).
  const Vec<double, N> tail = mul_add(t * z, polynomial(z, coefficients::atan_tail), mul_add(-t_lo, z, t_lo));
  return combine(quarters(count), xor_bits(t, sign), xor_bits(tail, sign));
}

// Returns x, or the bound if x is greater. NaN stays NaN.
template <int N>
SUANZI_INLINE Vec<double, N> at_most(Vec<double, N> x, double bound) {
  return min(Vec<double, N>(bound), x);
}
template <int N>
SUANZI_INLINE Vec<double, N> at_least(Vec<double, N> x, double bound) {
  return max(Vec<double, N>(bound), x);
}

// The larger and the smaller of |y| and |x|, and the octant of the angle of (x, y).
template <class T, int N>
struct Octant {
  Vec<T, N> small, large;
  Mask<sizeof(T), N> steep, left;  // |y| > |x|, and the sign bit of x is set
};

template <class T, int N>
SUANZI_INLINE Octant<T, N> octant(Vec<T, N> y, Vec<T, N> x) {
  const Vec<T, N> ay = abs(y), ax = abs(x);
  // With this order of operands, a NaN in either operand reaches one of the two results.
  return {min(ay, ax), max(ax, ay), ay > ax, bit_cast<IntFor<T>>(x) < Vec<IntFor<T>, N>(IntFor<T>{0})};
}

// Returns the octant of the point (x, y), whose coordinates come from float32. Bounds far outside the range of float32
// make quotients of two zeros or two infinities correct.
template <int N>
SUANZI_INLINE Octant<double, N> finite_octant(Vec<double, N> y, Vec<double, N> x) {
  Octant<double, N> o = octant(y, x);
  o.small = at_most(o.small, 0x1p300);
  o.large = at_least(at_most(o.large, 0x1p300), 0x1p-300);
  return o;
}

// Returns the angle of (x, y), y >= 0, from the octant. The function computes atan(small / large), or pi / 4 +
// atan((small - large) / (small + large)) for quotients above 1/2. The function then mirrors the angle at pi / 4 and at
// pi / 2.
template <int N>
SUANZI_INLINE Vec<double, N> angle(Octant<double, N> o) {
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

// Returns the angle of the octant's point in one double, for float32 operands. The function uses the second formula of
// `angle` for quotients above tan(pi / 8).
template <int N>
SUANZI_INLINE Vec<double, N> short_angle(Octant<double, N> o) {
  const Vec<double, N> zero(0.0), one(1.0);
  const Mask<8, N> middle = o.small > o.large * Vec<double, N>(0.41421356);
  const Vec<double, N> t = select(middle, o.small - o.large, o.small) / select(middle, o.small + o.large, o.large);
  const Vec<double, N> first = t * polynomial(t * t, coefficients::atan_short);
  Vec<double, N> r = select(middle, first + Vec<double, N>(quarter_pi), first);
  r = select(o.steep, Vec<double, N>(2 * quarter_pi) - r, r);
  return select(o.left, Vec<double, N>(4 * quarter_pi) - r, r);
}

// Returns count * pi / 4 - a where the mask is set, and a elsewhere.
template <int N>
SUANZI_INLINE DoubleDouble<N> mirror(Mask<8, N> where, double count, DoubleDouble<N> a) {
  const DoubleDouble<N> mirrored = add(quarters(Vec<double, N>(count)), DoubleDouble<N>{-a.hi, -a.lo});
  return {select(where, mirrored.hi, a.hi), select(where, mirrored.lo, a.lo)};
}

// Returns the angle to 2^-100, rounded to odd, for operands from float32 and large > 0. atan(small / large) = atan(c) +
// atan(t) at the multiple c of 1/16 nearest to the quotient. The numerator and the denominator of t are exact, because
// c is 0 if the operands differ by more than a factor of 32.
template <int N>
SUANZI_INLINE Vec<double, N> accurate_angle(Octant<double, N> o) {
  using V = Vec<double, N>;
  const Rounded<N> point = round_to_integer(max(o.small / o.large * V(16.0), V(0.0)));  // 0 if the quotient is NaN
  const V c = point.value * V(0x1p-4);
  const V numerator = o.small - c * o.large, denominator = o.large + c * o.small;
  const V t_hi = numerator / denominator;
  const DoubleDouble<N> t{t_hi, -product_error(t_hi, denominator, numerator) / denominator}, z = multiply(t, t);
  DoubleDouble<N> series{V(0.0), V(0.0)};
  for (int i = atan_terms - 1; i >= 0; --i) {
    const V hi(coefficients::atan_series[i]), lo(coefficients::atan_series_lo[i]);
    series = add(DoubleDouble<N>{hi, lo}, multiply(series, z));
  }
  const DoubleDouble<N> start{gather(coefficients::atan_points, point.integer),
                              gather(coefficients::atan_points_lo, point.integer)};
  const DoubleDouble<N> first = add(start, multiply(t, series));
  return round_to_odd(mirror(o.left, 4.0, mirror(o.steep, 2.0, first)));
}

// Returns true in lanes in which a quotient or a remainder in `angle` may leave the range of normal numbers.
template <int N>
SUANZI_INLINE Mask<8, N> is_extreme(Octant<double, N> o) {
  return (o.small < Vec<double, N>(0x1p-900)) | (o.large > Vec<double, N>(0x1p500));
}

// Returns atan2 of vectors with extreme lanes: zeros, infinities, very large numbers and very small numbers. In all
// other lanes, the result has the same bits as the result for a vector without extreme lanes.
template <int N>
__attribute__((noinline)) Vec<double, N> atan2_extreme(Vec<double, N> y, Vec<double, N> x) {
  const Vec<double, N> zero(0.0), one(1.0), infinity(__builtin_inf());
  Octant<double, N> o = octant(y, x);
  const Mask<8, N> extreme = is_extreme(o), infinite = o.large == infinity;
  o.small = select(infinite, select(o.small == infinity, one, o.small * zero), o.small);
  o.large = select(infinite | (o.large == zero), one, o.large);
  const Vec<double, N> quotient = o.small / o.large;
  const Mask<8, N> tiny = quotient < Vec<double, N>(0x1p-60);
  // The factors bring `large` to [2, 4), and a denormal to at least 2^-51.
  const Vec<int64_t, N> exponent =
      bit_cast<int64_t>(at_least(o.large, 0x1p-1022)) & Vec<int64_t, N>(int64_t(0x7ff) << 52);
  const Vec<double, N> power = bit_cast<double>(Vec<int64_t, N>(int64_t(2047) << 52) - exponent);
  const Vec<double, N> scale = select(extreme, power, one);
  o.small = o.small * scale;
  o.large = o.large * scale;
  const Mask<8, N> is_quotient = extreme & tiny & ~o.steep & ~o.left;
  return xor_bits(select(is_quotient, quotient, angle(o)), sign_bit(y));
}

// The reduced argument of asin and acos for float32. asin(|x|) is |x| ratio, or pi / 2 - root ratio if big is set.
template <int N>
struct ShortHalfAngle {
  Mask<8, N> big;
  // a is |x|, root is sqrt(2 - 2 a), and ratio is asin(r) / r at r = a, or at root / 2 if big is set.
  Vec<double, N> a, root, ratio;
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

// Returns atan(x). For |x| <= 1/2, the function evaluates atan(x) directly. For 1/2 < |x| <= 2, the function uses pi /
// 4 + atan((|x| - 1) / (|x| + 1)), where |x| - 1 is exact. For |x| > 2, the function uses pi / 2 + atan(-1 / |x|).
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

// Returns the angle of the point (x, y).
template <int N>
SUANZI_INLINE Vec<double, N> atan2(Vec<double, N> y, Vec<double, N> x) {
  const auto o = inverse_trig::octant(y, x);
  if (__builtin_expect(any(inverse_trig::is_extreme(o)), 0)) return inverse_trig::atan2_extreme(y, x);
  return xor_bits(inverse_trig::angle(o), sign_bit(y));
}

// The functions for float32.
namespace inverse_trig {

// The code below computes atan and atan2 in pairs of float32. Registers hold tables of the arctangents of j / count.
// Every term that is added to make an angle is reduced by a margin, the largest relative error.
struct Points32 {
  static constexpr int count = 32;
  static constexpr const auto& values = coefficients::atan_32;
  static constexpr const auto& rest = coefficients::atan_rest_32;  // (atan(t) - t) / t^3
  static constexpr const auto& half_pi = coefficients::half_pi_32;
  static constexpr float margin = coefficients::margin_32;
};
struct Points16 {
  static constexpr int count = 16;
  static constexpr const auto& values = coefficients::atan_16;
  static constexpr const auto& rest = coefficients::atan_rest_16;
  static constexpr const auto& half_pi = coefficients::half_pi_16;
  static constexpr float margin = coefficients::margin_16;
};
using Points = std::conditional_t<Arch::float_table == 32, Points32, Points16>;
inline constexpr bool has_points = Arch::float_table > 0;

// An angle less its margin. The angle is start + t + (start_low + tail), where the start is the angle of the nearest
// point of the table.
template <int N>
struct PairAngle {
  Vec<float, N> start, start_low, t, tail;
};

// Splits atan(small / large) into atan(c) + atan(t). c is the multiple of 1 / count nearest to an estimate of the
// quotient, but at most 1 - 1 / count. In lanes where `subtracted` is set, the result has -t instead of t. The estimate
// is never too large, so c is 0 for quotients up to 1 / (2 count). The numerator of t is therefore exact. For larger
// quotients, the numerator is a multiple of k ulp(large) / (2 count) and at most k large / (2 count), where k is 1 or
// 2.
template <int N>
SUANZI_INLINE PairAngle<N> pair_angle(Vec<float, N> small, Vec<float, N> large, Mask<4, N> subtracted) {
  using V = Vec<float, N>;
  constexpr float magic = 0x1.8p23f / Points::count, last = 1.0f - 1.0f / Points::count;
  const V below = small * V(1.0f - 0x1p-10f);
  const V shifted = min(V(magic + last), mul_add(below, reciprocal_estimate(large), V(magic)));
  const V c = shifted - V(magic);
  const V difference = mul_add(-c, large, small), numerator = select(subtracted, -difference, difference);
  const V denominator = mul_add(c, small, large), denominator_low = mul_add(c, small, large - denominator);
  const V inverse = V(1.0f) / denominator;
  const V t = numerator * inverse, z = t * t;
  const V excess = mul_add(t, denominator_low, mul_add(t, denominator, -numerator));
  const V t_low = -(excess * inverse);
  // The derivative of atan is 1 / (1 + t^2).
  const V cubic = mul_add(z, horner(z, Points::rest), V(-Points::margin));
  const V tail = mul_add(t, cubic, mul_add(-t_low, z, t_low));
  const auto index = bit_cast<uint32_t>(shifted);
  return {lookup(Points::values[0], index), lookup(Points::values[1], index), t, tail};
}

// Replaces the angle by count * pi / 2 minus the angle where the mask is set. The differences of the leading parts are
// exact.
template <int N>
SUANZI_INLINE void mirror_start(PairAngle<N>& a, Mask<4, N> where, int count) {
  using V = Vec<float, N>;
  const float scale = static_cast<float>(count);
  a.start = select(where, V(scale * Points::half_pi[0]) - a.start, a.start);
  a.start_low = select(where, V(scale * Points::half_pi[1]) - a.start_low, a.start_low);
}

template <int N>
SUANZI_INLINE Ends<N> round_angle(PairAngle<N> a, Vec<float, N> sign) {
  const Vec<float, N> s = a.start + a.t, error = a.t - (s - a.start);
  const Vec<float, N> low = (error + a.start_low) + a.tail, high = mul_add(s, 2 * Points::margin, low);
  Ends<N> found = round_ends(s, low, high);
  found.value = xor_bits(found.value, sign);
  return found;
}

template <int N>
SUANZI_INLINE Vec<double, N> short_asin(Vec<double, N> x) {
  const Vec<double, N> zero(0.0), half_pi(2 * quarter_pi);
  const auto h = short_half_angle(abs(x));
  const Vec<double, N> r = mul_add(select(h.big, -h.root, h.a), h.ratio, select(h.big, half_pi, zero));
  return xor_bits(r, sign_bit(x));
}
template <int N>
SUANZI_INLINE Vec<double, N> short_acos(Vec<double, N> x) {
  const Vec<double, N> zero(0.0), half_pi(2 * quarter_pi), pi(4 * quarter_pi);
  const auto h = short_half_angle(abs(x));
  const Vec<double, N> offset = select(h.big, select(x < zero, pi, zero), half_pi);
  return mul_add(select(h.big, copysign(h.root, x), -x), h.ratio, offset);
}

struct Asin {
  static constexpr bool full_width = true;
  static constexpr HardCases hard_cases = coefficients::hard_asin;
  template <int N>
  static SUANZI_INLINE QuickInDouble<N, uint32_t> quick(Vec<float, N> x) {
    return round_quickly<42>(short_asin(convert<double>(half_of<0>(x))), short_asin(convert<double>(half_of<1>(x))));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return asin(x);
  }
};

struct Acos {
  static constexpr bool full_width = true;
  static constexpr HardCases hard_cases = coefficients::hard_acos;
  template <int N>
  static SUANZI_INLINE QuickInDouble<N, uint32_t> quick(Vec<float, N> x) {
    return round_quickly<42>(short_acos(convert<double>(half_of<0>(x))), short_acos(convert<double>(half_of<1>(x))));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return acos(x);
  }
};

struct Atan {
  static constexpr bool full_width = has_points;
  static constexpr HardCases hard_cases = coefficients::hard_atan;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (has_points) {
      return quick_by_points(x);
    } else {
      return quick_in_double(x);
    }
  }
  template <int N>
  static SUANZI_INLINE Ends<N> quick_by_points(Vec<float, N> x) {
    using V = Vec<float, N>;
    const V a = abs(x), one(1.0f);
    const Mask<4, N> steep = a > one;
    // All numbers above 2^30 have the same rounded arctangent.
    const V small = min(one, a), large = max(one, min(V(0x1p30f), a));
    PairAngle<N> angle = pair_angle(small, large, steep);
    mirror_start(angle, steep, 1);
    return round_angle(angle, sign_bit(x));
  }
  // Returns atan(x). For |x| <= tan(pi / 8), the function evaluates atan(x) directly. For greater |x| up to tan(3 pi /
  // 8), the function uses pi / 4 + atan((|x| - 1) / (|x| + 1)). For |x| above tan(3 pi / 8), the function uses pi / 2 +
  // atan(-1 / |x|).
  template <int N>
  static SUANZI_INLINE Quick<N> quick_in_double(Vec<float, N> x) {
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

struct Atan2 {
  static constexpr bool full_width = has_points;
  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> y, Vec<float, N> x) {
    if constexpr (has_points) {
      return quick_by_points(y, x);
    } else {
      return quick_in_double(convert<double>(y), convert<double>(x));
    }
  }
  template <int N>
  static SUANZI_INLINE Ends<N> quick_by_points(Vec<float, N> y, Vec<float, N> x) {
    using V = Vec<float, N>;
    const Octant<float, N> o = octant(y, x);
    // The lower bound 2^-48 avoids the quotient 0 / 0. If `large` is 0, `small` is also 0, and the arctangent of 0 /
    // 2^-48 is exactly 0.
    PairAngle<N> angle = pair_angle(o.small, max(V(0x1p-48f), o.large), o.steep ^ o.left);
    mirror_start(angle, o.steep, 1);
    mirror_start(angle, o.left, 2);
    // In lanes where `exact` is true, no part of t is lost to underflow.
    const auto exact = (o.large <= V(0x1p48f)) & ((o.small >= V(0x1p-48f)) | (o.small == V(0.0f)));
    return open_where(round_angle(angle, sign_bit(y)), ~exact);
  }
  template <int N>
  static SUANZI_INLINE Quick<N> quick_in_double(Vec<double, N> y, Vec<double, N> x) {
    using V = Vec<double, N>;
    const V r = short_angle(finite_octant(y, x));
    Quick<N> found = round_quickly<42>(xor_bits(r, sign_bit(y)));
    found.open = found.open | convert_mask<float>((r < V(0x1p-125)) & (r != V(0.0)));
    return found;
  }
  // atan2 has 2^64 inputs, so no list of the inputs that float64 rounds wrongly can exist. However, float64 decides
  // most lanes.
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> y, Vec<double, N> x) {
    const Quick<N> found = quick_in_double(y, x);
    if (any(found.open)) return xor_bits(accurate_angle(finite_octant(y, x)), sign_bit(y));
    return convert<double>(found.value);
  }
};

}  // namespace inverse_trig

SUANZI_ROUNDED_CORRECTLY(asin, inverse_trig::Asin)
SUANZI_ROUNDED_CORRECTLY(acos, inverse_trig::Acos)
SUANZI_ROUNDED_CORRECTLY(atan, inverse_trig::Atan)
SUANZI_ROUNDED_CORRECTLY(atan2, inverse_trig::Atan2)

}  // namespace suanzi::SUANZI_LEVEL::math
