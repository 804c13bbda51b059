// Operations on Vec of unsigned integers. The operations are products wider than their factors, shifts, and conversion
// to floating lanes. Every level returns the same bits, because the operations are exact except for one rounding
// addition.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr uint64_t low_word = 0xffffffff;

// Returns the products of the lower 32 bits of each lane. The upper bits of the factors may have any value.
template <int N>
SUANZI_INLINE Vec<uint64_t, N> multiply_words(Vec<uint64_t, N> a, Vec<uint64_t, N> b) {
  return arch::multiply_words(Arch{}, a, b);
}

// The two 64-bit halves of a 128-bit product.
template <int N>
struct WideProduct {
  Vec<uint64_t, N> high, low;
};

// Returns the 128 bits of each product of 64-bit lanes.
template <int N>
SUANZI_INLINE WideProduct<N> multiply_wide(Vec<uint64_t, N> a, Vec<uint64_t, N> b) {
  using V = Vec<uint64_t, N>;
  const V mask(low_word), a_high = a >> 32, b_high = b >> 32;
  const V low = multiply_words(a, b);
  const V middle = multiply_words(a_high, b) + (low >> 32);
  const V other = multiply_words(a, b_high) + (middle & mask);
  return {multiply_words(a_high, b_high) + (middle >> 32) + (other >> 32), (other << 32) | (low & mask)};
}

// Returns the upper halves of the products of unsigned lanes.
template <class T, int N>
SUANZI_INLINE Vec<T, N> multiply_high(Vec<T, N> a, Vec<T, N> b) {
  return arch::multiply_high(Arch{}, a, b);
}

// Returns x >> bits for unsigned lanes. x86 has no instruction that shifts bytes, so the function shifts lanes of 16
// bits.
template <class T, int N>
SUANZI_INLINE Vec<T, N> shift_right(Vec<T, N> x, int bits) {
  if constexpr (sizeof(T) == 1) {
    return bit_cast<uint8_t>(bit_cast<uint16_t>(x) >> bits) & Vec<T, N>(static_cast<T>(0xff >> bits));
  } else {
    return x >> bits;
  }
}

// Returns n + offset as the nearest float or double, for an offset of 0 or 1/2. The upper half of n is exact, the lower
// half plus the offset is exact, and the sum of the two halves rounds once.
template <int N>
SUANZI_INLINE Vec<float, N> to_real(Vec<uint32_t, N> n, float offset) {
  const Vec<uint32_t, N> mask(uint32_t{0xffff});
  const Vec<float, N> high = convert<float>(bit_cast<int32_t>(n >> 16)),
                      low = convert<float>(bit_cast<int32_t>(n & mask));
  return high * Vec<float, N>(0x1p16f) + (low + Vec<float, N>(offset));
}
template <int N>
SUANZI_INLINE Vec<double, N> to_real(Vec<uint64_t, N> n, double offset) {
  // The bits of 2^52 with an integer in the low bits are the double 2^52 plus the integer.
  const Vec<double, N> magic(0x1p52);
  const Vec<uint64_t, N> magic_bits = bit_cast<uint64_t>(magic), mask(low_word);
  const Vec<double, N> high = bit_cast<double>((n >> 32) | magic_bits) - magic;
  const Vec<double, N> low = bit_cast<double>((n & mask) | magic_bits) - magic;
  return high * Vec<double, N>(0x1p32) + (low + Vec<double, N>(offset));
}

}  // namespace suanzi::SUANZI_LEVEL
