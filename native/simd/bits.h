// Functions that return a mask as an integer with a bit for each lane.
#pragma once

#include <cstdint>

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Returns the mask as an integer, in which bit i is lane i.
template <int Bytes, int N>
SUANZI_INLINE uint64_t to_bits(Mask<Bytes, N> m) {
  static_assert(N <= 64);
  return arch::to_bits(Arch{}, m);
}

// Returns an integer in which bit i is set if a < b in lane i. The lanes are unsigned integers.
template <class T, int N>
  requires(std::is_unsigned_v<T> && sizeof(T) >= 4)
SUANZI_INLINE uint32_t less_bits(Vec<T, N> a, Vec<T, N> b) {
  return arch::less_bits(Arch{}, a, b);
}

// Returns an integer in which bit i is set if byte i of the N bytes at p contains `bit`.
template <int N>
SUANZI_INLINE uint32_t test_bytes(const uint8_t* p, uint8_t bit) {
  return arch::test_bytes<N>(Arch{}, p, bit);
}

}  // namespace suanzi::SUANZI_LEVEL
