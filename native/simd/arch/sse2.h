// SSE2, which every x86-64 processor has, with registers of 16 bytes.
#pragma once

#include <emmintrin.h>

#include "simd/arch/generic.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Sse2 : Generic {
  static constexpr bool multiplies_quads = false;
  static constexpr bool overflows_to_least = true;
};

// bits_of converts a Vec<T, N> to a register of integers, and from_bits converts a register to a Vec.
template <class T, int N>
  requires(sizeof(T) * N == 16)
SUANZI_INLINE __m128i bits_of(Vec<T, N> x) {
  return reinterpret_cast<__m128i>(x.v);
}
template <class V, class Register>
SUANZI_INLINE V from_bits(Register bits) {
  return reinterpret_cast<typename V::native>(bits);
}

// The functions below convert a vector of 4 or 8 bytes to a register and back. The vector is in the lowest bytes of the
// register.
template <class T, int N>
  requires(sizeof(T) * N == 4 || sizeof(T) * N == 8)
SUANZI_INLINE __m128i bits_of(Vec<T, N> x) {
  if constexpr (sizeof(x) == 8) {
    int64_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return _mm_cvtsi64_si128(bits);
  } else {
    int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return _mm_cvtsi32_si128(bits);
  }
}
template <class V>
  requires(sizeof(V) == 4 || sizeof(V) == 8)
SUANZI_INLINE V from_bits(__m128i all) {
  const int64_t bits = _mm_cvtsi128_si64(all);
  V v;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}

// --- memory ---

template <class T, int N>
  requires(sizeof(T) * N == 16)
SUANZI_INLINE void stream(Sse2, T* p, Vec<T, N> x) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(p), bits_of(x));
}
SUANZI_INLINE void finish_streaming(Sse2) { _mm_sfence(); }

// --- conversion ---

SUANZI_INLINE Vec<double, 2> to_float64(Sse2, Vec<int32_t, 2> x) { return _mm_cvtepi32_pd(bits_of(x)); }

SUANZI_INLINE Vec<int32_t, 4> nearest_int32(Sse2, Vec<float, 4> x) {
  return from_bits<Vec<int32_t, 4>>(_mm_cvtps_epi32(x.v));
}
SUANZI_INLINE Vec<int32_t, 2> nearest_int32(Sse2, Vec<double, 2> x) {
  return from_bits<Vec<int32_t, 2>>(_mm_cvtpd_epi32(x.v));
}

// --- comparison ---

template <int Bytes, int N>
  requires(Bytes * N == 16)
SUANZI_INLINE bool any(Sse2, Mask<Bytes, N> m) {
  const __m128i bits = reinterpret_cast<__m128i>(m.v);
  return _mm_movemask_epi8(_mm_cmpeq_epi8(bits, _mm_setzero_si128())) != 0xffff;
}

template <int Bytes, int N>
  requires(Bytes * N == 16)
SUANZI_INLINE uint64_t to_bits(Sse2, Mask<Bytes, N> m) {
  __m128i bits = reinterpret_cast<__m128i>(m.v);
  if constexpr (Bytes == 8) return static_cast<unsigned>(_mm_movemask_pd(_mm_castsi128_pd(bits)));
  if constexpr (Bytes == 4) return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(bits)));
  if constexpr (Bytes == 2) bits = _mm_packs_epi16(bits, _mm_setzero_si128());
  return static_cast<unsigned>(_mm_movemask_epi8(bits));
}

SUANZI_INLINE Vec<float, 4> min(Sse2, Vec<float, 4> a, Vec<float, 4> b) { return _mm_min_ps(a.v, b.v); }
SUANZI_INLINE Vec<float, 4> max(Sse2, Vec<float, 4> a, Vec<float, 4> b) { return _mm_max_ps(a.v, b.v); }
SUANZI_INLINE Vec<double, 2> min(Sse2, Vec<double, 2> a, Vec<double, 2> b) { return _mm_min_pd(a.v, b.v); }
SUANZI_INLINE Vec<double, 2> max(Sse2, Vec<double, 2> a, Vec<double, 2> b) { return _mm_max_pd(a.v, b.v); }

// --- arithmetic ---

SUANZI_INLINE Vec<float, 4> sqrt(Sse2, Vec<float, 4> x) { return _mm_sqrt_ps(x.v); }
SUANZI_INLINE Vec<double, 2> sqrt(Sse2, Vec<double, 2> x) { return _mm_sqrt_pd(x.v); }

SUANZI_INLINE Vec<uint64_t, 2> multiply_words(Sse2, Vec<uint64_t, 2> a, Vec<uint64_t, 2> b) {
  return from_bits<Vec<uint64_t, 2>>(_mm_mul_epu32(bits_of(a), bits_of(b)));
}
SUANZI_INLINE Vec<uint16_t, 8> multiply_high(Sse2, Vec<uint16_t, 8> a, Vec<uint16_t, 8> b) {
  return from_bits<Vec<uint16_t, 8>>(_mm_mulhi_epu16(bits_of(a), bits_of(b)));
}

SUANZI_INLINE Vec<int32_t, 4> add_pair_products(Sse2, Vec<int32_t, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  return from_bits<Vec<int32_t, 4>>(_mm_add_epi32(bits_of(sum), _mm_madd_epi16(bits_of(a), bits_of(b))));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
