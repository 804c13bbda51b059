// The x86 registers and the instructions that Vec uses by name, one overload for each register type.
//
// A Vec that fills a register converts to it; any other takes the generic code beside each use.
#pragma once

#include "simd/level.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <type_traits>

namespace suanzi::SUANZI_LEVEL::x86 {

// The register that holds Bytes bytes of T; void where the level has none.
template <class T, int Bytes>
struct RegisterOf {
  using type = void;
};
#define SUANZI_REGISTER(T, bytes, R) \
  template <>                        \
  struct RegisterOf<T, bytes> {      \
    using type = R;                  \
  };
SUANZI_REGISTER(float, 16, __m128)
SUANZI_REGISTER(double, 16, __m128d)
#if defined(__AVX2__)
SUANZI_REGISTER(float, 32, __m256)
SUANZI_REGISTER(double, 32, __m256d)
#endif
#if defined(__AVX512F__)
SUANZI_REGISTER(float, 64, __m512)
SUANZI_REGISTER(double, 64, __m512d)
#endif
#undef SUANZI_REGISTER

// One function for a register type, from the intrinsic of that name and suffix.
#define SUANZI_UNARY(name, R, intrinsic) \
  SUANZI_INLINE R name(R x) { return intrinsic(x); }
#define SUANZI_BINARY(name, R, intrinsic) \
  SUANZI_INLINE R name(R a, R b) { return intrinsic(a, b); }
#define SUANZI_ARITHMETIC(R, prefix, suffix)    \
  SUANZI_UNARY(sqrt, R, prefix##_sqrt_##suffix) \
  SUANZI_BINARY(min, R, prefix##_min_##suffix)  \
  SUANZI_BINARY(max, R, prefix##_max_##suffix)
#define SUANZI_FMA(R, prefix, suffix) \
  SUANZI_INLINE R mul_add(R a, R b, R c) { return prefix##_fmadd_##suffix(a, b, c); }
#define SUANZI_ROUND(R, intrinsic)                 \
  template <int Mode>                              \
  SUANZI_INLINE R round(R x) {                     \
    return intrinsic(x, Mode | _MM_FROUND_NO_EXC); \
  }

SUANZI_ARITHMETIC(__m128, _mm, ps)
SUANZI_ARITHMETIC(__m128d, _mm, pd)
#if defined(__AVX2__)
SUANZI_ARITHMETIC(__m256, _mm256, ps)
SUANZI_ARITHMETIC(__m256d, _mm256, pd)
SUANZI_FMA(__m128, _mm, ps)
SUANZI_FMA(__m128d, _mm, pd)
SUANZI_FMA(__m256, _mm256, ps)
SUANZI_FMA(__m256d, _mm256, pd)
SUANZI_ROUND(__m128, _mm_round_ps)
SUANZI_ROUND(__m128d, _mm_round_pd)
SUANZI_ROUND(__m256, _mm256_round_ps)
SUANZI_ROUND(__m256d, _mm256_round_pd)
#endif
#if defined(__AVX512F__)
SUANZI_ARITHMETIC(__m512, _mm512, ps)
SUANZI_ARITHMETIC(__m512d, _mm512, pd)
SUANZI_FMA(__m512, _mm512, ps)
SUANZI_FMA(__m512d, _mm512, pd)
SUANZI_ROUND(__m512, _mm512_roundscale_ps)
SUANZI_ROUND(__m512d, _mm512_roundscale_pd)
#endif
#undef SUANZI_ROUND
#undef SUANZI_FMA
#undef SUANZI_ARITHMETIC
#if defined(__AVX512F__)
// x times 2^floor(n), floor(log2 |x|), and the entry of the table that the last 4 or 5 bits of each index name.
SUANZI_BINARY(scale, __m512d, _mm512_scalef_pd)
SUANZI_UNARY(exponent, __m512d, _mm512_getexp_pd)
SUANZI_INLINE __m512d lookup(const double (&table)[16], __m512i index) {
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
}
SUANZI_INLINE __m512 lookup(const float (&table)[32], __m512i index) {
  return _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
}
SUANZI_INLINE __m512d lookup(const double (&table)[32], __m512i index) {
  const __m512d low = _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
  const __m512d high = _mm512_permutex2var_pd(_mm512_loadu_pd(table + 16), index, _mm512_loadu_pd(table + 24));
  return _mm512_mask_blend_pd(_mm512_test_epi64_mask(index, _mm512_set1_epi64(16)), low, high);
}
#endif

#if defined(__AVX512F__)
// 1 / sqrt(x) to 14 bits.
SUANZI_UNARY(rsqrt_estimate, __m512d, _mm512_rsqrt14_pd)
// The greater and the lesser, NaN where either is: by totally ordered zeros, of which the instruction takes the other
// number where one is NaN; and with either zero of two.
#define SUANZI_NAN(R, prefix, suffix, name, ordered, either)                              \
  SUANZI_INLINE R name(R a, R b) {                                                        \
    const auto nan = prefix##_cmp_##suffix##_mask(a, b, _CMP_UNORD_Q);                    \
    return prefix##_mask_add_##suffix(prefix##_range_##suffix(a, b, ordered), nan, a, b); \
  }                                                                                       \
  SUANZI_INLINE R name##_of_any_zero(R a, R b) {                                          \
    const auto number = prefix##_cmp_##suffix##_mask(a, a, _CMP_ORD_Q);                   \
    return prefix##_mask_##either##_##suffix(a, number, a, b);                            \
  }
#define SUANZI_RANGE(R, prefix, suffix)               \
  SUANZI_NAN(R, prefix, suffix, greater, 0b0101, max) \
  SUANZI_NAN(R, prefix, suffix, lesser, 0b0100, min)
SUANZI_RANGE(__m128, _mm, ps)
SUANZI_RANGE(__m128d, _mm, pd)
SUANZI_RANGE(__m256, _mm256, ps)
SUANZI_RANGE(__m256d, _mm256, pd)
SUANZI_RANGE(__m512, _mm512, ps)
SUANZI_RANGE(__m512d, _mm512, pd)
#undef SUANZI_RANGE
#undef SUANZI_NAN
#endif

#undef SUANZI_BINARY
#undef SUANZI_UNARY

// Whether any bit of 16, 32 or 64 bytes is set.
SUANZI_INLINE bool any_bit(__m128i bits) {
#if defined(__AVX2__)
  return !_mm_testz_si128(bits, bits);
#else
  return _mm_movemask_epi8(_mm_cmpeq_epi8(bits, _mm_setzero_si128())) != 0xffff;
#endif
}
#if defined(__AVX2__)
SUANZI_INLINE bool any_bit(__m256i bits) { return !_mm256_testz_si256(bits, bits); }
#endif
#if defined(__AVX512F__)
SUANZI_INLINE bool any_bit(__m512i bits) { return _mm512_test_epi64_mask(bits, bits) != 0; }
#endif

// Stores that leave the caches alone, for vectors of 16, 32 or 64 bytes.
template <int Bytes>
inline constexpr bool streams = Bytes == 16 || (has_avx2 && Bytes == 32) || (has_avx512 && Bytes == 64);
template <class V>
SUANZI_INLINE void stream(void* p, V v) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return _mm512_stream_si512(static_cast<__m512i*>(p), reinterpret_cast<__m512i>(v));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return _mm256_stream_si256(static_cast<__m256i*>(p), reinterpret_cast<__m256i>(v));
#endif
  if constexpr (sizeof(V) == 16) _mm_stream_si128(static_cast<__m128i*>(p), reinterpret_cast<__m128i>(v));
}

// The products of the lower 32 bits of each 64-bit lane.
SUANZI_INLINE __m128i multiply_words(__m128i a, __m128i b) { return _mm_mul_epu32(a, b); }
#if defined(__AVX2__)
SUANZI_INLINE __m256i multiply_words(__m256i a, __m256i b) { return _mm256_mul_epu32(a, b); }
#endif
#if defined(__AVX512F__)
SUANZI_INLINE __m512i multiply_words(__m512i a, __m512i b) { return _mm512_mul_epu32(a, b); }
#endif

// The upper halves of the products of unsigned 16-bit lanes, for vectors of 16, 32 or 64 bytes.
template <int Bytes>
inline constexpr bool multiplies_high = Bytes == 16 || (has_avx2 && Bytes == 32) || (has_avx512 && Bytes == 64);
template <class V>
SUANZI_INLINE V multiply_high(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return reinterpret_cast<V>(_mm512_mulhi_epu16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32)
    return reinterpret_cast<V>(_mm256_mulhi_epu16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#endif
  if constexpr (sizeof(V) == 16)
    return reinterpret_cast<V>(_mm_mulhi_epu16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
}

// float to double and back, which the compiler does in halves.
#if defined(__AVX2__)
SUANZI_INLINE __m256d widen_all(__m128 x) { return _mm256_cvtps_pd(x); }
SUANZI_INLINE __m128 narrow_all(__m256d x) { return _mm256_cvtpd_ps(x); }
#endif
#if defined(__AVX512F__)
SUANZI_INLINE __m512d widen_all(__m256 x) { return _mm512_cvtps_pd(x); }
SUANZI_INLINE __m256 narrow_all(__m512d x) { return _mm512_cvtpd_ps(x); }
#endif

}  // namespace suanzi::SUANZI_LEVEL::x86

#endif
