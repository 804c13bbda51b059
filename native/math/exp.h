// The exponentials exp and expm1, each for float32 and float64.
//
// The functions reduce the argument to k ln 2 + r with |r| <= ln(2) / 2 (Cody and Waite), evaluate a polynomial in r,
// and scale by 2^k. In float64, r has a low part, and the code adds the leading terms 1 + r exactly. The error is
// therefore little more than the error of the last rounding.
//
// At levels with an instruction that looks up a table, the table's size shortens r (exp_table.h; Tang, "Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic", 1989). These levels compute float32 in
// pairs of float32. All other levels compute float32 in float64.
#pragma once

#include "math/exp_table.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace exponential {

namespace c = suanzi::coefficients;

// Returns x times 2^k, where `shifted` is k + round_magic and the result is normal. The function adds k to the exponent
// field of x. A NaN that comes from float32 stays NaN. Any other NaN may become a number.
template <int N>
SUANZI_INLINE Vec<double, N> add_exponent(Vec<double, N> x, Vec<double, N> shifted) {
  return bit_cast<double>(bit_cast<uint64_t>(x) + (bit_cast<uint64_t>(shifted) << 52));
}

// The reduction x * scale = k + r, where k is an integer and |r| <= 1/2.
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

// The reduction x = k ln 2 + r + r_lo, for |x| < 2000.
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

// Returns e^(r + r_lo) with an error of about 0.66 ulp.
template <int N>
SUANZI_INLINE Vec<double, N> exp_reduced(Vec<double, N> r, Vec<double, N> r_lo) {
  const Vec<double, N> tail = mul_add(r * r, polynomial(r, c::exp_tail), r_lo);
  const DoubleDouble<N> leading = fast_two_sum(Vec<double, N>(1.0), r);
  return leading.hi + (leading.lo + tail);
}

// Returns e^x by the table, where r is the sum of `a`.r and the part that the reduction left out. e^r - 1 is small, so
// the error is little more than the error of the last rounding.
template <int N, int Count>
SUANZI_INLINE Vec<double, N> exp_by_table(const ReducedByTable<double, N>& a, Vec<double, N> r,
                                          const double (&square)[Count]) {
  const Vec<double, N> rest = lookup(Table<double>::rest, a.shifted);
  const Vec<double, N> tail = mul_add(r * r, polynomial(r, square), rest);
  return scale_by_floor(mul_add(a.t, r + tail, a.t), a.n);
}

// Returns start + start_lo + (e^(r + r_lo) - 1) as a sum of two numbers, where start is 0 or |start| >= 1/2. Terms up
// to r^2 are added exactly, so the only error is the rounding of r^2, about 2^-54 of r^2.
template <int N>
SUANZI_INLINE DoubleDouble<N> expm1_parts(DoubleDouble<N> start, Vec<double, N> r, Vec<double, N> r_lo) {
  const Vec<double, N> square = r * r, half_square = Vec<double, N>(0.5) * square;
  const Vec<double, N> low = mul_add(r, r_lo, r_lo) + start.lo;
  const Vec<double, N> tail = mul_add(square * r, polynomial(r, c::exp_cubic), low);
  const DoubleDouble<N> linear = fast_two_sum(start.hi, r);
  const DoubleDouble<N> sum = fast_two_sum(linear.hi, half_square);
  return fast_two_sum(sum.hi, sum.lo + (linear.lo + tail));
}

// Returns 1 - 2^-k for k > -1000.
template <int N>
SUANZI_INLINE DoubleDouble<N> one_minus_power(Vec<double, N> k) {
  // The code halves 2^(1 - k), whose exponent field is 0 for k >= 1024.
  const Vec<double, N> bounded = min(Vec<double, N>(1024.0), k);
  const Vec<double, N> twice = power_of_two(round_to_integer(Vec<double, N>(1.0) - bounded).integer);
  const Vec<double, N> one(1.0), difference = mul_add(twice, Vec<double, N>(-0.5), one);
  return {difference, mul_add(twice, Vec<double, N>(-0.5), one - difference)};
}

// Returns 2^(k + r) - 1 for float32.
template <int N>
SUANZI_INLINE Vec<double, N> short_expm1(BinaryReduced<N> a) {
  const Vec<double, N> one(1.0), power = add_exponent(one, a.shifted);
  return mul_add(power, a.r * polynomial(a.r, c::exp2m1_short), power - one);
}

}  // namespace exponential

template <int N>
SUANZI_INLINE Vec<double, N> exp(Vec<double, N> x) {
  x = clamp(x, -800.0, 800.0);
  if constexpr (exponential::has_double_table) {
    const auto a = exponential::reduce_by_table(x);
    return exponential::exp_by_table(a, mul_add(a.n, -exponential::c::ln2_lo, a.r),
                                     exponential::c::exp_square_double_16);
  }
  const exponential::Reduced<N> a = exponential::reduce(x);
  return scale_by_power_of_two(exponential::exp_reduced(a.r, a.r_lo), a.k);
}

