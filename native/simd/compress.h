// Functions that move the lanes that a comparison chooses to the front of a vector, for partitions and filters. Bit i
// of the argument `bits` is set if lane i is chosen.
#pragma once

#include "simd/bits.h"
#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

template <int N>
inline constexpr uint32_t all_lanes = N == 32 ? ~uint32_t{0} : (uint32_t{1} << N) - 1;

// Stores the lanes whose bit is set as consecutive elements, beginning at p. Returns the number of these lanes. p must
// have room for N elements, because the function may overwrite the elements behind the stored elements.
template <class T, int N>
SUANZI_INLINE int compress_store(Vec<T, N> x, uint64_t bits, T* p) {
  return arch::compress_store(Arch{}, x, bits, p);
}

// Stores the lanes whose bit is set, like compress_store, but writes nothing behind the stored lanes.
template <class T, int N>
SUANZI_INLINE int compress_store_exactly(Vec<T, N> x, uint64_t bits, T* p) {
  return arch::compress_store_exactly(Arch{}, x, bits, p);
}

// Loads consecutive elements at p to the lanes whose bit is set, and reads no further elements. The other lanes come
// from `rest`.
template <class T, int N>
  requires(sizeof(T) >= 4)
SUANZI_INLINE Vec<T, N> expand_load(const T* p, uint32_t bits, Vec<T, N> rest) {
  return arch::expand_load(Arch{}, p, bits, rest);
}

}  // namespace suanzi::SUANZI_LEVEL
