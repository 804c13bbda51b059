// The x86 instructions that convert integer lanes, where the compiler goes by halves or one by one.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/x86.h"

#if defined(__x86_64__)

namespace suanzi::SUANZI_LEVEL::x86 {

// The bytes of a compiler vector, in the low ones of a register, and a vector of the low bytes of a register.
template <class V>
SUANZI_INLINE auto low_bytes(V v) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return reinterpret_cast<__m512i>(v);
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return reinterpret_cast<__m256i>(v);
#endif
  if constexpr (sizeof(V) == 16) return reinterpret_cast<__m128i>(v);
  if constexpr (sizeof(V) == 8) {
    int64_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    return _mm_cvtsi64_si128(bits);
  }
  if constexpr (sizeof(V) == 4) {
    int32_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    return _mm_cvtsi32_si128(bits);
  }
}
template <class V, class R>
SUANZI_INLINE V from_low_bytes(R x) {
  if constexpr (sizeof(V) == sizeof(R)) {
    return reinterpret_cast<V>(x);
  } else {
    static_assert(sizeof(V) == 8 || sizeof(V) == 4);
    const int64_t bits = _mm_cvtsi128_si64(x);
    V v;
    std::memcpy(&v, &bits, sizeof(v));
    return v;
  }
}

// N integers of From bytes each as integers of To bytes.
template <int To, int From, int N>
struct Resize {
  static constexpr bool exists = false;
};
#define SUANZI_RESIZE(to, from, n, R, of_signed, of_unsigned) \
  template <>                                                 \
  struct Resize<to, from, n> {                                \
    static constexpr bool exists = true;                      \
    template <bool Signed>                                    \
    static SUANZI_INLINE auto of(R x) {                       \
      if constexpr (Signed) return of_signed(x);              \
      if constexpr (!Signed) return of_unsigned(x);           \
    }                                                         \
  };
#define SUANZI_NARROW(to, from, n, R, intrinsic) SUANZI_RESIZE(to, from, n, R, intrinsic, intrinsic)

#if defined(__AVX2__)
SUANZI_RESIZE(2, 1, 8, __m128i, _mm_cvtepi8_epi16, _mm_cvtepu8_epi16)
SUANZI_RESIZE(4, 1, 4, __m128i, _mm_cvtepi8_epi32, _mm_cvtepu8_epi32)
SUANZI_RESIZE(4, 2, 4, __m128i, _mm_cvtepi16_epi32, _mm_cvtepu16_epi32)
SUANZI_RESIZE(8, 4, 2, __m128i, _mm_cvtepi32_epi64, _mm_cvtepu32_epi64)
SUANZI_RESIZE(2, 1, 16, __m128i, _mm256_cvtepi8_epi16, _mm256_cvtepu8_epi16)
SUANZI_RESIZE(4, 1, 8, __m128i, _mm256_cvtepi8_epi32, _mm256_cvtepu8_epi32)
SUANZI_RESIZE(4, 2, 8, __m128i, _mm256_cvtepi16_epi32, _mm256_cvtepu16_epi32)
SUANZI_RESIZE(8, 2, 4, __m128i, _mm256_cvtepi16_epi64, _mm256_cvtepu16_epi64)
SUANZI_RESIZE(8, 4, 4, __m128i, _mm256_cvtepi32_epi64, _mm256_cvtepu32_epi64)
#endif

#if defined(__AVX512F__)
SUANZI_RESIZE(2, 1, 32, __m256i, _mm512_cvtepi8_epi16, _mm512_cvtepu8_epi16)
SUANZI_RESIZE(4, 1, 16, __m128i, _mm512_cvtepi8_epi32, _mm512_cvtepu8_epi32)
SUANZI_RESIZE(4, 2, 16, __m256i, _mm512_cvtepi16_epi32, _mm512_cvtepu16_epi32)
SUANZI_RESIZE(8, 2, 8, __m128i, _mm512_cvtepi16_epi64, _mm512_cvtepu16_epi64)
SUANZI_RESIZE(8, 4, 8, __m256i, _mm512_cvtepi32_epi64, _mm512_cvtepu32_epi64)

SUANZI_NARROW(1, 2, 32, __m512i, _mm512_cvtepi16_epi8)
SUANZI_NARROW(1, 4, 16, __m512i, _mm512_cvtepi32_epi8)
SUANZI_NARROW(2, 4, 16, __m512i, _mm512_cvtepi32_epi16)
SUANZI_NARROW(1, 8, 8, __m512i, _mm512_cvtepi64_epi8)
SUANZI_NARROW(2, 8, 8, __m512i, _mm512_cvtepi64_epi16)
SUANZI_NARROW(4, 8, 8, __m512i, _mm512_cvtepi64_epi32)
SUANZI_NARROW(1, 4, 8, __m256i, _mm256_cvtepi32_epi8)
SUANZI_NARROW(2, 4, 8, __m256i, _mm256_cvtepi32_epi16)
SUANZI_NARROW(4, 8, 4, __m256i, _mm256_cvtepi64_epi32)

#elif defined(__AVX2__)
// The low To bytes of each 32-bit lane, side by side.
template <int To>
SUANZI_INLINE __m128i narrow_words(__m256i x) {
  const __m128i bytes = To == 1 ? _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)
                                : _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i kept = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(bytes));
  const __m128i low = _mm256_castsi256_si128(kept), high = _mm256_extracti128_si256(kept, 1);
  return To == 1 ? _mm_unpacklo_epi32(low, high) : _mm_unpacklo_epi64(low, high);
}
SUANZI_NARROW(1, 4, 8, __m256i, narrow_words<1>)
SUANZI_NARROW(2, 4, 8, __m256i, narrow_words<2>)

#endif

#undef SUANZI_NARROW
#undef SUANZI_RESIZE

// 32-bit integers as float64.
#if defined(__AVX512F__)
SUANZI_INLINE __m512d to_doubles(__m256i x) { return _mm512_cvtepi32_pd(x); }
#endif
#if defined(__AVX2__)
SUANZI_INLINE __m256d to_doubles(__m128i x) { return _mm256_cvtepi32_pd(x); }
#else
SUANZI_INLINE __m128d to_doubles(__m128i x) { return _mm_cvtepi32_pd(x); }
#endif

}  // namespace suanzi::SUANZI_LEVEL::x86

#endif
