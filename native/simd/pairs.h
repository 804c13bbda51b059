// Products of pairs of 16-bit integers and of quads of bytes, summed in 32 bits. A lane of 32 bits holds one pair or
// quad.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Returns the sum of `sum` and the two products of each pair of signed integers of a and b. Sums wrap.
template <int N>
SUANZI_INLINE Vec<int32_t, N> add_pair_products(Vec<int32_t, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  return arch::add_pair_products(Arch{}, sum, a, b);
}

// Returns the sum of `sum` and the four products of the bytes of a and the signed bytes of b in each lane. Sums wrap.
// The bytes of a are signed if Arch::signed_quads is true, and unsigned otherwise.
template <int N>
SUANZI_INLINE Vec<int32_t, N> add_quad_products(Vec<int32_t, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  return arch::add_quad_products(Arch{}, sum, a, b);
}

}  // namespace suanzi::SUANZI_LEVEL
