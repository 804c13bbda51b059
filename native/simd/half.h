// float16 and bfloat16 to and from float32, on Vec and on arrays. The 16-bit types are carried as their bits.
//
// Rounding is to nearest even. NaN stays NaN and becomes quiet; its sign and the upper bits of its payload are kept,
// as the conversion instructions do, so that all levels give the same bits. How float64 and the integers reach a
// 16-bit type with one rounding is in walk/convert.kernels.cpp.
#pragma once

#include "base/dtype.h"
#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

template <class T>
inline constexpr bool is_half_storage = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

namespace half {

template <int N>
using Bits = Vec<uint16_t, N>;
template <int N>
using Words = Vec<int32_t, N>;

template <int N>
SUANZI_INLINE Vec<float, N> from_float16_generic(Bits<N> h) {
  const Words<N> bits = convert<int32_t>(h);
  const Words<N> sign = (bits & 0x8000) << 16;
  const Words<N> magnitude = (bits & 0x7fff) << 13;
  // Read as a float32 the bits are too small by the difference of the biases, 127 - 15; scaling by a power of two
  // is exact and normalises the denormals.
  const Words<N> finite = bit_cast<int32_t>(bit_cast<float>(magnitude) * Vec<float, N>(0x1p112f));
  const Words<N> infinity(0x7c00 << 13);
  const Words<N> quiet = select(magnitude > infinity, Words<N>(0x400000), 0);
  return bit_cast<float>(select(magnitude >= infinity, magnitude | 0x7f800000 | quiet, finite) | sign);
}

template <int N>
SUANZI_INLINE Bits<N> to_float16_generic(Vec<float, N> x) {
  const Words<N> bits = bit_cast<int32_t>(x);
  const Words<N> magnitude = bits & 0x7fffffff;
  const Words<N> sign = bit_cast<int32_t>(bit_cast<uint32_t>(bits ^ magnitude) >> 16);
  const Words<N> odd = (magnitude >> 13) & 1;
  const Words<N> normal = (magnitude + odd + (0xfff - (112 << 23))) >> 13;
  // The last place of a sum in [0.5, 1) is 2^-24, the smallest float16, so the addition itself rounds to it.
  const Words<N> denormal = bit_cast<int32_t>(bit_cast<float>(magnitude) + Vec<float, N>(0.5f)) - 0x3f000000;
  const Words<N> nan = ((magnitude >> 13) & 0x3ff) | 0x7e00;
  Words<N> h = select(magnitude < Words<N>(113 << 23), denormal, normal);
  h = select(magnitude >= Words<N>(0x477ff000), Words<N>(0x7c00), h);  // 65520, halfway past the largest
  h = select(magnitude > Words<N>(0x7f800000), nan, h);
  return convert<uint16_t>(h | sign);
}

}  // namespace half

// The value of a float16 or bfloat16 (H), exactly.
template <class H, int N>
SUANZI_INLINE Vec<float, N> widen_half(Vec<uint16_t, N> h) {
  if constexpr (std::is_same_v<H, BFloat16>) {
    const Vec<int32_t, N> bits = convert<int32_t>(h) << 16;
    const Vec<float, N> x = bit_cast<float>(bits);
    return select(x != x, bit_cast<float>(bits | 0x400000), x);
  } else {
#if defined(__F16C__)
    using V = typename Vec<float, N>::native;
#if defined(__AVX512F__)
    if constexpr (N == 16) return reinterpret_cast<V>(_mm512_cvtph_ps(reinterpret_cast<__m256i>(h.v)));
#endif
    if constexpr (N == 8) return reinterpret_cast<V>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(h.v)));
#endif
    return half::from_float16_generic(h);
  }
}

// The float16 or bfloat16 (H) nearest to a float32.
template <class H, int N>
SUANZI_INLINE Vec<uint16_t, N> narrow_half(Vec<float, N> x) {
  if constexpr (std::is_same_v<H, BFloat16>) {
    const Vec<uint32_t, N> bits = bit_cast<uint32_t>(x);
    const Vec<uint32_t, N> rounded = (bits + ((bits >> 16) & 1u) + 0x7fffu) >> 16;
    return convert<uint16_t>(select(x != x, (bits >> 16) | 0x40u, rounded));
  } else {
#if defined(__F16C__)
    using V = typename Vec<uint16_t, N>::native;
    constexpr int nearest_even = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
#if defined(__AVX512F__)
    if constexpr (N == 16) return reinterpret_cast<V>(_mm512_cvtps_ph(reinterpret_cast<__m512>(x.v), nearest_even));
#endif
    if constexpr (N == 8) return reinterpret_cast<V>(_mm256_cvtps_ph(reinterpret_cast<__m256>(x.v), nearest_even));
#endif
    return half::to_float16_generic(x);
  }
}

template <class H>
SUANZI_INLINE void widen_halves(float* out, const H* in, int64_t n) {
  constexpr int N = vector_bytes / 4;
  const uint16_t* bits = reinterpret_cast<const uint16_t*>(in);
  int64_t i = 0;
  for (; i + N <= n; i += N) widen_half<H>(Vec<uint16_t, N>::load(bits + i)).store(out + i);
  const int rest = static_cast<int>(n - i);
  if (rest > 0) widen_half<H>(Vec<uint16_t, N>::load_first(bits + i, rest)).store_first(out + i, rest);
}

template <class H>
SUANZI_INLINE void narrow_to_halves(H* out, const float* in, int64_t n) {
  constexpr int N = vector_bytes / 4;
  uint16_t* bits = reinterpret_cast<uint16_t*>(out);
  int64_t i = 0;
  for (; i + N <= n; i += N) narrow_half<H>(Vec<float, N>::load(in + i)).store(bits + i);
  const int rest = static_cast<int>(n - i);
  if (rest > 0) narrow_half<H>(Vec<float, N>::load_first(in + i, rest)).store_first(bits + i, rest);
}

}  // namespace suanzi::SUANZI_LEVEL
