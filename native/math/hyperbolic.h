// The hyperbolic functions sinh, cosh and tanh, each for float32 and float64.
//
// sinh and cosh use e^x = 2^k (C + S) and e^-x = 2^-k (C - S) with C = cosh(r), S = sinh(r) and |r| <= ln(2) / 2. Two
// short polynomials thus yield the two exponentials without a division. tanh is a quotient of terms in e^(2x) - 1. All
// computations also carry low parts, which are the rounding errors. At levels with an instruction that looks up a
// table, the table shortens r (exp_table.h), and float32 is computed in pairs of float32. Other levels compute float32
// in float64.
#pragma once

#include "math/coefficients/hyperbolic.h"
#include "math/exp.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace hyperbolic {

namespace c = suanzi::coefficients;

// Returns (e^x + sign e^-x) / 2 for x >= 0, sign = 1 or -1. With q = sign 2^-2k, the result is
// 2^(k-1) ((1 + q) C + (1 - q) S).
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
  const DoubleDouble<N> linear = fast_two_sum(a.r, -(q * a.r));  // equals (1 - q) r, because q is a power of two
  const DoubleDouble<N> leading = fast_two_sum(even, linear.hi);
  const Vec<double, N> low = mul_add(even, cosh_tail, mul_add(odd, sinh_tail, linear.lo + even_lo));
  return scale_by_power_of_two(leading.hi + (leading.lo + low), a.k - one);
}

template <class T, int Size>
struct SeriesOf;
template <>
struct SeriesOf<float, 32> {
  static constexpr auto &sinh = c::sinh_cubic_float_32, &tanh = c::tanh_cubic_float_32;
  static constexpr auto& cosh = c::cosh_quartic_float_32;
};
template <>
struct SeriesOf<float, 8> {
  static constexpr auto &sinh = c::sinh_cubic_float_8, &tanh = c::tanh_cubic_float_8;
  static constexpr auto& cosh = c::cosh_quartic_float_8;
};
template <>
struct SeriesOf<double, 16> {
  static constexpr auto& tanh = c::tanh_cubic_double_16;
};
template <class T>
using Series = SeriesOf<T, exponential::table_size<T>>;

// Returns tanh(x) for -25 < x <= 0 as a sum of two numbers. With p = 2^floor(n) t and w = tanh(r + r_lo),
// e^(2x) is p (1 + w) / (1 - w), so
//   tanh(x) = (e^(2x) - 1) / (e^(2x) + 1) = ((p - 1) + (p + 1) w) / ((p + 1) + (p - 1) w).
// p is at most 1, so three additions yield p + 1 exactly as a sum of two numbers. The difference p - 1 is also exact,
// because its leading part is exact. The two sums with w are s + s_lo and d + d_lo.
template <class T, int N>
SUANZI_INLINE Pair<T, N> tanh_by_table(Vec<T, N> x) {
  using V = Vec<T, N>;
  const V one(T(1));
  const auto a = exponential::reduce_by_table<2>(x, exponential::Table<T>::half_rest);
  const V square = a.r * a.r, cubic = polynomial(square, Series<T>::tanh);
  const V w_lo = mul_add(square, mul_add(a.r, cubic, -a.r_lo), a.r_lo);  // r_lo (1 - r^2) + r^3 cubic
  const Pair<T, N> sum = fast_two_sum(one, exponential::scale(a.t, a.n, a.shifted));
  const V difference = sum.hi - V(T(2)), shared = mul_add(sum.lo, a.r, sum.lo);
  const V s = mul_add(sum.hi, a.r, difference);
  const V s_lo = mul_add(sum.hi, a.r, difference - s) + mul_add(sum.hi, w_lo, shared);
  const V d = mul_add(difference, a.r, sum.hi);
  const V d_lo = mul_add(difference, a.r, sum.hi - d) + mul_add(difference, w_lo, shared);
  // The correction of s_lo / d by d_lo / d is about r^3 of s_lo / d, which float64 must not neglect.
  const V reciprocal = one / (std::is_same_v<T, double> ? d + d_lo : d), quotient = s * reciprocal;
  const V remainder = mul_add(-quotient, d, s) + mul_add(-quotient, d_lo, s_lo);
  return {quotient, remainder * reciprocal};
}

// The bits of the float64 number 1/2.
inline constexpr int64_t half_bits = int64_t(1022) << 52;