// Returns e^x - 1. The code uses 2^-k (e^x - 1) = (1 - 2^-k) + (e^r - 1).
template <int N>
SUANZI_INLINE Vec<double, N> expm1(Vec<double, N> x) {
  const exponential::Reduced<N> a = exponential::reduce(clamp(x, -50.0, 800.0));
  const DoubleDouble<N> sum = exponential::expm1_parts(exponential::one_minus_power(a.k), a.r, a.r_lo);
  return or_bits(scale_by_power_of_two(sum.hi, a.k), sign_bit(x));
}

// The functions for float32. The code limits arguments to the range of float32. The float64 result is therefore normal,
// and results overflow or underflow only in the conversion to float32. The accurate algorithm (rounding.h) computes
// denormal results.
namespace exponential {

// Constants of exp. rest_low and ln2_rest make the low part of the result smaller than the exact low part. `width` is
// the distance to a bound above the exact result.
template <int Size>
struct MarginOf {
  static constexpr auto& rest_low = c::exp2_float_32_rest_low;
  static constexpr float ln2_rest = c::exp_ln2_rest_float_32, width = c::exp_width_float_32;
};
template <>
struct MarginOf<8> {
  static constexpr auto& rest_low = c::exp2_float_8_rest_low;
  static constexpr float ln2_rest = c::exp_ln2_rest_float_8, width = c::exp_width_float_8;
};
using Margin = MarginOf<table_size<float>>;

struct Exp {
  static constexpr bool full_width = has_float_table;
  static constexpr HardCases hard_cases = coefficients::hard_exp;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
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
  // With a table of 32, e^r = (1 + r) (1 + r^2 p(r)), and t + t r is exact as a sum of two numbers. With a table of 8,
  // the rounding error of r^2 / 2 is too large, so the code uses e^r = 1 + r + r^2 / 2 + r^3 p(r).
  template <int N>
  static SUANZI_INLINE Ends<N> in_pairs(Vec<float, N> x) {
    using V = Vec<float, N>;
    const ReducedByTable<float, N> a = reduce_by_table(clamp(x, -104.0f, 89.0f), Margin::rest_low, Margin::ln2_rest);
    V s, low;
    if constexpr (Arch::float_table == 32) {
      s = mul_add(a.t, a.r, a.t);
      const V rest = mul_add(a.r * a.r, polynomial(a.r, c::exp_square_float_32), a.r_lo);
      low = mul_add(s, rest, mul_add(a.t, a.r, a.t - s));
    } else {
      const FloatPair<N> m = expm1_series(a.r);
      s = mul_add(a.t, m.hi, a.t);
      low = mul_add(s, a.r_lo, mul_add(a.t, m.lo, mul_add(a.t, m.hi, a.t - s)));
    }
    const V high = mul_add(s, V(Margin::width), low);
    Ends<N> found = round_ends(s, low, high);
    found.value = scale(found.value, a.n, a.shifted);
    if constexpr (Arch::looks_up_in_registers) {
      // Lanes with denormal results are open (rounding.h).
      return open_where(found, bit_cast<uint32_t>(found.value) - Vec<uint32_t, N>(1u) < Vec<uint32_t, N>(0x7fffffu));
    } else {
      const auto below = x < V(-104.0f);
      const auto outside = abs(x - V(0.695f)) > V(88.02f);  // the range of normal results
      found.value = select(below, V(0.0f), found.value);
      return open_where(found, outside & ~below);
    }
  }
};

struct Expm1 {
  static constexpr bool full_width = has_float_table;
  static constexpr HardCases hard_cases = coefficients::hard_expm1;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    auto found = without_zeros(x);
    found.value = or_bits(found.value, sign_bit(x));
    return found;
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return expm1(x);
  }

 private:
  // Returns the quick result, in which -0 becomes +0. For p = 2^floor(n) t, the code uses
  //   p e^(r + r_lo) - 1 = (p - 1) + p (e^r - 1) + p e^r r_lo.
  template <int N>
  static SUANZI_INLINE auto without_zeros(Vec<float, N> x) {
    if constexpr (full_width) {
      constexpr float error = Arch::float_table == 32 ? 0x1.6p-38f : 0x1.58p-34f;  // exceeds the largest error
      const ReducedByTable<float, N> a = reduce_by_table(clamp(x, -20.0f, 89.0f));
      const FloatPair<N> m = expm1_series(a.r);
      const Vec<float, N> p = scale(a.t, a.n, a.shifted);
      const FloatPair<N> start = two_sum(p, Vec<float, N>(-1.0f));
      // |start.hi| is 0 or more than p |m.hi|, so the sum below is exact.
      const Vec<float, N> s = mul_add(p, m.hi, start.hi), s_lo = mul_add(p, m.hi, start.hi - s) + start.lo;
      const Vec<float, N> factor = mul_add(m.hi, a.r_lo, a.r_lo + m.lo);
      return round_pair(FloatPair<N>{s, mul_add(p, factor, s_lo)}, error);
    } else {
      return round_quickly<43>(short_expm1(reduce_binary(convert<double>(clamp(x, -105.0f, 90.0f)), c::log2_e)));
    }
  }
};

}  // namespace exponential

SUANZI_ROUNDED_CORRECTLY(exp, exponential::Exp)
SUANZI_ROUNDED_CORRECTLY(expm1, exponential::Expm1)

}  // namespace suanzi::SUANZI_LEVEL::math
