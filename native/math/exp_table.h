// Exponentials by a table. An exponential is the product of a power of 2, one of a few powers of a root of 2, and a
// short polynomial. Levels use this method if one instruction looks up the table.
//
// A result is the sum of a leading part and a low part. The low part holds the leading part's rounding error and all
// smaller terms. Fused multiply-adds compute the error of a product. float32 is therefore computed in lanes of float32,
// precisely enough for correct rounding.
#pragma once

#include "math/coefficients/exp.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace exponential {

namespace c = suanzi::coefficients;

// Each constant is true if the level has the instructions for the table of the constant's type.
inline constexpr bool has_float_table = Arch::fuses_multiply_add && Arch::float_table >= 8;
inline constexpr bool has_double_table = Arch::fuses_multiply_add && Arch::looks_up_in_registers;

// The table of a given size for a type: powers and the logarithms of their rounding errors, and ln 2 as a sum of two
// numbers.
template <class T, int Size>
struct TableOf;
template <>
struct TableOf<float, 32> {
  static constexpr auto &power = c::exp2_float_32, &rest = c::exp2_float_32_rest,
                        &half_rest = c::exp2_float_32_half_rest;
  static constexpr float ln2 = c::ln2_float, ln2_rest = c::ln2_float_rest;
  static constexpr auto& cubic = c::exp_cubic_float_32;
  static constexpr int bits = 5;
};
template <>
struct TableOf<float, 8> {
  static constexpr auto &power = c::exp2_float_8, &rest = c::exp2_float_8_rest, &half_rest = c::exp2_float_8_half_rest;
  static constexpr float ln2 = c::ln2_float, ln2_rest = c::ln2_float_rest;
  static constexpr auto& cubic = c::exp_cubic_float_8;
  static constexpr int bits = 3;
};
template <>
struct TableOf<double, 16> {
  static constexpr auto &power = c::exp2_double_16, &rest = c::exp2_double_16_rest;
  static constexpr auto& half_rest = c::exp2_double_16_half_rest;
  static constexpr double ln2 = c::ln2_hi, ln2_rest = c::ln2_lo;
};
template <class T>
inline constexpr int table_size = std::is_same_v<T, double> ? 16
                                  : Arch::float_table == 32 ? 32
                                                            : 8;
template <class T>
using Table = TableOf<T, table_size<T>>;

// The reduction is e^x = 2^floor(n) t e^(r + r_lo). n is x log2(e) rounded to a multiple of 1 / size. t is the table's
// number for the fraction of n. |r| is at most ln(2) / (2 size). r is exact (Cody and Waite). r_lo is below 2^-21 for
// float32. If `times` is 2 and `rest` holds half of the logarithms, the reduction is e^(2 x) = 2^floor(n) t e^(2 (r +
// r_lo)).
template <class T, int N>
struct ReducedByTable {
  Vec<UintFor<T>, N> shifted;  // size * n in the low bits
  Vec<T, N> n, t, r, r_lo;
};
template <int times = 1, class T, int N>
SUANZI_INLINE ReducedByTable<T, N> reduce_by_table(Vec<T, N> x, const T (&rest)[table_size<T>] = Table<T>::rest,
                                                   T ln2_rest = Table<T>::ln2_rest) {
  using V = Vec<T, N>;
  const V magic(T(sizeof(T) == 8 ? 0x1.8p52 : 0x1.8p23) / table_size<T>);
  const V sum = mul_add(x, V(T(times * c::log2_e)), magic), n = sum - magic;
  const auto shifted = bit_cast<UintFor<T>>(sum);
  return {shifted, n, lookup(Table<T>::power, shifted), mul_add(n, V(-Table<T>::ln2 / times), x),
          mul_add(n, V(-ln2_rest / times), lookup(rest, shifted))};
}

// Returns y 2^floor(n) for a y near 1. At levels without an instruction for this scaling, the result must be normal.
template <class T, int N>
SUANZI_INLINE Vec<T, N> scale(Vec<T, N> y, Vec<T, N> n, Vec<UintFor<T>, N> shifted) {
  if constexpr (Arch::looks_up_in_registers) {
    return scale_by_floor(y, n);
  } else {
    constexpr int bits = Table<T>::bits;
    const Vec<uint32_t, N> whole = shifted & Vec<uint32_t, N>(~0u << bits);
    return bit_cast<float>(bit_cast<uint32_t>(y) + (whole << (23 - bits)));
  }
}

// Returns e^r - 1 with an error of about 2^-40, and of 2^-36 relative to r. r + r^2 / 2 is exact as a sum of two
// numbers.
template <int N>
SUANZI_INLINE FloatPair<N> expm1_series(Vec<float, N> r) {
  const Vec<float, N> half = Vec<float, N>(0.5f) * r, hi = mul_add(half, r, r);
  return {hi, mul_add(r * r * r, polynomial(r, Table<float>::cubic), mul_add(half, r, r - hi))};
}

// Rounds the sum y.hi + y.lo. A lane is open if the middle of two floats may be closer to the sum than `error` times
// y.hi.
template <int N>
SUANZI_INLINE Ends<N> round_pair(FloatPair<N> y, float error) {
  const Vec<float, N> margin(error);
  return round_ends(y.hi, mul_add(y.hi, -margin, y.lo), mul_add(y.hi, margin, y.lo));
}

}  // namespace exponential

}  // namespace suanzi::SUANZI_LEVEL::math
