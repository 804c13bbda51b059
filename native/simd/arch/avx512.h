// AVX-512 as in x86-64-v4 (F, BW, CD, DQ, VL). The set has masks, and twice as many registers as AVX2. A register has
// 64 bytes.
#pragma once

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Avx512 : Avx2 {
  static constexpr int vector_bytes = 64;
  static constexpr int vector_registers = 32;
  static constexpr bool converts_int64 = true;
  static constexpr bool looks_up_in_registers = true;
  static constexpr int float_table = 32;
  template <class T, int N>
  static constexpr bool permutes = Avx2::permutes<T, N> || (sizeof(T) >= 4 && sizeof(T) * N == 64);
  template <class T, int N>
  static constexpr bool compresses = Avx2::compresses<T, N> || (sizeof(T) >= 4 && sizeof(T) * N == 64);
  template <class T, int N>
  static constexpr bool expands = sizeof(T) >= 4 && sizeof(T) * N == 64;
};

template <class T, int N>
  requires(sizeof(T) * N == 64)
SUANZI_INLINE __m512i bits_of(Vec<T, N> x) {
  return reinterpret_cast<__m512i>(x.v);
}

// --- memory ---

template <class T, int N>
  requires(sizeof(T) * N == 64)
SUANZI_INLINE void stream(Avx512, T* p, Vec<T, N> x) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(p), bits_of(x));
}

// Returns an integer in which a bit is set for each byte of the first n lanes of type T.
template <class T>
SUANZI_INLINE uint64_t first_bytes(int n) {
  return _bzhi_u64(~uint64_t(0), sizeof(T) * static_cast<unsigned>(n));
}
template <class T, int N>
  requires(sizeof(T) * N == 32 || sizeof(T) * N == 64)
SUANZI_INLINE Vec<T, N> load_first(Avx512, const T* p, int n, Vec<T, N> rest) {
  const uint64_t bytes = first_bytes<T>(n);
  if constexpr (sizeof(rest) == 64) return from_bits<Vec<T, N>>(_mm512_mask_loadu_epi8(bits_of(rest), bytes, p));
  if constexpr (sizeof(rest) == 32)
    return from_bits<Vec<T, N>>(_mm256_mask_loadu_epi8(bits_of(rest), static_cast<__mmask32>(bytes), p));
}
template <class T, int N>
  requires(sizeof(T) * N == 32 || sizeof(T) * N == 64)
SUANZI_INLINE void store_first(Avx512, T* p, int n, Vec<T, N> x) {
  const uint64_t bytes = first_bytes<T>(n);
  if constexpr (sizeof(x) == 64) _mm512_mask_storeu_epi8(p, bytes, bits_of(x));
  if constexpr (sizeof(x) == 32) _mm256_mask_storeu_epi8(p, static_cast<__mmask32>(bytes), bits_of(x));
}

// --- conversion ---

#define SUANZI_WIDEN(from, to, n)                                                              \
  SUANZI_INLINE Vec<int##to##_t, n> resize(Avx512, Vec<int##from##_t, n> x, Bytes<to / 8>) {   \
    return from_bits<Vec<int##to##_t, n>>(_mm512_cvtepi##from##_epi##to(bits_of(x)));          \
  }                                                                                            \
  SUANZI_INLINE Vec<uint##to##_t, n> resize(Avx512, Vec<uint##from##_t, n> x, Bytes<to / 8>) { \
    return from_bits<Vec<uint##to##_t, n>>(_mm512_cvtepu##from##_epi##to(bits_of(x)));         \
  }
SUANZI_WIDEN(8, 16, 32)
SUANZI_WIDEN(8, 32, 16)
SUANZI_WIDEN(16, 32, 16)
SUANZI_WIDEN(16, 64, 8)
SUANZI_WIDEN(32, 64, 8)
#undef SUANZI_WIDEN

