// AVX2 and the other instructions of x86-64-v3 (FMA, F16C, BMI2 and all of SSE4.2), with registers of 32 bytes.
#pragma once

#include <immintrin.h>

#include "simd/arch/sse2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Avx2 : Sse2 {
  static constexpr int vector_bytes = 32;
  static constexpr bool fuses_multiply_add = true;
  static constexpr bool rounds_to_integral = true;
  static constexpr int float_table = 8;
  template <class T, int N>
  static constexpr bool permutes = sizeof(T) == 4 && N == 8;
  template <class T, int N>
  static constexpr bool compresses = sizeof(T) >= 4 && sizeof(T) * N == 32;
};

template <class T, int N>
  requires(sizeof(T) * N == 32)
SUANZI_INLINE __m256i bits_of(Vec<T, N> x) {
  return reinterpret_cast<__m256i>(x.v);
}

// --- memory ---

template <class T, int N>
  requires(sizeof(T) * N == 32)
SUANZI_INLINE void stream(Avx2, T* p, Vec<T, N> x) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(p), bits_of(x));
}

// Returns a mask in which all bits of the first n words of 32 bits are set.
SUANZI_INLINE __m256i first_words(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 32)
SUANZI_INLINE Vec<T, N> load_first(Avx2, const T* p, int n, Vec<T, N> rest) {
  const __m256i words = first_words(n * static_cast<int>(sizeof(T) / 4));
  const __m256i read = _mm256_maskload_epi32(reinterpret_cast<const int*>(p), words);
  return from_bits<Vec<T, N>>(_mm256_blendv_epi8(bits_of(rest), read, words));
}
template <class T, int N>
  requires(sizeof(T) >= 4 && sizeof(T) * N == 32)
SUANZI_INLINE void store_first(Avx2, T* p, int n, Vec<T, N> x) {
  const __m256i words = first_words(n * static_cast<int>(sizeof(T) / 4));
  _mm256_maskstore_epi32(reinterpret_cast<int*>(p), words, bits_of(x));
}

// --- conversions that the compiler does by halves or lane by lane ---

#define SUANZI_WIDEN(from, to, n, intrinsic)                                                 \
  SUANZI_INLINE Vec<int##to##_t, n> resize(Avx2, Vec<int##from##_t, n> x, Bytes<to / 8>) {   \
    return from_bits<Vec<int##to##_t, n>>(intrinsic##epi##from##_epi##to(bits_of(x)));       \
  }                                                                                          \
  SUANZI_INLINE Vec<uint##to##_t, n> resize(Avx2, Vec<uint##from##_t, n> x, Bytes<to / 8>) { \
    return from_bits<Vec<uint##to##_t, n>>(intrinsic##epu##from##_epi##to(bits_of(x)));      \
  }
SUANZI_WIDEN(8, 16, 8, _mm_cvt)
SUANZI_WIDEN(8, 32, 4, _mm_cvt)
SUANZI_WIDEN(16, 32, 4, _mm_cvt)
SUANZI_WIDEN(32, 64, 2, _mm_cvt)
SUANZI_WIDEN(8, 16, 16, _mm256_cvt)
SUANZI_WIDEN(8, 32, 8, _mm256_cvt)
SUANZI_WIDEN(16, 32, 8, _mm256_cvt)
SUANZI_WIDEN(16, 64, 4, _mm256_cvt)
SUANZI_WIDEN(32, 64, 4, _mm256_cvt)
#undef SUANZI_WIDEN

// Narrows each word of 32 bits to its lowest byte or its lower half.
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) == 4)
SUANZI_INLINE Vec<Resized<T, 1>, 8> resize(Avx2, Vec<T, 8> x, Bytes<1>) {
  const __m128i bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i kept = _mm256_shuffle_epi8(bits_of(x), _mm256_broadcastsi128_si256(bytes));
  return from_bits<Vec<Resized<T, 1>, 8>>(
      _mm_unpacklo_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1)));
}
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) == 4)
SUANZI_INLINE Vec<Resized<T, 2>, 8> resize(Avx2, Vec<T, 8> x, Bytes<2>) {
  const __m128i bytes = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i kept = _mm256_shuffle_epi8(bits_of(x), _mm256_broadcastsi128_si256(bytes));
  return from_bits<Vec<Resized<T, 2>, 8>>(
      _mm_unpacklo_epi64(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1)));
}

SUANZI_INLINE Vec<double, 4> to_float64(Avx2, Vec<float, 4> x) { return _mm256_cvtps_pd(x.v); }
SUANZI_INLINE Vec<double, 4> to_float64(Avx2, Vec<int32_t, 4> x) { return _mm256_cvtepi32_pd(bits_of(x)); }
SUANZI_INLINE Vec<float, 4> to_float32(Avx2, Vec<double, 4> x) { return _mm256_cvtpd_ps(x.v); }

