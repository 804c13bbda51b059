// Numbers rounded to 32-bit integers and held to the ends of 8-bit ones, for half vectors too: in one or two
// instructions, where the compiler finds many.
#pragma once

#include <utility>

#include "simd/vec.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

// The nearest integers, half to even, of numbers within 32 bits; anything for others and NaN.
template <int N>
SUANZI_INLINE Vec<int32_t, N> nearest_int32(Vec<double, N> x) {
#if defined(__x86_64__)
  using V [[maybe_unused]] = typename Vec<int32_t, N>::native;
#if defined(__AVX512F__)
  if constexpr (N == 8) return reinterpret_cast<V>(_mm512_cvtpd_epi32(to_register(x)));
#elif defined(__AVX2__)
  if constexpr (N == 4) return reinterpret_cast<V>(_mm256_cvtpd_epi32(to_register(x)));
#endif
  if constexpr (N == 2) {
    const int64_t bits = _mm_cvtsi128_si64(_mm_cvtpd_epi32(to_register(x)));
    Vec<int32_t, N> r;
    std::memcpy(&r, &bits, sizeof(r));
    return r;
  }
#endif
  return convert<int32_t>(rint(x));
}

// The nearest integers of float32 numbers, as above.
template <int N>
SUANZI_INLINE Vec<int32_t, N> nearest_int32(Vec<float, N> x) {
#if defined(__x86_64__)
  using V [[maybe_unused]] = typename Vec<int32_t, N>::native;
#if defined(__AVX512F__)
  if constexpr (N == 16) return reinterpret_cast<V>(_mm512_cvtps_epi32(to_register(x)));
#elif defined(__AVX2__)
  if constexpr (N == 8) return reinterpret_cast<V>(_mm256_cvtps_epi32(to_register(x)));
#endif
  if constexpr (N == 4) return reinterpret_cast<V>(_mm_cvtps_epi32(to_register(x)));
#endif
  return convert<int32_t>(rint(x));
}

// The values held to the ends of int8, then to at least `least`.
template <int N>
SUANZI_INLINE Vec<int8_t, N> saturated_bytes(Vec<int32_t, N> x, Vec<int8_t, N> least) {
  using V [[maybe_unused]] = typename Vec<int8_t, N>::native;
#if defined(__AVX512F__)
  if constexpr (N == 16)
    return reinterpret_cast<V>(
        _mm_max_epi8(_mm512_cvtsepi32_epi8(reinterpret_cast<__m512i>(x.v)), reinterpret_cast<__m128i>(least.v)));
#elif defined(__AVX2__)
  if constexpr (N == 8) {
    const __m256i all = reinterpret_cast<__m256i>(x.v);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    const int64_t bits = _mm_cvtsi128_si64(_mm_max_epi8(_mm_packs_epi16(words, words), x86::low_bytes(least.v)));
    Vec<int8_t, N> r;
    std::memcpy(&r, &bits, sizeof(r));
    return r;
  }
#endif
  return max(convert<int8_t>(min(max(x, Vec<int32_t, N>(-128)), Vec<int32_t, N>(127))), least);
}

// Whether a < b fails in some lane, as it does where one is NaN.
template <int N>
SUANZI_INLINE bool any_not_less(Vec<float, N> a, Vec<float, N> b) {
#if defined(__AVX512F__)
  if constexpr (N == 16) return _mm512_cmp_ps_mask(to_register(a), to_register(b), _CMP_NLT_UQ) != 0;
#endif
  return any(~(a < b));
}

// Two vectors end to end.
template <class T, int N, int... lane>
SUANZI_INLINE Vec<T, 2 * N> join(Vec<T, N> low, Vec<T, N> high, std::integer_sequence<int, lane...>) {
  return typename Vec<T, 2 * N>::native(__builtin_shufflevector(low.v, high.v, lane...));
}
template <class T, int N>
SUANZI_INLINE Vec<T, 2 * N> join(Vec<T, N> low, Vec<T, N> high) {
  return join(low, high, std::make_integer_sequence<int, 2 * N>{});
}

}  // namespace suanzi::SUANZI_LEVEL