#define SUANZI_NARROW(from, to, n, intrinsic)                                                  \
  SUANZI_INLINE Vec<int##to##_t, n> resize(Avx512, Vec<int##from##_t, n> x, Bytes<to / 8>) {   \
    return from_bits<Vec<int##to##_t, n>>(intrinsic##epi##from##_epi##to(bits_of(x)));         \
  }                                                                                            \
  SUANZI_INLINE Vec<uint##to##_t, n> resize(Avx512, Vec<uint##from##_t, n> x, Bytes<to / 8>) { \
    return from_bits<Vec<uint##to##_t, n>>(intrinsic##epi##from##_epi##to(bits_of(x)));        \
  }
SUANZI_NARROW(16, 8, 32, _mm512_cvt)
SUANZI_NARROW(32, 8, 16, _mm512_cvt)
SUANZI_NARROW(32, 16, 16, _mm512_cvt)
SUANZI_NARROW(64, 8, 8, _mm512_cvt)
SUANZI_NARROW(64, 16, 8, _mm512_cvt)
SUANZI_NARROW(64, 32, 8, _mm512_cvt)
SUANZI_NARROW(32, 8, 8, _mm256_cvt)
SUANZI_NARROW(32, 16, 8, _mm256_cvt)
SUANZI_NARROW(64, 32, 4, _mm256_cvt)
#undef SUANZI_NARROW

SUANZI_INLINE Vec<double, 8> to_float64(Avx512, Vec<float, 8> x) { return _mm512_cvtps_pd(x.v); }
SUANZI_INLINE Vec<double, 8> to_float64(Avx512, Vec<int32_t, 8> x) { return _mm512_cvtepi32_pd(bits_of(x)); }
SUANZI_INLINE Vec<float, 8> to_float32(Avx512, Vec<double, 8> x) { return _mm512_cvtpd_ps(x.v); }
template <int N>
SUANZI_INLINE Vec<double, N> to_double(Avx512, Vec<int64_t, N> n) {
  return convert<double>(n);
}

SUANZI_INLINE Vec<float, 16> widen_float16(Avx512, Vec<uint16_t, 16> x) { return _mm512_cvtph_ps(bits_of(x)); }
SUANZI_INLINE Vec<uint16_t, 16> narrow_float16(Avx512, Vec<float, 16> x) {
  return from_bits<Vec<uint16_t, 16>>(_mm512_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

SUANZI_INLINE Vec<int32_t, 16> nearest_int32(Avx512, Vec<float, 16> x) {
  return from_bits<Vec<int32_t, 16>>(_mm512_cvtps_epi32(x.v));
}
SUANZI_INLINE Vec<int32_t, 8> nearest_int32(Avx512, Vec<double, 8> x) {
  return from_bits<Vec<int32_t, 8>>(_mm512_cvtpd_epi32(x.v));
}
SUANZI_INLINE Vec<int8_t, 16> saturated_bytes(Avx512, Vec<int32_t, 16> x, Vec<int8_t, 16> least) {
  return from_bits<Vec<int8_t, 16>>(_mm_max_epi8(_mm512_cvtsepi32_epi8(bits_of(x)), bits_of(least)));
}

// --- comparison ---

template <int Bytes, int N>
  requires(Bytes * N == 64)
SUANZI_INLINE bool any(Avx512, Mask<Bytes, N> m) {
  const __m512i bits = reinterpret_cast<__m512i>(m.v);
  return _mm512_test_epi64_mask(bits, bits) != 0;
}

template <int Bytes, int N>
  requires(Bytes * N == 64)
SUANZI_INLINE uint64_t to_bits(Avx512, Mask<Bytes, N> m) {
  const __m512i bits = reinterpret_cast<__m512i>(m.v);
  if constexpr (Bytes == 8) return _mm512_movepi64_mask(bits);
  if constexpr (Bytes == 4) return _mm512_movepi32_mask(bits);
  if constexpr (Bytes == 2) return _mm512_movepi16_mask(bits);
  return _mm512_movepi8_mask(bits);
}

SUANZI_INLINE uint32_t less_bits(Avx512, Vec<uint32_t, 16> a, Vec<uint32_t, 16> b) {
  return _mm512_cmplt_epu32_mask(bits_of(a), bits_of(b));
}
SUANZI_INLINE uint32_t less_bits(Avx512, Vec<uint64_t, 8> a, Vec<uint64_t, 8> b) {
  return _mm512_cmplt_epu64_mask(bits_of(a), bits_of(b));
}

template <int N>
  requires(N == 8 || N == 16)
SUANZI_INLINE uint32_t test_bytes(Avx512, const uint8_t* p, uint8_t bit) {
  const __m128i bytes = N == 16 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))
                                : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_test_epi8_mask(bytes, _mm_set1_epi8(static_cast<char>(bit)));
}

