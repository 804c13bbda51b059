// NEON with products of blocks of signed bytes and of bfloat16 numbers (FEAT_I8MM and FEAT_BF16), for the families of
// kernels that are faster with these products. simd/blocks.h describes each function.
#pragma once

#include "simd/arch/neon_dot.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct NeonMmla : NeonDot {};

SUANZI_INLINE Vec<uint32_t, 4> load_block(NeonMmla, const void* first, const void* second) {
  const auto row = [](const void* p) { return vld1_u8(static_cast<const uint8_t*>(p)); };
  return from<Vec<uint32_t, 4>>(vcombine_u8(row(first), row(second)));
}
SUANZI_INLINE Vec<int32_t, 4> add_block_products(NeonMmla, Vec<int32_t, 4> sum, Vec<uint32_t, 4> a,
                                                 Vec<uint32_t, 4> b) {
  const auto bytes = [](Vec<uint32_t, 4> x) { return vreinterpretq_s8_u32(as<uint32x4_t>(x)); };
  return from<Vec<int32_t, 4>>(vmmlaq_s32(as<int32x4_t>(sum), bytes(a), bytes(b)));
}
SUANZI_INLINE Vec<float, 4> add_block_products(NeonMmla, Vec<float, 4> sum, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  const auto numbers = [](Vec<uint32_t, 4> x) { return vreinterpretq_bf16_u32(as<uint32x4_t>(x)); };
  return from<Vec<float, 4>>(vbfmmlaq_f32(as<float32x4_t>(sum), numbers(a), numbers(b)));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
