// AVX2 with products of bytes summed in 32 bits (AVX-VNNI), for the only family of kernels that is faster with these
// products.
#pragma once

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct AvxVnni : Avx2 {
  static constexpr bool multiplies_quads = true;
};

SUANZI_INLINE Vec<int32_t, 8> add_quad_products(AvxVnni, Vec<int32_t, 8> sum, Vec<uint32_t, 8> a, Vec<uint32_t, 8> b) {
  return from_bits<Vec<int32_t, 8>>(_mm256_dpbusd_avx_epi32(bits_of(sum), bits_of(a), bits_of(b)));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