// The test is one expression, because a mask that is first stored as a vector costs two instructions more.
SUANZI_INLINE bool any_zero(Avx512, Vec<uint32_t, 16> x) {
  return _mm512_testn_epi32_mask(bits_of(x), bits_of(x)) != 0;
}
SUANZI_INLINE bool any_zero(Avx512, Vec<uint64_t, 8> x) { return _mm512_testn_epi64_mask(bits_of(x), bits_of(x)) != 0; }
SUANZI_INLINE bool any_not_less(Avx512, Vec<float, 16> a, Vec<float, 16> b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_NLT_UQ) != 0;
}
SUANZI_INLINE bool any_not_less(Avx512, Vec<double, 8> a, Vec<double, 8> b) {
  return _mm512_cmp_pd_mask(a.v, b.v, _CMP_NLT_UQ) != 0;
}
SUANZI_INLINE bool any_unequal(Avx512, Vec<float, 16> a, Vec<float, 16> b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_NEQ_UQ) != 0;
}
SUANZI_INLINE bool any_unequal(Avx512, Vec<double, 8> a, Vec<double, 8> b) {
  return _mm512_cmp_pd_mask(a.v, b.v, _CMP_NEQ_UQ) != 0;
}

SUANZI_INLINE Vec<float, 16> min(Avx512, Vec<float, 16> a, Vec<float, 16> b) { return _mm512_min_ps(a.v, b.v); }
SUANZI_INLINE Vec<float, 16> max(Avx512, Vec<float, 16> a, Vec<float, 16> b) { return _mm512_max_ps(a.v, b.v); }
SUANZI_INLINE Vec<double, 8> min(Avx512, Vec<double, 8> a, Vec<double, 8> b) { return _mm512_min_pd(a.v, b.v); }
SUANZI_INLINE Vec<double, 8> max(Avx512, Vec<double, 8> a, Vec<double, 8> b) { return _mm512_max_pd(a.v, b.v); }

// The functions below return NaN if an operand is NaN. The range instruction orders zeros, but returns the other
// operand if one operand is NaN. The min and max instructions return b if an operand is NaN, and may return either
// zero.
#define SUANZI_NAN(T, n, prefix, suffix, ordered_name, order, name, either)                     \
  SUANZI_INLINE Vec<T, n> ordered_name(Avx512, Vec<T, n> a, Vec<T, n> b) {                      \
    const auto nan = prefix##_cmp_##suffix##_mask(a.v, b.v, _CMP_UNORD_Q);                      \
    return prefix##_mask_add_##suffix(prefix##_range_##suffix(a.v, b.v, order), nan, a.v, b.v); \
  }                                                                                             \
  SUANZI_INLINE Vec<T, n> name(Avx512, Vec<T, n> a, Vec<T, n> b) {                              \
    const auto number = prefix##_cmp_##suffix##_mask(a.v, a.v, _CMP_ORD_Q);                     \
    return prefix##_mask_##either##_##suffix(a.v, number, a.v, b.v);                            \
  }
#define SUANZI_NANS(T, n, prefix, suffix)                            \
  SUANZI_NAN(T, n, prefix, suffix, maximum, 0b0101, max_or_nan, max) \
  SUANZI_NAN(T, n, prefix, suffix, minimum, 0b0100, min_or_nan, min)
SUANZI_NANS(float, 4, _mm, ps)
SUANZI_NANS(float, 8, _mm256, ps)
SUANZI_NANS(float, 16, _mm512, ps)
SUANZI_NANS(double, 2, _mm, pd)
SUANZI_NANS(double, 4, _mm256, pd)
SUANZI_NANS(double, 8, _mm512, pd)
#undef SUANZI_NANS
#undef SUANZI_NAN