SUANZI_INLINE Vec<float, 8> widen_float16(Avx2, Vec<uint16_t, 8> x) { return _mm256_cvtph_ps(bits_of(x)); }
SUANZI_INLINE Vec<uint16_t, 8> narrow_float16(Avx2, Vec<float, 8> x) {
  return from_bits<Vec<uint16_t, 8>>(_mm256_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

SUANZI_INLINE Vec<int32_t, 8> nearest_int32(Avx2, Vec<float, 8> x) {
  return from_bits<Vec<int32_t, 8>>(_mm256_cvtps_epi32(x.v));
}
SUANZI_INLINE Vec<int32_t, 4> nearest_int32(Avx2, Vec<double, 4> x) {
  return from_bits<Vec<int32_t, 4>>(_mm256_cvtpd_epi32(x.v));
}
SUANZI_INLINE Vec<int8_t, 8> saturated_bytes(Avx2, Vec<int32_t, 8> x, Vec<int8_t, 8> least) {
  const __m256i all = bits_of(x);
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  return from_bits<Vec<int8_t, 8>>(_mm_max_epi8(_mm_packs_epi16(words, words), bits_of(least)));
}
SUANZI_INLINE Vec<int8_t, 32> saturated_bytes(Avx2, const Vec<int32_t, 8> (&x)[4], Vec<int8_t, 32> least) {
  const __m256i low = _mm256_packs_epi32(bits_of(x[0]), bits_of(x[1]));
  const __m256i high = _mm256_packs_epi32(bits_of(x[2]), bits_of(x[3]));
  const __m256i lanes = _mm256_packs_epi16(low, high);  // the lower halves of x[0] to x[3], then the upper halves
  const __m256i bytes = _mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  return from_bits<Vec<int8_t, 32>>(_mm256_max_epi8(bytes, bits_of(least)));
}

// --- comparison ---

template <int Bytes, int N>
  requires(Bytes * N == 16)
SUANZI_INLINE bool any(Avx2, Mask<Bytes, N> m) {
  const __m128i bits = reinterpret_cast<__m128i>(m.v);
  return !_mm_testz_si128(bits, bits);
}
template <int Bytes, int N>
  requires(Bytes * N == 32)
SUANZI_INLINE bool any(Avx2, Mask<Bytes, N> m) {
  const __m256i bits = reinterpret_cast<__m256i>(m.v);
  return !_mm256_testz_si256(bits, bits);
}

template <int Bytes, int N>
  requires(Bytes * N == 32)
SUANZI_INLINE uint64_t to_bits(Avx2, Mask<Bytes, N> m) {
  const __m256i bits = reinterpret_cast<__m256i>(m.v);
  if constexpr (Bytes == 8) return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(bits)));
  if constexpr (Bytes == 4) return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(bits)));
  if constexpr (Bytes == 2) {
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    return static_cast<unsigned>(_mm_movemask_epi8(bytes));
  }
  return static_cast<unsigned>(_mm256_movemask_epi8(bits));
}

SUANZI_INLINE Vec<float, 8> min(Avx2, Vec<float, 8> a, Vec<float, 8> b) { return _mm256_min_ps(a.v, b.v); }
SUANZI_INLINE Vec<float, 8> max(Avx2, Vec<float, 8> a, Vec<float, 8> b) { return _mm256_max_ps(a.v, b.v); }
SUANZI_INLINE Vec<double, 4> min(Avx2, Vec<double, 4> a, Vec<double, 4> b) { return _mm256_min_pd(a.v, b.v); }
SUANZI_INLINE Vec<double, 4> max(Avx2, Vec<double, 4> a, Vec<double, 4> b) { return _mm256_max_pd(a.v, b.v); }

// --- arithmetic ---

#define SUANZI_FUSED(T, n, intrinsic)                                                  \
  SUANZI_INLINE Vec<T, n> fused_mul_add(Avx2, Vec<T, n> a, Vec<T, n> b, Vec<T, n> c) { \
    return intrinsic(a.v, b.v, c.v);                                                   \
  }
SUANZI_FUSED(float, 4, _mm_fmadd_ps)
SUANZI_FUSED(float, 8, _mm256_fmadd_ps)
SUANZI_FUSED(double, 2, _mm_fmadd_pd)
SUANZI_FUSED(double, 4, _mm256_fmadd_pd)
#undef SUANZI_FUSED

