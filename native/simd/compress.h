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

// Whether there is an instruction for vectors of this size.
template <class T, int N>
inline constexpr bool has_compress =
    sizeof(T) >= 4 && ((has_avx512 && sizeof(T) * N == 64) || (has_avx2 && sizeof(T) * N == 32));

#if defined(__AVX2__)
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

// The lanes whose bit is set, one after the other; what the lanes behind them hold is unspecified.
template <class T, int N>
  requires has_compress<T, N>
SUANZI_INLINE Vec<T, N> compressed(Vec<T, N> x, uint64_t bits) {
  using V = typename Vec<T, N>::native;
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64) {
    const __m512i all = reinterpret_cast<__m512i>(x.v);
    return reinterpret_cast<V>(sizeof(T) == 4 ? _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), all)
                                              : _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), all));
  }
#endif
  if constexpr (sizeof(x.v) == 32) {
    const auto* const words = reinterpret_cast<const __m128i*>(detail::compress_table<N>.words[bits]);
    return reinterpret_cast<V>(
        _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(x.v), _mm256_cvtepu8_epi32(_mm_loadl_epi64(words))));
  }
}
#endif

// Stores the lanes whose bit is set at p, one after the other, and returns how many they are. There must be room for N:
// what follows those stored is overwritten with anything. (Compressing to memory would be one instruction of AVX-512,
// but one that takes some hundred cycles on Zen 4.)
template <class T, int N>
SUANZI_INLINE int compress_store(Vec<T, N> x, uint64_t bits, T* p) {
  if constexpr (has_compress<T, N>) {
    compressed(x, bits).store(p);
    return __builtin_popcountll(bits);
  } else {
    T lanes[N];
    x.store(lanes);
    int count = 0;
    for (int i = 0; i < N; ++i) {
      p[count] = lanes[i];
      count += static_cast<int>(bits >> i & 1);
    }
    return count;
  }
}

// The same, and nothing behind them is written.
template <class T, int N>
SUANZI_INLINE int compress_store_exactly(Vec<T, N> x, uint64_t bits, T* p) {
  const int count = __builtin_popcountll(bits);
  if constexpr (has_compress<T, N>) {
    compressed(x, bits).store_first(p, count);
  } else {
    for (int i = 0; i < N; ++i)
      if (bits >> i & 1) *p++ = x.v[i];
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