// --- arithmetic ---

SUANZI_INLINE Vec<float, 16> fused_mul_add(Avx512, Vec<float, 16> a, Vec<float, 16> b, Vec<float, 16> c) {
  return _mm512_fmadd_ps(a.v, b.v, c.v);
}
SUANZI_INLINE Vec<double, 8> fused_mul_add(Avx512, Vec<double, 8> a, Vec<double, 8> b, Vec<double, 8> c) {
  return _mm512_fmadd_pd(a.v, b.v, c.v);
}

SUANZI_INLINE Vec<float, 16> sqrt(Avx512, Vec<float, 16> x) { return _mm512_sqrt_ps(x.v); }
SUANZI_INLINE Vec<double, 8> sqrt(Avx512, Vec<double, 8> x) { return _mm512_sqrt_pd(x.v); }

SUANZI_INLINE Vec<float, 16> rsqrt_estimate(Avx512, Vec<float, 16> x) { return _mm512_rsqrt14_ps(x.v); }
SUANZI_INLINE Vec<float, 16> reciprocal_estimate(Avx512, Vec<float, 16> x) { return _mm512_rcp14_ps(x.v); }

SUANZI_INLINE Vec<uint64_t, 8> multiply_words(Avx512, Vec<uint64_t, 8> a, Vec<uint64_t, 8> b) {
  return from_bits<Vec<uint64_t, 8>>(_mm512_mul_epu32(bits_of(a), bits_of(b)));
}
SUANZI_INLINE Vec<uint16_t, 32> multiply_high(Avx512, Vec<uint16_t, 32> a, Vec<uint16_t, 32> b) {
  return from_bits<Vec<uint16_t, 32>>(_mm512_mulhi_epu16(bits_of(a), bits_of(b)));
}
SUANZI_INLINE Vec<int32_t, 16> add_pair_products(Avx512, Vec<int32_t, 16> sum, Vec<uint32_t, 16> a,
                                                 Vec<uint32_t, 16> b) {
  return sum + from_bits<Vec<int32_t, 16>>(_mm512_madd_epi16(bits_of(a), bits_of(b)));
}

template <Rounding M>
SUANZI_INLINE Vec<float, 16> round(Avx512, Vec<float, 16> x) {
  return _mm512_roundscale_ps(x.v, int{M} | _MM_FROUND_NO_EXC);
}
template <Rounding M>
SUANZI_INLINE Vec<double, 8> round(Avx512, Vec<double, 8> x) {
  return _mm512_roundscale_pd(x.v, int{M} | _MM_FROUND_NO_EXC);
}

// --- exponents ---

