// AVX-512 with products of bfloat16 pairs, which only some processors with AVX-512 have. Only one kernel is compiled
// for this set.
#pragma once

#include "simd/arch/avx512.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Avx512Bf16 : Avx512 {};

SUANZI_INLINE Vec<float, 16> add_pair_products(Avx512Bf16, Vec<float, 16> sum, Vec<uint32_t, 16> a,
                                               Vec<uint32_t, 16> b) {
#if defined(__clang__) && __clang_major__ < 18 && !defined(SUANZI_EMULATED)
  // Clang 16's optimiser crashes on integers that are cast to vectors of bfloat16. Newer versions of Clang do not
  // crash. With the asm statement, newer versions would not unroll loops, and the sums of a tile would be in memory.
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum.v) : "v"(a.v), "v"(b.v));
  return sum;
#else
  return _mm512_dpbf16_ps(sum.v, reinterpret_cast<__m512bh>(a.v), reinterpret_cast<__m512bh>(b.v));
#endif
}

}  // namespace suanzi::SUANZI_LEVEL::arch
