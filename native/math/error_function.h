// The error function and related functions for float32 and float64: erf, erfc = 1 - erf, and gelu(x) = x P(x), where
// P(x) is the probability that a normal number is less than x.
//
// float64 uses a series around 0. For |x| >= 13/16, erfc and gelu use the tail above |x|, which is the area under a
// bell curve to the right of |x|. The tail is e^-x^2 times a polynomial in the quotient (x - centre) / (x + centre).
// The quotient maps all positive x to -1..1 (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2)
// erfc(x)", Mathematics of Computation 36, 1981). The tail of a normal number is the same function of x / sqrt(2). The
// square, the exponential and the quotient also carry low parts, which are the rounding errors. For |x| >= 15/16, erf
// uses 1 - 2^-p(|x|) with a polynomial p instead of the tail, because the tail is only a small part of erf.
//
// float32 is computed in float64 without the series: erfc and gelu from the tails, and erf by 1 - 2^-p(|x|). At levels
// with an instruction that looks up a table, erf of float32 is a series around the nearest of 8 or 32 points, in pairs
// of float32.
#pragma once

#include "math/coefficients/error_function.h"
#include "math/exp.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace error_function {

namespace c = suanzi::coefficients;

// The tail above x is the area under a bell curve to the right of x. Bell is the curve of erfc, 2 e^-x^2 / sqrt(pi).
// NormalBell is the curve of gelu, e^(-x^2 / 2) / sqrt(2 pi), which is the density of a normal number.
struct Bell {
  static constexpr double slope = 2, centre = 4, square = 1;
  static constexpr double short_end = 10.25, end = 27.5;
  static constexpr auto& near = c::erf_near;
  static constexpr auto& short_series = c::erfc_short;
  static constexpr auto& linear = c::erfc_linear;
  static constexpr auto& constant = c::erfc_constant;
};
struct NormalBell {
  static constexpr double slope = 1, centre = 5, square = 0.5;
  static constexpr double short_end = 14.75, end = 39;
  static constexpr auto& near = c::normal_near;
  static constexpr auto& short_series = c::normal_short;
  static constexpr auto& linear = c::normal_linear;
  static constexpr auto& constant = c::normal_constant;
};
inline constexpr double near_end = 0.8125;

// The number (hi + lo) 2^k.
template <int N>
struct Scaled {
  Vec<double, N> hi, lo, k;
};

// Returns the tail above x, for near_end <= x <= end.
template <class B, int N>
SUANZI_INLINE Scaled<N> above(Vec<double, N> x) {
  using V = Vec<double, N>;
  const V one(1.0), square(-B::square), centre(B::centre);
  const DoubleDouble<N> power = two_prod(x, x);
  const exponential::Reduced<N> a = exponential::reduce(square * power.hi);
  const DoubleDouble<N> r = fast_two_sum(a.r, mul_add(square, power.lo, a.r_lo));
  const DoubleDouble<N> e = exponential::expm1_parts({one, V(0.0)}, r.hi, r.lo);

  const V sum = x + centre;
  const DoubleDouble<N> divisor = two_sum(V(B::slope) * x, one);
  const V both = one / (sum * divisor.hi), inverse = sum * both;
  const V q = (x - centre) * (divisor.hi * both);
  DoubleDouble<N> p = fast_two_sum(V(B::constant[0]), q * polynomial(q, B::linear));
  p.lo = p.lo + V(B::constant[1]);

  const DoubleDouble<N> product = multiply(e, p);
  const V quotient = product.hi * inverse;
  const V rest = product_error(quotient, divisor.hi, product.hi) - mul_add(-quotient, divisor.lo, product.lo);
  return {quotient, -(rest * inverse), a.k};
}

// Returns the tail above x for 0 <= x <= short_end, with an error of 2^-44.
template <class B, int N>
SUANZI_INLINE Vec<double, N> above_short(Vec<double, N> x) {
  using V = Vec<double, N>;
  const V one(1.0), centre(B::centre);
  const exponential::BinaryReduced<N> a = exponential::reduce_binary(x * x, -B::square * exponential::c::log2_e);
  const V power = exponential::add_exponent(polynomial(a.r, exponential::c::exp2_short), a.shifted);
  const V sum = x + centre, divisor = mul_add(x, V(B::slope), one), both = one / (sum * divisor);
  const V q = (x - centre) * (divisor * both);
  return power * (sum * both) * polynomial(q, B::short_series);
}

// Returns x^2 - 1/2, the variable of the series around 0. The error of this series is smaller than the error of a
// series in x^2.
template <int N>
SUANZI_INLINE Vec<double, N> centred_square(Vec<double, N> x) {
  const DoubleDouble<N> square = two_prod(x, x);
  return (square.hi - Vec<double, N>(0.5)) + square.lo;
}

}  // namespace error_function

