// Products of pairs of 16-bit integers and of quads of bytes, summed in 32 bits: a lane of 32 bits holds one pair or
// quad.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Returns sum + both products of each pair of signed integers of a and b; sums wrap.
template <int N>
SUANZI_INLINE Vec<int32_t, N> add_pair_products(Vec<int32_t, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  return arch::add_pair_products(Arch{}, sum, a, b);
}

// Returns sum + the four products of the bytes of a and the signed bytes of b in each lane; sums wrap. The bytes of a
// are signed if Arch::signed_quads is true, else unsigned.
template <int N>
SUANZI_INLINE Vec<int32_t, N> add_quad_products(Vec<int32_t, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  return arch::add_quad_products(Arch{}, sum, a, b);
}

}  // namespace suanzi::SUANZI_LEVEL
