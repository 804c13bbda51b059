// AVX-512 with products of bytes summed in 32 bits (AVX512_VNNI), for the only family of kernels that is faster with
// these products.
#pragma once

#include "simd/arch/avx512.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Avx512Vnni : Avx512 {
  static constexpr bool multiplies_quads = true;
};

SUANZI_INLINE Vec<int32_t, 16> add_quad_products(Avx512Vnni, Vec<int32_t, 16> sum, Vec<uint32_t, 16> a,
                                                 Vec<uint32_t, 16> b) {
  return from_bits<Vec<int32_t, 16>>(_mm512_dpbusd_epi32(bits_of(sum), bits_of(a), bits_of(b)));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
