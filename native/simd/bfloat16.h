// Products of pairs of bfloat16 numbers, summed in float32. A pair is the two halves of 32 bits, the first in the
// lower.
#pragma once

#include "simd/vec.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

// sum + both products of each pair of a and b. The instruction takes subnormal numbers for 0 and gives 0 for them; the
// generic code does not.
template <int N>
SUANZI_INLINE Vec<float, N> add_pair_products(Vec<float, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
#if defined(__AVX512BF16__)
  if constexpr (N == 16) {
#if defined(__clang__)
    // Clang 16's optimiser does not survive integers that become vectors of bfloat16.
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.v) : "v"(a.v), "v"(b.v));
    return sum;
#else
    using V = typename Vec<float, N>::native;
    return reinterpret_cast<V>(_mm512_dpbf16_ps(reinterpret_cast<__m512>(sum.v), reinterpret_cast<__m512bh>(a.v),
                                                reinterpret_cast<__m512bh>(b.v)));
#endif
  }
#endif
  const Vec<uint32_t, N> upper(0xffff0000u);
  sum = mul_add(bit_cast<float>(a & upper), bit_cast<float>(b & upper), sum);
  return mul_add(bit_cast<float>(a << 16), bit_cast<float>(b << 16), sum);
}

}  // namespace suanzi::SUANZI_LEVEL