template <int N>
struct HalfPowers {
  Vec<double, N> plus, minus;  // 2^(k-1), 2^(-k-1)
  Vec<double, N> cosh, sinh;   // cosh(r) and sinh(r)
};
template <int N>
SUANZI_INLINE HalfPowers<N> half_powers(Vec<double, N> x) {
  const exponential::BinaryReduced<N> a = exponential::reduce_binary(x, exponential::c::log2_e);
  const Vec<double, N> square = a.r * a.r;
  const Vec<double, N> plus = exponential::add_exponent(Vec<double, N>(0.5), a.shifted);
  // The exponent fields of 2^(k-1) and 2^(-k-1) add up to twice the field of 1/2.
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

// Returns E / (E + 2) for E = e^(2x) - 1. The function computes E and E + 2 divided by 2^k.
template <int N>
SUANZI_INLINE Vec<double, N> tanh(Vec<double, N> x) {
  if constexpr (exponential::has_double_table) {
    const Pair<double, N> y = hyperbolic::tanh_by_table(max(Vec<double, N>(-22.0), -abs(x)));
    return copysign(y.hi + y.lo, x);
  }
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

// Returns (e^x + sign e^-x) / 2 for 0 <= x < 86, sign = 1 or -1, in pairs of float32. With plus = 2^(floor(n) - 1) t
// for e^x / 2 and minus for e^-x / 2, the result is even cosh(r) + odd sinh(r). In this formula, even is plus + sign
// minus, and odd is plus - sign minus. The low parts include the rounding error of r.
template <int sign, int N>
SUANZI_INLINE FloatPair<N> half_sum(Vec<float, N> x) {
  using V = Vec<float, N>;
  using Table = exponential::Table<float>;
  const V one(1.0f);
  const Vec<uint32_t, N> size(uint32_t{exponential::table_size<float>});
  const exponential::ReducedByTable<float, N> a = exponential::reduce_by_table(x);
  const Vec<uint32_t, N> opposite = Vec<uint32_t, N>(0u) - a.shifted;
  const V minus_lo = mul_add(a.n, V(exponential::c::ln2_float_rest), lookup(Table::rest, opposite));
  const V plus = exponential::scale(a.t, a.n - one, a.shifted - size);
  const V power = exponential::scale(lookup(Table::power, opposite), -one - a.n, opposite - size);
  const V minus = sign > 0 ? power : -power;

  FloatPair<N> even = fast_two_sum(plus, minus), odd = fast_two_sum(plus, -minus);
  const V plus_even = mul_add(plus, a.r_lo, even.lo), plus_odd = mul_add(plus, a.r_lo, odd.lo);
  even.lo = mul_add(minus, minus_lo, plus_even);
  odd.lo = mul_add(-minus, minus_lo, plus_odd);

  // The lines below compute even + r (odd + even r / 2) exactly, and then add the remaining terms of the series.
  const V half = V(0.5f) * a.r, square = a.r * a.r;
  const V linear = mul_add(even.hi, half, odd.hi);
  const V linear_lo = mul_add(even.hi, half, odd.hi - linear) + mul_add(even.lo, half, odd.lo);
  const V s = mul_add(linear, a.r, even.hi), s_lo = mul_add(linear, a.r, even.hi - s) + even.lo;
  const V cubic =
      mul_add(even.hi, a.r * polynomial(square, Series<float>::cosh), odd.hi * polynomial(square, Series<float>::sinh));
  return {s, mul_add(a.r, mul_add(square, cubic, linear_lo), s_lo)};
}

// Returns the rounded half sum for any |x|. For large |x|, an instruction that scales makes the powers infinite or NaN.
// Levels without the instruction scale the powers of large |x| wrongly, so the lanes of large |x| count as open
// (rounding.h).
template <int sign, int N>
SUANZI_INLINE Ends<N> round_half_sum(Vec<float, N> x, float error) {
  const Ends<N> found = exponential::round_pair(half_sum<sign>(abs(x)), error);
  if constexpr (Arch::looks_up_in_registers) {
    return found;
  } else {
    return open_where(found, abs(x) > Vec<float, N>(86.0f));
  }
}

// The error bounds of the functions that use tables are a third more than the largest error of any input.
struct Sinh {
  static constexpr bool full_width = exponential::has_float_table;
  static constexpr HardCases hard_cases = coefficients::hard_sinh;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    auto found = without_sign(x);
    found.value = copysign(found.value, x);
    return found;
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return sinh(x);
  }

 private:
  template <int N>
  static SUANZI_INLINE auto without_sign(Vec<float, N> x) {
    if constexpr (full_width) {
      return round_half_sum<-1>(x, Arch::float_table == 32 ? 0x1.1p-38f : 0x1.52p-34f);
    } else {
      const HalfPowers<N> a = half_powers(convert<double>(clamp(x, -90.0f, 90.0f)));
      const Vec<double, N> even = (a.plus - a.minus) * a.cosh;
      return round_quickly<43>(mul_add(a.plus + a.minus, a.sinh, even));
    }
  }
};

struct Cosh {
  static constexpr bool full_width = exponential::has_float_table;
  static constexpr HardCases hard_cases = coefficients::hard_cosh;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    if constexpr (full_width) {
      return round_half_sum<1>(x, Arch::float_table == 32 ? 0x1.2p-42f : 0x1.4p-38f);
    } else {
      const HalfPowers<N> a = half_powers(convert<double>(clamp(x, -90.0f, 90.0f)));
      const Vec<double, N> even = (a.plus + a.minus) * a.cosh;
      return round_quickly<43>(mul_add(a.plus - a.minus, a.sinh, even));
    }
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return cosh(x);
  }
};

struct Tanh {
  static constexpr bool full_width = exponential::has_float_table;
  static constexpr HardCases hard_cases = coefficients::hard_tanh;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    auto found = without_sign(x);
    found.value = copysign(found.value, x);
    return found;
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return tanh(x);
  }

 private:
  template <int N>
  static SUANZI_INLINE auto without_sign(Vec<float, N> x) {
    if constexpr (full_width) {
      const FloatPair<N> y = tanh_by_table(max(Vec<float, N>(-10.0f), -abs(x)));
      return exponential::round_pair(y, Arch::float_table == 32 ? 0x1.75p-38f : 0x1p-34f);
    } else {
      // The result is E / (E + 2), where E = e^(2x) - 1.
      const Vec<double, N> wide = convert<double>(clamp(x, -20.0f, 20.0f));
      const Vec<double, N> e = exponential::short_expm1(exponential::reduce_binary(wide, 2.0 * exponential::c::log2_e));
      return round_quickly<43>(e / (e + Vec<double, N>(2.0)));
    }
  }
};

}  // namespace hyperbolic

SUANZI_ROUNDED_CORRECTLY(sinh, hyperbolic::Sinh)
SUANZI_ROUNDED_CORRECTLY(cosh, hyperbolic::Cosh)
SUANZI_ROUNDED_CORRECTLY(tanh, hyperbolic::Tanh)

}  // namespace suanzi::SUANZI_LEVEL::math
