// Moving the lanes that a comparison picks to the front of a vector: what partitions and filters are made of.
//
// Lanes are picked by a bit each. The instructions for it are AVX-512's compress and, at AVX2, a permutation looked up
// by the bits; the generic version goes lane by lane.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

template <int N>
inline constexpr uint32_t all_lanes = N == 32 ? ~uint32_t{0} : (uint32_t{1} << N) - 1;

// A bit for each lane of unsigned integers in which a < b.
template <class T, int N>
  requires(std::is_unsigned_v<T> && sizeof(T) >= 4)
SUANZI_INLINE uint32_t less_bits(Vec<T, N> a, Vec<T, N> b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(a.v) == 64) {
    const __m512i x = reinterpret_cast<__m512i>(a.v), y = reinterpret_cast<__m512i>(b.v);
    return sizeof(T) == 4 ? static_cast<uint32_t>(_mm512_cmplt_epu32_mask(x, y)) : _mm512_cmplt_epu64_mask(x, y);
  }
#endif
  const Mask<sizeof(T), N> m = a < b;
#if defined(__AVX2__)
  if constexpr (sizeof(a.v) == 32) {
    return static_cast<uint32_t>(sizeof(T) == 4 ? _mm256_movemask_ps(reinterpret_cast<__m256>(m.v))
                                                : _mm256_movemask_pd(reinterpret_cast<__m256d>(m.v)));
  }
#endif
  uint32_t bits = 0;
  for (int i = 0; i < N; ++i) bits |= static_cast<uint32_t>(m.v[i] & 1) << i;
  return bits;
}

#if defined(__AVX2__) && !defined(__AVX512F__)
namespace detail {
// For each choice among Lanes lanes, the 32-bit words of the chosen ones in order.
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
}  // namespace detail
#endif

// Stores the lanes whose bit is set at p, one after the other, and returns how many they are. What follows them is
// overwritten up to the N-th lane.
template <class T, int N>
  requires(sizeof(T) >= 4)
SUANZI_INLINE int compress_store(Vec<T, N> x, uint32_t bits, T* p) {
#if defined(__AVX512F__)
  // Compressing to memory would be one instruction, but one that takes some hundred cycles on Zen 4.
  if constexpr (sizeof(x.v) == 64) {
    const __m512i all = reinterpret_cast<__m512i>(x.v);
    const __m512i chosen = sizeof(T) == 4 ? _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), all)
                                          : _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), all);
    _mm512_storeu_si512(p, chosen);
    return __builtin_popcount(bits);
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(x.v) == 32) {
    const __m256i order =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(detail::compress_table<N>.words[bits])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(x.v), order));
    return __builtin_popcount(bits);
  }
#endif
  int count = 0;
  for (int i = 0; i < N; ++i) {
    p[count] = x.v[i];
    count += bits >> i & 1;
  }
  return count;
}

// A bit for each of N bytes at p that has `bit` set.
template <int N>
SUANZI_INLINE uint32_t test_bytes(const uint8_t* p, uint8_t bit) {
#if defined(__AVX512BW__)
  if constexpr (N == 8 || N == 16) {
    const __m128i bytes = N == 16 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))
                                  : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm_test_epi8_mask(bytes, _mm_set1_epi8(static_cast<char>(bit)));
  }
#endif
  uint32_t bits = 0;
  for (int i = 0; i < N; ++i) bits |= static_cast<uint32_t>((p[i] & bit) != 0) << i;
  return bits;
}

// The lanes whose bit is set from elements that follow one another at p, of which no more are read; the others are
// those of `rest`.
template <class T, int N>
  requires(sizeof(T) >= 4)
SUANZI_INLINE Vec<T, N> expand_load(const T* p, uint32_t bits, Vec<T, N> rest) {
#if defined(__AVX512F__)
  if constexpr (sizeof(rest.v) == 64) {
    const __m512i some = reinterpret_cast<__m512i>(Vec<T, N>::load_first(p, __builtin_popcount(bits), T(0)).v);
    const __m512i others = reinterpret_cast<__m512i>(rest.v);
    return reinterpret_cast<typename Vec<T, N>::native>(
        sizeof(T) == 4 ? _mm512_mask_expand_epi32(others, static_cast<__mmask16>(bits), some)
                       : _mm512_mask_expand_epi64(others, static_cast<__mmask8>(bits), some));
  }
#endif
  for (int i = 0; i < N; ++i)
    if (bits >> i & 1) rest.v[i] = *p++;
  return rest;
}

}  // namespace suanzi::SUANZI_LEVEL
