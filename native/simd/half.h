// Conversions of float16 and bfloat16 to and from float32, for Vec and for arrays. The 16-bit types are represented by
// their bits.
//
// Rounding is to nearest even. NaN stays NaN and becomes quiet. Like the conversion instructions, the functions keep
// the sign and the upper bits of a NaN's payload, so that all levels return the same bits. walk/convert.kernels.cpp
// converts float64 and integers to a 16-bit type with one rounding.
#pragma once

#include "base/dtype.h"
#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

template <class T>
inline constexpr bool is_half_storage = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Returns the exact value of a float16 or bfloat16 (H).
template <class H, int N>
SUANZI_INLINE Vec<float, N> widen_half(Vec<uint16_t, N> h) {
  if constexpr (std::is_same_v<H, BFloat16>) {
    const Vec<int32_t, N> bits = convert<int32_t>(h) << 16;
    const Vec<float, N> x = bit_cast<float>(bits);
    return select(x != x, bit_cast<float>(bits | 0x400000), x);
  } else {
    return arch::widen_float16(Arch{}, h);
  }
}

// Returns the float16 or bfloat16 (H) nearest to a float32.
template <class H, int N>
SUANZI_INLINE Vec<uint16_t, N> narrow_half(Vec<float, N> x) {
  if constexpr (std::is_same_v<H, BFloat16>) {
    const Vec<uint32_t, N> bits = bit_cast<uint32_t>(x);
    const Vec<uint32_t, N> rounded = (bits + ((bits >> 16) & 1u) + 0x7fffu) >> 16;
    return convert<uint16_t>(select(x != x, (bits >> 16) | 0x40u, rounded));
  } else {
    return arch::narrow_float16(Arch{}, x);
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
