// Products of pairs of bfloat16 numbers, summed in float32. A pair fills a lane of 32 bits, with the first number in
// the lower half.
#pragma once

#include "simd/vec.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

// Returns the sum of `sum` and the two products of each pair of a and b. An instruction for this operation may treat
// subnormal numbers as 0 and return 0 instead of subnormal results. The generic code computes with subnormal numbers.
template <int N>
SUANZI_INLINE Vec<float, N> add_pair_products(Vec<float, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  return arch::add_pair_products(Arch{}, sum, a, b);
}

}  // namespace suanzi::SUANZI_LEVEL