SUANZI_INLINE Vec<double, 8> exponent(Avx512, Vec<double, 8> x) { return _mm512_getexp_pd(x.v); }
SUANZI_INLINE Vec<float, 16> exponent(Avx512, Vec<float, 16> x) { return _mm512_getexp_ps(x.v); }
SUANZI_INLINE Vec<float, 16> mantissa(Avx512, Vec<float, 16> x) {
  return _mm512_getmant_ps(x.v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
}
SUANZI_INLINE Vec<double, 8> mantissa(Avx512, Vec<double, 8> x) {
  return _mm512_getmant_pd(x.v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
}

SUANZI_INLINE Vec<double, 8> scale_by_floor(Avx512, Vec<double, 8> x, Vec<double, 8> n) {
  return _mm512_scalef_pd(x.v, n.v);
}
SUANZI_INLINE Vec<float, 16> scale_by_floor(Avx512, Vec<float, 16> x, Vec<float, 16> n) {
  return _mm512_scalef_ps(x.v, n.v);
}
SUANZI_INLINE Vec<double, 8> scale_by_power_of_two(Avx512 set, Vec<double, 8> x, Vec<double, 8> n) {
  return scale_by_floor(set, x, n);
}
SUANZI_INLINE Vec<double, 8> scale_by_power_of_two(Avx512 set, Vec<double, 8> x, Vec<int64_t, 8> n) {
  return scale_by_floor(set, x, Vec<double, 8>(_mm512_cvtepi64_pd(bits_of(n))));
}

// --- lanes ---

// Returns table[i] for each index, where i is the lowest 4 bits (table of 16) or the lowest 5 bits (table of 32) of the
// index.
SUANZI_INLINE Vec<double, 8> lookup(Avx512, const double (&table)[16], Vec<uint64_t, 8> index) {
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), bits_of(index), _mm512_loadu_pd(table + 8));
}
SUANZI_INLINE Vec<float, 16> lookup(Avx512, const float (&table)[32], Vec<uint32_t, 16> index) {
  return _mm512_permutex2var_ps(_mm512_loadu_ps(table), bits_of(index), _mm512_loadu_ps(table + 16));
}
SUANZI_INLINE Vec<double, 8> lookup(Avx512, const double (&table)[32], Vec<uint64_t, 8> index) {
  const __m512i lanes = bits_of(index);
  const __m512d low = _mm512_permutex2var_pd(_mm512_loadu_pd(table), lanes, _mm512_loadu_pd(table + 8));
  const __m512d high = _mm512_permutex2var_pd(_mm512_loadu_pd(table + 16), lanes, _mm512_loadu_pd(table + 24));
  return _mm512_mask_blend_pd(_mm512_test_epi64_mask(lanes, _mm512_set1_epi64(16)), low, high);
}

template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 64)
SUANZI_INLINE Vec<T, N> permute(Avx512, Vec<T, N> x, Vec<IntFor<T>, N> index) {
  const __m512i from = bits_of(x), lanes = bits_of(index);
  if constexpr (sizeof(T) == 4) return from_bits<Vec<T, N>>(_mm512_permutexvar_epi32(lanes, from));
  if constexpr (sizeof(T) == 8) return from_bits<Vec<T, N>>(_mm512_permutexvar_epi64(lanes, from));
}
template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 64)
SUANZI_INLINE Vec<T, N> permute(Avx512, Vec<T, N> low, Vec<T, N> high, Vec<IntFor<T>, N> index) {
  const __m512i a = bits_of(low), b = bits_of(high), lanes = bits_of(index);
  if constexpr (sizeof(T) == 4) return from_bits<Vec<T, N>>(_mm512_permutex2var_epi32(a, lanes, b));
  if constexpr (sizeof(T) == 8) return from_bits<Vec<T, N>>(_mm512_permutex2var_epi64(a, lanes, b));
}

// The code does not use the instruction that compresses to memory, because this instruction takes several hundred
// cycles on Zen 4.
template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 64)
SUANZI_INLINE Vec<T, N> compressed(Vec<T, N> x, uint64_t bits) {
  return from_bits<Vec<T, N>>(sizeof(T) == 4 ? _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), bits_of(x))
                                             : _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), bits_of(x)));
}
template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 64)
SUANZI_INLINE int compress_store(Avx512, Vec<T, N> x, uint64_t bits, T* p) {
  compressed(x, bits).store(p);
  return __builtin_popcountll(bits);
}
template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 64)
SUANZI_INLINE int compress_store_exactly(Avx512, Vec<T, N> x, uint64_t bits, T* p) {
  const int count = __builtin_popcountll(bits);
  compressed(x, bits).store_first(p, count);
  return count;
}

template <class T, int N>
  requires(Avx512::expands<T, N>)
SUANZI_INLINE Vec<T, N> expand_load(Avx512, const T* p, uint32_t bits, Vec<T, N> rest) {
  const __m512i some = bits_of(Vec<T, N>::load_first(p, __builtin_popcount(bits), T(0)));
  return from_bits<Vec<T, N>>(sizeof(T) == 4
                                  ? _mm512_mask_expand_epi32(bits_of(rest), static_cast<__mmask16>(bits), some)
                                  : _mm512_mask_expand_epi64(bits_of(rest), static_cast<__mmask8>(bits), some));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