// Returns erf(x). For |x| >= 15/16, the function computes 1 - 2^-p(|x|), because an error of the polynomial p has a
// smaller effect on this result.
template <int N>
SUANZI_INLINE Vec<double, N> erf(Vec<double, N> x) {
  using V = Vec<double, N>;
  constexpr double far_start = 0.9375;
  const V size = abs(x), one(1.0);
  const V near = mul_add(x, polynomial(error_function::centred_square(x), coefficients::erf_near), x);
  const V u = clamp(size, far_start, 6.0) - V(far_start), linear = polynomial(u, coefficients::erf_far_linear);
  const V start(coefficients::erf_far_constant), p = mul_add(u, linear, start);
  const exponential::BinaryReduced<N> a = exponential::reduce_binary(p, -1.0);
  const V r = a.r - mul_add(u, linear, start - p);
  const V far = mul_add(-exponential::add_exponent(one, a.shifted), polynomial(r, coefficients::erf_exp2), one);
  return select(size < V(far_start), near, copysign(far, x));
}

template <int N>
SUANZI_INLINE Vec<double, N> erfc(Vec<double, N> x) {
  using V = Vec<double, N>;
  using B = error_function::Bell;
  const V size = abs(x), one(1.0), two(2.0);
  const DoubleDouble<N> start = two_sum(one, -x);
  const V series = polynomial(error_function::centred_square(x), B::near);
  const V near = start.hi + mul_add(-x, series, start.lo);
  const error_function::Scaled<N> rest = error_function::above<B>(clamp(size, error_function::near_end, B::end));
  const V far = scale_by_power_of_two(rest.hi + rest.lo, rest.k);
  return select(size < V(error_function::near_end), near, select(x < V(0.0), two - far, far));
}

namespace error_function {

// Returns gelu(x) as a sum of two numbers, times 2^k. Near 0, the probability P(x) is 1/2 + x / 2 + x p(x^2).
template <int N>
SUANZI_INLINE Scaled<N> gelu_parts(Vec<double, N> x) {
  using V = Vec<double, N>;
  using B = NormalBell;
  const V size = abs(x), zero(0.0), half(0.5), one(1.0);
  const Mask<8, N> is_near = size < V(near_end), is_low = x < zero;
  DoubleDouble<N> near = two_sum(half, half * x);
  near.lo = mul_add(x, polynomial(centred_square(x), B::near), near.lo);

  const Scaled<N> rest = above<B>(clamp(size, near_end, B::end));
  const DoubleDouble<N> high = fast_two_sum(one, -scale_by_power_of_two(rest.hi + rest.lo, rest.k));
  const V hi = select(is_near, near.hi, select(is_low, rest.hi, high.hi));
  const V lo = select(is_near, near.lo, select(is_low, rest.lo, high.lo));
  // If x is minus infinity, the bounded factor makes the result -0. If x is plus infinity, the product has no low part.
  const V factor = max(V(-B::end), x);
  const DoubleDouble<N> product = two_prod(factor, hi);
  const V product_lo = select(x < V(B::end), mul_add(factor, lo, product.lo), zero);
  return {product.hi, product_lo, select(is_low & ~is_near, rest.k, zero)};
}

// Returns erf(x) as a sum of two numbers. The function splits x / step into n + h with an integral n.
// coefficients/error_function.py explains the terms.
template <class T, int N>
SUANZI_INLINE FloatPair<N> erf_by_table(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V magic(0x1.8p23f), sum = mul_add(x, V(1.0f / T::step), magic), n = sum - magic;
  const auto column = [index = bit_cast<uint32_t>(sum)](int i)
                          __attribute__((always_inline)) { return lookup(T::columns[i], index); };
  const V h = mul_add(n, V(-T::step), x), minus_c = n * V(-T::step);
  V series = column(T::count - 1);
  for (int i = T::count - 2; i >= 5; --i) series = mul_add(series, h, column(i));
  const V third = column(4), w = mul_add(h, third, minus_c);
  const V w_lo = mul_add(h, series, mul_add(h, third, minus_c - w));
  const V t = h * w, t_lo = mul_add(h, w_lo, mul_add(h, w, -t));
  const V s = mul_add(t, h, h), s_lo = mul_add(t_lo, h, mul_add(t, h, h - s));
  const V value = column(0), derivative = column(2);
  const V y = mul_add(derivative, s, value);
  const V y_lo = mul_add(derivative, s_lo, mul_add(column(3), s, column(1)));
  return {y, mul_add(derivative, s, value - y) + y_lo};
}

template <int Size>
struct TableOf;
template <>
struct TableOf<32> {
  static constexpr auto& columns = c::erf_32;
  static constexpr int count = std::size(c::erf_32);
  static constexpr float step = c::erf_32_step, end = 3.93f, margin = 0x1p-22f;
};
template <>
struct TableOf<8> {
  static constexpr auto& columns = c::erf_8;
  static constexpr int count = std::size(c::erf_8);
  static constexpr float step = c::erf_8_step, end = 3.95f, margin = 0x1p-21f;
};

// Most of the error is in the low part, which contains the higher terms of the series. The bound is a third more than
// the largest error of any input.
template <class T, int N>
SUANZI_INLINE Ends<N> round_series(FloatPair<N> y) {
  using V = Vec<float, N>;
  const V margin = mul_add(abs(y.lo), V(T::margin), y.hi * V(0x1p-40f));
  return round_ends(y.hi, y.lo - margin, y.lo + margin);
}

// The low parts of results below this bound are denormal, and the results may be denormal too.
inline constexpr uint32_t least_bits = 0x20000000;  // 2^-63

struct Erf {
  static constexpr bool full_width = exponential::has_float_table;
  static constexpr HardCases hard_cases = coefficients::hard_erf;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    const Vec<float, N> size = abs(x);
    auto found = of_size(size);
    const Mask<4, N> tiny = bit_cast<uint32_t>(size) - Vec<uint32_t, N>(1u) < Vec<uint32_t, N>(least_bits - 1);
    found.value = copysign(found.value, x);
    return open_where(found, tiny);
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return erf(x);
  }

