// Masks as integers, a bit for each lane.
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

}  // namespace suanzi::SUANZI_LEVEL