SUANZI_INLINE Vec<float, 8> sqrt(Avx2, Vec<float, 8> x) { return _mm256_sqrt_ps(x.v); }
SUANZI_INLINE Vec<double, 4> sqrt(Avx2, Vec<double, 4> x) { return _mm256_sqrt_pd(x.v); }
SUANZI_INLINE Vec<float, 8> rsqrt_estimate(Avx2, Vec<float, 8> x) { return _mm256_rsqrt_ps(x.v); }
SUANZI_INLINE Vec<float, 8> reciprocal_estimate(Avx2, Vec<float, 8> x) { return _mm256_rcp_ps(x.v); }

SUANZI_INLINE Vec<uint64_t, 4> multiply_words(Avx2, Vec<uint64_t, 4> a, Vec<uint64_t, 4> b) {
  return from_bits<Vec<uint64_t, 4>>(_mm256_mul_epu32(bits_of(a), bits_of(b)));
}
SUANZI_INLINE Vec<uint16_t, 16> multiply_high(Avx2, Vec<uint16_t, 16> a, Vec<uint16_t, 16> b) {
  return from_bits<Vec<uint16_t, 16>>(_mm256_mulhi_epu16(bits_of(a), bits_of(b)));
}

SUANZI_INLINE Vec<int32_t, 8> add_pair_products(Avx2, Vec<int32_t, 8> sum, Vec<uint32_t, 8> a, Vec<uint32_t, 8> b) {
  return from_bits<Vec<int32_t, 8>>(_mm256_add_epi32(bits_of(sum), _mm256_madd_epi16(bits_of(a), bits_of(b))));
}

#define SUANZI_ROUND(T, n, intrinsic)                  \
  template <Rounding M>                                \
  SUANZI_INLINE Vec<T, n> round(Avx2, Vec<T, n> x) {   \
    return intrinsic(x.v, int{M} | _MM_FROUND_NO_EXC); \
  }
SUANZI_ROUND(float, 4, _mm_round_ps)
SUANZI_ROUND(float, 8, _mm256_round_ps)
SUANZI_ROUND(double, 2, _mm_round_pd)
SUANZI_ROUND(double, 4, _mm256_round_pd)
#undef SUANZI_ROUND

// --- lanes ---

template <class T>
  requires(sizeof(T) == 4)
SUANZI_INLINE Vec<T, 8> permute(Avx2, Vec<T, 8> x, Vec<int32_t, 8> index) {
  return from_bits<Vec<T, 8>>(_mm256_permutevar8x32_epi32(bits_of(x), bits_of(index)));
}

// A set bit in the index of an entry chooses one of `Lanes` lanes. The entry holds the indices of the 32-bit words of
// the chosen lanes, in order.
template <int Lanes>
struct CompressTable {
  uint8_t words[1 << Lanes][8] = {};
  constexpr CompressTable() {
    constexpr int parts = 8 / Lanes;
    for (int bits = 0; bits < 1 << Lanes; ++bits) {
      int at = 0;
      for (int lane = 0; lane < Lanes; ++lane)
        for (int part = 0; bits >> lane & 1 && part < parts; ++part)
          words[bits][at++] = static_cast<uint8_t>(lane * parts + part);
    }
  }
};
template <int Lanes>
inline constexpr CompressTable<Lanes> compress_table;

// Returns a vector that begins with the lanes whose bit is set. The other lanes of the result are unspecified.
template <class T, int N>
  requires(Avx2::compresses<T, N>)
SUANZI_INLINE Vec<T, N> compressed(Vec<T, N> x, uint64_t bits) {
  const auto* const words = reinterpret_cast<const __m128i*>(compress_table<N>.words[bits]);
  return from_bits<Vec<T, N>>(_mm256_permutevar8x32_epi32(bits_of(x), _mm256_cvtepu8_epi32(_mm_loadl_epi64(words))));
}
template <class T, int N>
  requires(Avx2::compresses<T, N>)
SUANZI_INLINE int compress_store(Avx2, Vec<T, N> x, uint64_t bits, T* p) {
  compressed(x, bits).store(p);
  return __builtin_popcountll(bits);
}
template <class T, int N>
  requires(Avx2::compresses<T, N>)
SUANZI_INLINE int compress_store_exactly(Avx2, Vec<T, N> x, uint64_t bits, T* p) {
  const int count = __builtin_popcountll(bits);
  compressed(x, bits).store_first(p, count);
  return count;
}

// Returns table[i] for each index, where i is the lowest 3 bits (table of 8) or the lowest 4 bits (table of 16) of the
// index.
SUANZI_INLINE Vec<float, 8> lookup(Avx2, const float (&table)[8], Vec<uint32_t, 8> index) {
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), bits_of(index));
}
SUANZI_INLINE Vec<float, 8> lookup(Avx2, const float (&table)[16], Vec<uint32_t, 8> index) {
  // The shift moves bit 3 to the sign bit.
  const __m256i lanes = bits_of(index), upper = _mm256_slli_epi32(lanes, 28);
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), lanes);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), lanes);
  return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(upper));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