 private:
  template <int N>
  static SUANZI_INLINE auto of_size(Vec<float, N> size) {
    if constexpr (full_width) {
      using T = TableOf<exponential::table_size<float>>;
      return round_series<T>(erf_by_table<T>(min(Vec<float, N>(T::end), size)));
    } else {
      const Vec<double, N> x = convert<double>(min(Vec<float, N>(3.95f), size));
      const auto a = exponential::reduce_binary(x * polynomial(x, c::erf_short), -1.0);
      return round_quickly<43>(-exponential::short_expm1(a));
    }
  }
};

struct Erfc {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases = coefficients::hard_erfc;

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    const Vec<double, N> rest = above_short<Bell>(convert<double>(min(Vec<float, N>(10.25f), abs(x))));
    const Vec<double, N> two(2.0);
    const auto found = round_quickly<43>(select(convert<double>(x) < Vec<double, N>(0.0), two - rest, rest));
    return open_where(found, (x > Vec<float, N>(9.19f)) & (x < Vec<float, N>(10.1f)));  // results that are denormal
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    return erfc(x);
  }
};

struct Gelu {
  static constexpr bool full_width = false;
  static constexpr HardCases hard_cases{nullptr, 0};  // a run over all inputs has found no hard case

  template <int N>
  static SUANZI_INLINE auto quick(Vec<float, N> x) {
    using V = Vec<double, N>;
    const Vec<float, N> size = abs(x);
    const V wide = convert<double>(max(Vec<float, N>(-14.75f), x));
    const V rest = above_short<NormalBell>(convert<double>(min(Vec<float, N>(14.75f), size)));
    const auto found = round_quickly<43>(wide * select(wide < V(0.0), rest, V(1.0) - rest));
    // Lanes with denormal results are open (rounding.h).
    const Mask<4, N> tiny = bit_cast<uint32_t>(size) - Vec<uint32_t, N>(1u) < Vec<uint32_t, N>(least_bits - 1);
    return open_where(found, tiny | ((x < Vec<float, N>(-12.9f)) & (x > Vec<float, N>(-14.5f))));
  }
  template <int N>
  static SUANZI_INLINE Vec<double, N> accurate(Vec<double, N> x) {
    const Scaled<N> y = gelu_parts(x);
    return copysign(scale_by_power_of_two(round_to_odd(fast_two_sum(y.hi, y.lo)), y.k), x);  // keeps -0
  }
};

}  // namespace error_function

// Returns gelu(x). A result may be close to the middle of two denormal bfloat16 numbers. Such results are therefore
// rounded to odd, so that a conversion to bfloat16 rounds to the correct side.
template <int N>
SUANZI_INLINE Vec<double, N> gelu(Vec<double, N> x) {
  const error_function::Scaled<N> y = error_function::gelu_parts(x);
  const DoubleDouble<N> sum = fast_two_sum(y.hi, y.lo);
  const Vec<double, N> found = select(abs(x) < Vec<double, N>(0x1p-125), round_to_odd(sum), sum.hi);
  return copysign(scale_by_power_of_two(found, y.k), x);  // keeps -0
}

SUANZI_ROUNDED_CORRECTLY(erf, error_function::Erf)
SUANZI_ROUNDED_CORRECTLY(erfc, error_function::Erfc)
SUANZI_ROUNDED_CORRECTLY(gelu, error_function::Gelu)

}  // namespace suanzi::SUANZI_LEVEL::math
