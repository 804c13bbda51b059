// What exponential functions of float32 are made of, in lanes of float32: a power of 2, a table and a short polynomial.
//
// A float alone is not precise enough for a result that is rounded correctly, so what is computed are sums of two: a
// leading part, and a low part that holds its rounding error and all smaller terms. That takes fused multiply-adds,
// which give the error of a product, and a table that one instruction looks up.
#pragma once

#include "math/coefficients/exp.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace exponential {

namespace c = suanzi::coefficients;

// Whether the level has what it takes.
inline constexpr bool has_float_pairs = Arch::fuses_multiply_add && Arch::float_table >= 8;

template <int Size>
struct FloatTables;
template <>
struct FloatTables<32> {
  static constexpr int bits = 5, size = 32;
  static constexpr float width = c::exp_width_32[0], exp_ln2_rest = c::exp_ln2_rest_32[0];
  static constexpr float expm1_error = 0x1.6p-38f;
  static constexpr auto &power = c::exp2_table_32, &rest = c::exp2_table_rest_32,
                        &half_rest = c::exp2_table_half_rest_32;
  static constexpr auto& rest_low = c::exp2_table_rest_low_32;
  static constexpr auto& cubic = c::float_exp_cubic_32;
};
template <>
struct FloatTables<8> {
  static constexpr int bits = 3, size = 8;
  static constexpr float width = c::exp_width_8[0], exp_ln2_rest = c::exp_ln2_rest_8[0];
  static constexpr float expm1_error = 0x1.58p-34f;
  static constexpr auto &power = c::exp2_table_8, &rest = c::exp2_table_rest_8, &half_rest = c::exp2_table_half_rest_8;
  static constexpr auto& rest_low = c::exp2_table_rest_low_8;
  static constexpr auto& cubic = c::float_exp_cubic_8;
};
using Tables = FloatTables<Arch::float_table == 32 ? 32 : 8>;

// e^x = 2^floor(n) t e^(r + r_lo), where n is x log2(e) rounded to a multiple of 1 / size, t a float for the fraction
// of n, and |r| <= ln(2) / (2 size). The same of e^(2 x) = 2^floor(n) t e^(2 (r + r_lo)), times = 2, with half the
// rest. r is exact (Cody and Waite); r_lo has an error below 2^-45, and is below 2^-21.
template <int N>
struct FloatReduced {
  Vec<uint32_t, N> shifted;  // size * n in the low bits
  Vec<float, N> n, t, r, r_lo;
};
template <int times = 1, int N>
SUANZI_INLINE FloatReduced<N> reduce_float(Vec<float, N> x, const float (&table)[Tables::size] = Tables::rest,
                                           float ln2_rest = c::ln2_pair[1]) {
  using V = Vec<float, N>;
  const V magic(0x1.8p23f / (1 << Tables::bits)), sum = mul_add(x, V(static_cast<float>(times * c::log2_e)), magic);
  const V n = sum - magic, r = mul_add(n, V(-c::ln2_pair[0] / times), x);
  const Vec<uint32_t, N> shifted = bit_cast<uint32_t>(sum);
  const V rest = lookup(table, shifted);
  return {shifted, n, lookup(Tables::power, shifted), r, mul_add(n, V(-ln2_rest / times), rest)};
}

// y 2^floor(n) for a y near 1. Without an instruction for it, the result must be normal.
template <int N>
SUANZI_INLINE Vec<float, N> scale_float(Vec<float, N> y, Vec<float, N> n, Vec<uint32_t, N> shifted) {
  if constexpr (Arch::looks_up_in_registers) {
    return scale_by_floor(y, n);
  } else {
    const Vec<uint32_t, N> whole = shifted & Vec<uint32_t, N>(~0u << Tables::bits);
    return bit_cast<float>(bit_cast<uint32_t>(y) + (whole << (23 - Tables::bits)));
  }
}

// e^r - 1 with an error of about 2^-40, relative to r even 2^-36: r + r^2 / 2 is exact as a sum of two.
template <int N>
SUANZI_INLINE FloatPair<N> expm1_series(Vec<float, N> r) {
  const Vec<float, N> half = Vec<float, N>(0.5f) * r, hi = mul_add(half, r, r);
  return {hi, mul_add(r * r * r, polynomial(r, Tables::cubic), mul_add(half, r, r - hi))};
}

// Open where the middle of two floats may be closer to s + low than the part `error` of s.
template <int N>
SUANZI_INLINE Quick<N> round_pair(FloatPair<N> y, float error) {
  const Vec<float, N> margin(error);
  return round_quickly(y.hi, mul_add(y.hi, -margin, y.lo), mul_add(y.hi, margin, y.lo));
}

}  // namespace exponential

}  // namespace suanzi::SUANZI_LEVEL::math
