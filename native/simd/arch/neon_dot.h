// NEON with products of signed bytes summed in 32 bits (FEAT_DotProd), for the only family of kernels that is faster
// with these products.
#pragma once

#include "simd/arch/neon.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct NeonDot : Neon {
  static constexpr bool multiplies_quads = true;
  static constexpr bool signed_quads = true;
};

SUANZI_INLINE Vec<int32_t, 4> add_quad_products(NeonDot, Vec<int32_t, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  const auto bytes = [](Vec<uint32_t, 4> x) { return vreinterpretq_s8_u32(as<uint32x4_t>(x)); };
  return from<Vec<int32_t, 4>>(vdotq_s32(as<int32x4_t>(sum), bytes(a), bytes(b)));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
