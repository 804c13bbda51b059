// Products of blocks. A vector of factors holds eight bytes of each of two rows of A, or of two columns of B, along the
// summed axis. Eight bytes are eight signed integers or four bfloat16 numbers. A vector of sums holds the four sums of
// two rows and two columns, beginning with the sums of the first row.
#pragma once

#include "simd/arch/generic_blocks.h"
#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

// Loads eight bytes from each of two addresses.
SUANZI_INLINE Vec<uint32_t, 4> load_block(const void* first, const void* second) {
  return arch::load_block(Arch{}, first, second);
}

// Returns the sums of `sum` and the eight products of each row of a and each column of b. Sums wrap.
SUANZI_INLINE Vec<int32_t, 4> add_block_products(Vec<int32_t, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  return arch::add_block_products(Arch{}, sum, a, b);
}

// Returns the sums of `sum` and the four products of each row of a and each column of b. The first two products are
// added to each other, then to the sum. Then the last two products are added in the same way. An inexact sum is rounded
// to the neighbour in float32 whose last bit is 1. Subnormal numbers count as 0, in the factors and in all results.
SUANZI_INLINE Vec<float, 4> add_block_products(Vec<float, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  return arch::add_block_products(Arch{}, sum, a, b);
}

}  // namespace suanzi::SUANZI_LEVEL
