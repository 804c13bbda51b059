// The operations on floating Vec for which many machines have an instruction. These operations are fused multiply-add,
// square root, rounding to an integer, exponents and small tables.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Returns a * b + c with one rounding. If the level has no instruction for this operation, the function works lane by
// lane.
template <class T, int N>
SUANZI_INLINE Vec<T, N> fused_mul_add(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  return arch::fused_mul_add(Arch{}, a, b, c);
}

// Returns a * b + c, with one rounding if the level has a fused multiply-add, and with two roundings otherwise.
template <class T, int N>
SUANZI_INLINE Vec<T, N> mul_add(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  if constexpr (Arch::fuses_multiply_add) return fused_mul_add(a, b, c);
  return a * b + c;
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> mul_add(Vec<T, N> a, Vec<T, N> b, std::type_identity_t<T> c) {
  return mul_add(a, b, Vec<T, N>(c));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> mul_add(Vec<T, N> a, std::type_identity_t<T> b, Vec<T, N> c) {
  return mul_add(a, Vec<T, N>(b), c);
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> sqrt(Vec<T, N> x) {
  return arch::sqrt(Arch{}, x);
}

// rsqrt_estimate returns 1 / sqrt(x), and reciprocal_estimate returns 1 / x, for a normal x with a relative error of at
// most 2^-11. Processors of different makers return different bits.
template <int N>
SUANZI_INLINE Vec<float, N> rsqrt_estimate(Vec<float, N> x) {
  return arch::rsqrt_estimate(Arch{}, x);
}
template <int N>
SUANZI_INLINE Vec<float, N> reciprocal_estimate(Vec<float, N> x) {
  return arch::reciprocal_estimate(Arch{}, x);
}

// Returns 1 / sqrt(x) with a relative error of at most 2^-22, for x from 2^-120 to 2^120. The result for 0 is a large
// number, and the result for a negative x is NaN. With the estimate y = (1 + d) / sqrt(x) and e = 1 - x y^2, the
// function uses 1 / sqrt(x) = y (1 - e)^(-1/2) = y (1 + e / 2 + ...).
template <int N>
SUANZI_INLINE Vec<float, N> rsqrt_22(Vec<float, N> x) {
  using V = Vec<float, N>;
  const V y = min(V(0x1p60f), rsqrt_estimate(x)), e = mul_add(-(x * y), y, V(1.0f));
  return mul_add(V(0.5f) * y, e, y);
}
// Returns 1 / x with a relative error of at most 2^-22. With the estimate y and e = 1 - x y, the function uses the
// formula 1 / x = y / (1 - e) = y (1 + e + ...).
template <int N>
SUANZI_INLINE Vec<float, N> reciprocal_22(Vec<float, N> x) {
  const Vec<float, N> y = reciprocal_estimate(x);
  return mul_add(y, mul_add(-x, y, Vec<float, N>(1.0f)), y);
}

// `maximum` returns the greater operand, and `minimum` returns the lesser operand. The result is NaN if an operand is
// NaN. +0 is greater than -0.
template <class T, int N>
SUANZI_INLINE Vec<T, N> maximum(Vec<T, N> a, Vec<T, N> b) {
  return arch::maximum(Arch{}, a, b);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> minimum(Vec<T, N> a, Vec<T, N> b) {
  return arch::minimum(Arch{}, a, b);
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> rint(Vec<T, N> x) {
  return arch::round<arch::nearest_even>(Arch{}, x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> floor(Vec<T, N> x) {
  return arch::round<arch::down>(Arch{}, x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> ceil(Vec<T, N> x) {
  return arch::round<arch::up>(Arch{}, x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> trunc(Vec<T, N> x) {
  return arch::round<arch::toward_zero>(Arch{}, x);
}

// Returns the double with the value n, for |n| < 2^51.
template <int N>
SUANZI_INLINE Vec<double, N> to_double(Vec<int64_t, N> n) {
  return arch::to_double(Arch{}, n);
}

// Splits x = mantissa(x) * 2^exponent(x) with a mantissa from 1 to 2, for x > 0, including denormals. The exponent of 0
// and of infinity is infinite. For a negative x, the exponent or the mantissa is not finite. For NaN, exponent and
// mantissa are NaN.
template <class T, int N>
SUANZI_INLINE Vec<T, N> exponent(Vec<T, N> x) {
  return arch::exponent(Arch{}, x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> mantissa(Vec<T, N> x) {
  return arch::mantissa(Arch{}, x);
}

// Returns 2^n for -1022 <= n <= 1023.
template <int N>
SUANZI_INLINE Vec<double, N> power_of_two(Vec<int64_t, N> n) {
  return bit_cast<double>((bit_cast<uint64_t>(n) + Vec<uint64_t, N>(uint64_t(1023))) << 52);
}

// Returns x * 2^n for |n| <= 2044. The result is rounded once, even to a denormal, if |x| >= 2^-960 or n >= 0. Zeros,
// infinities and NaN behave as in multiplication.
template <int N>
SUANZI_INLINE Vec<double, N> scale_by_power_of_two(Vec<double, N> x, Vec<int64_t, N> n) {
  return arch::scale_by_power_of_two(Arch{}, x, n);
}
// Returns x * 2^n for an integral n of any size, including infinite n. The result is NaN if x is NaN. n may be NaN only
// if x is NaN.
template <int N>
SUANZI_INLINE Vec<double, N> scale_by_power_of_two(Vec<double, N> x, Vec<double, N> n) {
  return arch::scale_by_power_of_two(Arch{}, x, n);
}
// Returns x * 2^floor(n) for an n of any size. For floats, |x| must be in [2^-20, 2^20].
template <class T, int N>
SUANZI_INLINE Vec<T, N> scale_by_floor(Vec<T, N> x, Vec<T, N> n) {
  return arch::scale_by_floor(Arch{}, x, n);
}

// Returns table[index modulo Count] in each lane. If Arch::looks_up_in_registers is true, or, for floats, if
// Arch::float_table is at least Count, the function reads no memory for single lanes.
template <class T, int N, int Count>
  requires(Count == 16 || (Count == 8 && sizeof(T) == 4) || Count == 32)
SUANZI_INLINE Vec<T, N> lookup(const T (&table)[Count], Vec<UintFor<T>, N> index) {
  return arch::lookup(Arch{}, table, index);
}

}  // namespace suanzi::SUANZI_LEVEL
