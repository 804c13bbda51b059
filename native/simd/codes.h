// Integers of 8 and 16 bits as 32 and back, and 32 bits as float64 and back, for half vectors too: in one or two
// instructions, where the compiler finds many.
#pragma once

#include <utility>

#include "simd/vec.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

#if defined(__x86_64__)
namespace x86 {

// The bytes of a compiler vector of at most 16, in the low ones of a register.
template <class V>
SUANZI_INLINE __m128i low_bytes(V v) {
  if constexpr (sizeof(V) == 16) {
    return reinterpret_cast<__m128i>(v);
  } else if constexpr (sizeof(V) == 8) {
    int64_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    return _mm_cvtsi64_si128(bits);
  } else {
    static_assert(sizeof(V) == 4);
    int32_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    return _mm_cvtsi32_si128(bits);
  }
}

}  // namespace x86
#endif

// The values of 8 or 16 bits.
template <class T, int N>
SUANZI_INLINE Vec<int32_t, N> widen_codes(Vec<T, N> x) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2);
#if defined(__AVX2__)
  using V = typename Vec<int32_t, N>::native;
  constexpr bool bytes = sizeof(T) == 1, is_signed = std::is_signed_v<T>;
#if defined(__AVX512F__)
  if constexpr (N == 16 && bytes) {
    const __m128i v = reinterpret_cast<__m128i>(x.v);
    return reinterpret_cast<V>(is_signed ? _mm512_cvtepi8_epi32(v) : _mm512_cvtepu8_epi32(v));
  }
  if constexpr (N == 16 && !bytes) {
    const __m256i v = reinterpret_cast<__m256i>(x.v);
    return reinterpret_cast<V>(is_signed ? _mm512_cvtepi16_epi32(v) : _mm512_cvtepu16_epi32(v));
  }
#endif
  if constexpr (N == 8 || N == 4) {
    const __m128i v = x86::low_bytes(x.v);
    if constexpr (N == 8 && bytes)
      return reinterpret_cast<V>(is_signed ? _mm256_cvtepi8_epi32(v) : _mm256_cvtepu8_epi32(v));
    if constexpr (N == 8 && !bytes)
      return reinterpret_cast<V>(is_signed ? _mm256_cvtepi16_epi32(v) : _mm256_cvtepu16_epi32(v));
    if constexpr (N == 4 && bytes) return reinterpret_cast<V>(is_signed ? _mm_cvtepi8_epi32(v) : _mm_cvtepu8_epi32(v));
    if constexpr (N == 4 && !bytes)
      return reinterpret_cast<V>(is_signed ? _mm_cvtepi16_epi32(v) : _mm_cvtepu16_epi32(v));
  }
#endif
  if constexpr (sizeof(T) == 1) {  // by way of 16 bits
    using Next = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
    return convert<int32_t>(convert<Next>(x));
  }
  return convert<int32_t>(x);
}

// The lower 8 or 16 bits.
template <class Code, int N>
SUANZI_INLINE Vec<Code, N> narrow_codes(Vec<int32_t, N> x) {
  static_assert(std::is_integral_v<Code> && sizeof(Code) <= 2);
#if defined(__AVX512F__)
  using V = typename Vec<Code, N>::native;
  if constexpr (N == 16 && sizeof(Code) == 1)
    return reinterpret_cast<V>(_mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(x.v)));
  if constexpr (N == 16 && sizeof(Code) == 2)
    return reinterpret_cast<V>(_mm512_cvtepi32_epi16(reinterpret_cast<__m512i>(x.v)));
#elif defined(__AVX2__)
  if constexpr (N == 8) {
    using V = typename Vec<Code, N>::native;
    const __m256i chosen = sizeof(Code) == 1
                               ? _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8,
                                                  12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
                               : _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 4, 5,
                                                  8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i kept = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(x.v), chosen);
    const __m128i low = _mm256_castsi256_si128(kept), high = _mm256_extracti128_si256(kept, 1);
    if constexpr (sizeof(Code) == 2) return reinterpret_cast<V>(_mm_unpacklo_epi64(low, high));
    const int64_t bits = _mm_cvtsi128_si64(_mm_unpacklo_epi32(low, high));
    Vec<Code, N> r;
    std::memcpy(&r, &bits, sizeof(r));
    return r;
  }
#endif
  if constexpr (sizeof(Code) == 1) return convert<Code>(convert<int16_t>(x));
  return convert<Code>(x);
}

// 32 bits as float64.
template <int N>
SUANZI_INLINE Vec<double, N> to_float64(Vec<int32_t, N> x) {
#if defined(__x86_64__)
#if defined(__AVX512F__)
  if constexpr (N == 8) return from_register<double, N>(_mm512_cvtepi32_pd(reinterpret_cast<__m256i>(x.v)));
#elif defined(__AVX2__)
  if constexpr (N == 4) return from_register<double, N>(_mm256_cvtepi32_pd(reinterpret_cast<__m128i>(x.v)));
#endif
  if constexpr (N == 2) return from_register<double, N>(_mm_cvtepi32_pd(x86::low_bytes(x.v)));
#endif
  return convert<double>(x);
}

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
  return max(narrow_codes<int8_t>(min(max(x, Vec<int32_t, N>(-128)), Vec<int32_t, N>(127))), least);
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
