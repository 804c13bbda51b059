// The operations on floating Vec that have an instruction of their own on most machines (simd/x86.h), each with a
// generic version beside it: fused multiply-add, square root, rounding to an integer, exponents, small tables.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// a * b + c, with one rounding where the level has a fused multiply-add and two where it has none.
template <class T, int N>
SUANZI_INLINE Vec<T, N> mul_add(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  if constexpr (!has_fma) {
    return a * b + c;
  } else {
#if defined(__x86_64__) && defined(__AVX2__)
    if constexpr (has_register<T, N>)
      return from_register<T, N>(x86::mul_add(to_register(a), to_register(b), to_register(c)));
#endif
    Vec<T, N> r;
    for (int i = 0; i < N; ++i)
      r.v[i] = sizeof(T) == 8 ? __builtin_fma(a.v[i], b.v[i], c.v[i]) : __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
    return r;
  }
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
#if defined(__x86_64__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::sqrt(to_register(x)));
#endif
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = sizeof(T) == 8 ? __builtin_sqrt(x.v[i]) : __builtin_sqrtf(x.v[i]);
  return r;
}

// 1 / sqrt(x) with an error of at most 2^-40 of it.
template <int N>
SUANZI_INLINE Vec<double, N> rsqrt_40(Vec<double, N> x) {
  using V = Vec<double, N>;
#if defined(__AVX512F__)
  if constexpr (N == 8) {
    // From y = (1 + d) / sqrt(x) with e = 1 - x y^2: 1 / sqrt(x) = y (1 - e)^(-1/2) = y (1 + e / 2 + 3 e^2 / 8 + ...).
    // e is NaN where y has the answer: for zeros, infinity and negative numbers.
    const V y = from_register<double, N>(x86::rsqrt_estimate(to_register(x)));
    const V e = V(1.0) - x * y * y;
    return select(e == e, mul_add(y * e, mul_add(e, 0.375, V(0.5)), y), y);
  }
#endif
  return V(1.0) / sqrt(x);
}

// The greater and the lesser: NaN if either is, and +0 is greater than -0.
template <class T, int N>
SUANZI_INLINE Vec<T, N> maximum(Vec<T, N> a, Vec<T, N> b) {
#if defined(__AVX512F__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::greater(to_register(a), to_register(b)));
#endif
  const Vec<T, N> equal = bit_cast<T>(bit_cast<IntFor<T>>(a) & bit_cast<IntFor<T>>(b));
  return select(a == b, equal, select((a > b) | (a != a), a, b));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> minimum(Vec<T, N> a, Vec<T, N> b) {
#if defined(__AVX512F__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::lesser(to_register(a), to_register(b)));
#endif
  return select(a == b, or_bits(a, b), select((a < b) | (a != a), a, b));
}

namespace rounding {
enum Mode : int { nearest_even = 0, down = 1, up = 2, toward_zero = 3 };

// Adding and subtracting 2^52 (2^23) leaves an integer; larger values are integers already.
template <class T, int N>
SUANZI_INLINE Vec<T, N> nearest_generic(Vec<T, N> x) {
  const T big = sizeof(T) == 8 ? T(4503599627370496.0) : T(8388608.0);
  const Vec<T, N> a = abs(x);
  const Vec<T, N> r = (a + Vec<T, N>(big)) - Vec<T, N>(big);
  return select(a < Vec<T, N>(big), copysign(r, x), x);
}

template <int M, class T, int N>
SUANZI_INLINE Vec<T, N> round_generic(Vec<T, N> x) {
  const Vec<T, N> r = nearest_generic(x);
  const Vec<T, N> zero(T(0)), one(T(1));
  if constexpr (M == nearest_even) return r;
  if constexpr (M == down) return copysign(r - select(r > x, one, zero), x);
  if constexpr (M == up) return copysign(r + select(r < x, one, zero), x);
  if constexpr (M == toward_zero) {
    const Vec<T, N> m = nearest_generic(abs(x));
    return copysign(m - select(m > abs(x), one, zero), x);
  }
}

template <int M, class T, int N>
SUANZI_INLINE Vec<T, N> round_to(Vec<T, N> x) {
#if defined(__AVX2__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::round<M>(to_register(x)));
#endif
  return round_generic<M>(x);
}
}  // namespace rounding

template <class T, int N>
SUANZI_INLINE Vec<T, N> rint(Vec<T, N> x) {
  return rounding::round_to<rounding::nearest_even>(x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> floor(Vec<T, N> x) {
  return rounding::round_to<rounding::down>(x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> ceil(Vec<T, N> x) {
  return rounding::round_to<rounding::up>(x);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> trunc(Vec<T, N> x) {
  return rounding::round_to<rounding::toward_zero>(x);
}

// floor(log2 |x|) of a normal x.
template <int N>
SUANZI_INLINE Vec<double, N> exponent(Vec<double, N> x) {
#if defined(__AVX512F__)
  if constexpr (N == 8) return from_register<double, N>(x86::exponent(to_register(x)));
#endif
  // An integer in the low bits of 2^52 is a double already.
  const Vec<uint64_t, N> biased = bit_cast<uint64_t>(abs(x)) >> 52;
  return bit_cast<double>(biased | bit_cast<uint64_t>(Vec<double, N>(0x1p52))) - Vec<double, N>(0x1p52 + 1023);
}

// table[index modulo Count] in each lane: without a memory access by lane where a register can be the table.
template <class T, int N, int Count>
  requires((Count == 16 && sizeof(T) == 8) || Count == 32)
SUANZI_INLINE Vec<T, N> lookup(const T (&table)[Count], Vec<UintFor<T>, N> index) {
#if defined(__AVX512F__)
  if constexpr (N * sizeof(T) == 64) return from_register<T, N>(x86::lookup(table, reinterpret_cast<__m512i>(index.v)));
#endif
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = table[index.v[i] % Count];
  return r;
}

}  // namespace suanzi::SUANZI_LEVEL
