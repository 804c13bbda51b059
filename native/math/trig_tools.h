// What only the trigonometric functions and their inverses need beside common.h: a cheap test for a rarely taken
// branch, table lookup by lane, and one more way to evaluate a polynomial.
#pragma once

#include "math/common.h"

namespace suanzi::SUANZI_LEVEL::math {

// Whether any lane is set, in two or three instructions.
template <int Bytes, int N>
SUANZI_INLINE bool any_lane(Mask<Bytes, N> m) {
#if defined(__AVX512F__)
  if constexpr (sizeof(m.v) == 64) {
    const __m512i bits = reinterpret_cast<__m512i>(m.v);
    return _mm512_test_epi64_mask(bits, bits) != 0;
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(m.v) == 32) {
    const __m256i bits = reinterpret_cast<__m256i>(m.v);
    return !_mm256_testz_si256(bits, bits);
  }
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(m.v) == 16) return _mm_movemask_epi8(reinterpret_cast<__m128i>(m.v)) != 0;
#endif
  return any(m);
}

// a < b ? a : b and a > b ? a : b: where either is NaN, b. The compiler makes a comparison and a blend of them.
template <int N>
SUANZI_INLINE Vec<double, N> lesser(Vec<double, N> a, Vec<double, N> b) {
#if defined(__x86_64__)
  using V = typename Vec<double, N>::native;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return reinterpret_cast<V>(_mm512_min_pd(reinterpret_cast<__m512d>(a.v), reinterpret_cast<__m512d>(b.v)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32)
    return reinterpret_cast<V>(_mm256_min_pd(reinterpret_cast<__m256d>(a.v), reinterpret_cast<__m256d>(b.v)));
#endif
  if constexpr (sizeof(V) == 16)
    return reinterpret_cast<V>(_mm_min_pd(reinterpret_cast<__m128d>(a.v), reinterpret_cast<__m128d>(b.v)));
#endif
  return select(a < b, a, b);
}
template <int N>
SUANZI_INLINE Vec<double, N> greater(Vec<double, N> a, Vec<double, N> b) {
#if defined(__x86_64__)
  using V = typename Vec<double, N>::native;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return reinterpret_cast<V>(_mm512_max_pd(reinterpret_cast<__m512d>(a.v), reinterpret_cast<__m512d>(b.v)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32)
    return reinterpret_cast<V>(_mm256_max_pd(reinterpret_cast<__m256d>(a.v), reinterpret_cast<__m256d>(b.v)));
#endif
  if constexpr (sizeof(V) == 16)
    return reinterpret_cast<V>(_mm_max_pd(reinterpret_cast<__m128d>(a.v), reinterpret_cast<__m128d>(b.v)));
#endif
  return select(a > b, a, b);
}

// table[index] in each lane.
template <int N>
SUANZI_INLINE Vec<double, N> gather(const double* table, Vec<int64_t, N> index) {
  Vec<double, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = table[index.v[i]];
  return r;
}

// c[0] + c[1] x + c[2] x^2 + ... as even and odd terms, each by Horner's scheme: one multiplication more than Horner's
// scheme, half its chain.
template <int N, int Count>
SUANZI_INLINE Vec<double, N> even_odd(Vec<double, N> x, const double (&c)[Count]) {
  const Vec<double, N> square = x * x;
  constexpr int last = Count - 1;
  Vec<double, N> upper(c[last]), other(c[last - 1]);
  for (int i = last - 2; i >= 0; i -= 2) upper = mul_add(upper, square, c[i]);
  for (int i = last - 3; i >= 0; i -= 2) other = mul_add(other, square, c[i]);
  return last % 2 == 0 ? mul_add(other, x, upper) : mul_add(upper, x, other);
}

}  // namespace suanzi::SUANZI_LEVEL::math
