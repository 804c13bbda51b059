// Masks as integers, a bit for each lane, and what is done with such bits: lanes moved to the front.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

#if defined(__x86_64__)
namespace x86 {

// The top bit of each lane of so many bytes.
template <int Bytes>
SUANZI_INLINE uint64_t top_bits(__m128i x) {
  if constexpr (Bytes == 8) return static_cast<unsigned>(_mm_movemask_pd(_mm_castsi128_pd(x)));
  if constexpr (Bytes == 4) return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(x)));
  if constexpr (Bytes == 2) x = _mm_packs_epi16(x, _mm_setzero_si128());
  return static_cast<unsigned>(_mm_movemask_epi8(x));
}
#if defined(__AVX2__)
template <int Bytes>
SUANZI_INLINE uint64_t top_bits(__m256i x) {
  if constexpr (Bytes == 8) return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(x)));
  if constexpr (Bytes == 4) return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
  if constexpr (Bytes == 2)
    return top_bits<1>(_mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
  return static_cast<unsigned>(_mm256_movemask_epi8(x));
}
#endif
#if defined(__AVX512F__)
template <int Bytes>
SUANZI_INLINE uint64_t top_bits(__m512i x) {
  if constexpr (Bytes == 8) return _mm512_movepi64_mask(x);
  if constexpr (Bytes == 4) return _mm512_movepi32_mask(x);
  if constexpr (Bytes == 2) return _mm512_movepi16_mask(x);
  return _mm512_movepi8_mask(x);
}
#endif

}  // namespace x86
#endif

// Bit i is lane i.
template <int Bytes, int N>
SUANZI_INLINE uint64_t to_bits(Mask<Bytes, N> m) {
  static_assert(N <= 64);
#if defined(__x86_64__)
#if defined(__AVX512F__)
  if constexpr (sizeof(m.v) == 64) return x86::top_bits<Bytes>(reinterpret_cast<__m512i>(m.v));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(m.v) == 32) return x86::top_bits<Bytes>(reinterpret_cast<__m256i>(m.v));
#endif
  if constexpr (sizeof(m.v) == 16) return x86::top_bits<Bytes>(reinterpret_cast<__m128i>(m.v));
#endif
  uint64_t bits = 0;
  for (int i = 0; i < N; ++i) bits |= static_cast<uint64_t>(m.v[i] & 1) << i;
  return bits;
}

#if defined(__AVX2__)
// For each choice of 8 lanes, the chosen ones in order; and each choice of 4 lanes as one of 8 half as wide.
struct Choices {
  uint64_t of_eight[256] = {};
  uint8_t four_as_eight[16] = {};

  constexpr Choices() {
    for (unsigned bits = 0; bits < 256; ++bits)
      for (unsigned lane = 0, at = 0; lane < 8; ++lane)
        if (bits >> lane & 1) of_eight[bits] |= uint64_t(lane) << (8 * at++);
    for (unsigned bits = 0; bits < 16; ++bits)
      for (unsigned lane = 0; lane < 4; ++lane)
        four_as_eight[bits] |= static_cast<uint8_t>((bits >> lane & 1) * (3u << 2 * lane));
  }
};
inline constexpr Choices choices;

SUANZI_INLINE __m256i compress_words(__m256i x, uint64_t bits) {
  const __m128i lanes = _mm_cvtsi64_si128(static_cast<int64_t>(choices.of_eight[bits]));
  return _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(lanes));
}
#endif

// Writes the lanes whose bits are set one after the other and returns how many they are. There must be room for N
// elements: what follows those written is overwritten with anything.
template <class T, int N>
SUANZI_INLINE int compress_store(T* out, Vec<T, N> x, uint64_t bits) {
#if defined(__AVX2__)
  using V = typename Vec<T, N>::native;
  const int count = __builtin_popcountll(bits);
#if defined(__AVX512F__)
  if constexpr (N * sizeof(T) == 64 && sizeof(T) >= 4) {
    const __m512i all = reinterpret_cast<__m512i>(x.v);
    Vec<T, N> chosen;
    if constexpr (sizeof(T) == 4) {
      chosen.v = reinterpret_cast<V>(_mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), all));
    } else {
      chosen.v = reinterpret_cast<V>(_mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), all));
    }
    chosen.store(out);
    return count;
  }
#endif
  if constexpr (N * sizeof(T) == 32 && sizeof(T) >= 4) {
    const __m256i chosen =
        compress_words(reinterpret_cast<__m256i>(x.v), sizeof(T) == 8 ? choices.four_as_eight[bits] : bits);
    Vec<T, N>(reinterpret_cast<V>(chosen)).store(out);
    return count;
  }
#endif
  T lanes[N];
  x.store(lanes);
  int written = 0;
  for (int i = 0; i < N; ++i) {
    out[written] = lanes[i];
    written += static_cast<int>(bits >> i & 1);
  }
  return written;
}

}  // namespace suanzi::SUANZI_LEVEL
