// Lanes chosen at run time: from one vector, from two, from memory.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Whether there is an instruction for permute; without one, reading lanes from memory is better.
#if defined(__AVX512F__)
template <class T, int N>
inline constexpr bool has_permute = sizeof(T) >= 4 && sizeof(T) * N == 64;
#elif defined(__AVX2__)
template <class T, int N>
inline constexpr bool has_permute = sizeof(T) == 4 && N == 8;
#else
template <class T, int N>
inline constexpr bool has_permute = false;
#endif

// Lane i is lane index[i] of x, an index being in [0, N).
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Vec<T, N> x, Vec<IntFor<T>, N> index) {
#if defined(__AVX2__)
  if constexpr (has_permute<T, N>) {
    using V = typename Vec<T, N>::native;
#if defined(__AVX512F__)
    const __m512i from = reinterpret_cast<__m512i>(x.v), lanes = reinterpret_cast<__m512i>(index.v);
    if constexpr (sizeof(T) == 4) return reinterpret_cast<V>(_mm512_permutexvar_epi32(lanes, from));
    if constexpr (sizeof(T) == 8) return reinterpret_cast<V>(_mm512_permutexvar_epi64(lanes, from));
#else
    const __m256i from = reinterpret_cast<__m256i>(x.v), lanes = reinterpret_cast<__m256i>(index.v);
    return reinterpret_cast<V>(_mm256_permutevar8x32_epi32(from, lanes));
#endif
  }
#endif
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = x.v[index.v[i]];
  return r;
}
// The same for two vectors end to end, an index being in [0, 2 N).
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Vec<T, N> low, Vec<T, N> high, Vec<IntFor<T>, N> index) {
#if defined(__AVX512F__)
  if constexpr (has_permute<T, N>) {
    using V = typename Vec<T, N>::native;
    const __m512i a = reinterpret_cast<__m512i>(low.v), b = reinterpret_cast<__m512i>(high.v);
    const __m512i lanes = reinterpret_cast<__m512i>(index.v);
    if constexpr (sizeof(T) == 4) return reinterpret_cast<V>(_mm512_permutex2var_epi32(a, lanes, b));
    if constexpr (sizeof(T) == 8) return reinterpret_cast<V>(_mm512_permutex2var_epi64(a, lanes, b));
  }
#endif
  const Vec<IntFor<T>, N> lanes(IntFor<T>{N}), within = index & Vec<IntFor<T>, N>(IntFor<T>{N - 1});
  return select(index < lanes, permute(low, within), permute(high, within));
}

// Lane i is p[index[i]].
template <class T, int N>
SUANZI_INLINE Vec<T, N> gather(const T* p, Vec<int64_t, N> index) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = p[index.v[i]];
  return r;
}

}  // namespace suanzi::SUANZI_LEVEL
