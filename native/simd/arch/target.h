// The instruction set for which this translation unit is compiled. The compiler's options choose this set, and no other
// file tests these options. Arch defines constants that describe the set, and arch::name(Arch{}, …) is an operation of
// the set.
#pragma once

#if defined(SUANZI_GENERIC)
#include "simd/arch/generic.h"
#define SUANZI_ARCH Generic
#elif defined(SUANZI_TABLES)
#include "simd/arch/tables.h"
#define SUANZI_ARCH Tables
// SUANZI_EMULATED is the name of the set, which is Avx512 or a set that extends Avx512.
#elif defined(SUANZI_EMULATED)
#include "simd/arch/emulated.h"
#define SUANZI_ARCH SUANZI_EMULATED
#elif defined(__AVX512F__) && defined(__AMX_TILE__)
#include "simd/arch/avx512_amx.h"
#define SUANZI_ARCH Avx512Amx
#elif defined(__AVX512F__) && defined(__AVX512BF16__)
#include "simd/arch/avx512_bf16.h"
#define SUANZI_ARCH Avx512Bf16
#elif defined(__AVX512F__) && defined(__AVX512VNNI__)
#include "simd/arch/avx512_vnni.h"
#define SUANZI_ARCH Avx512Vnni
#elif defined(__AVX512F__)
#include "simd/arch/avx512.h"
#define SUANZI_ARCH Avx512
#elif defined(__AVX2__) && defined(__AVXVNNI__)
#include "simd/arch/avx_vnni.h"
#define SUANZI_ARCH AvxVnni
#elif defined(__AVX2__)
#include "simd/arch/avx2.h"
#define SUANZI_ARCH Avx2
#elif defined(__x86_64__)
#include "simd/arch/sse2.h"
#define SUANZI_ARCH Sse2
#elif defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include "simd/arch/neon_mmla.h"
#define SUANZI_ARCH NeonMmla
#elif defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)
#include "simd/arch/neon_dot.h"
#define SUANZI_ARCH NeonDot
// -DSUANZI_GENERIC excludes the set Neon.
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include "simd/arch/neon.h"
#define SUANZI_ARCH Neon
#else
#include "simd/arch/generic.h"
#define SUANZI_ARCH Generic
#endif

namespace suanzi::SUANZI_LEVEL {

using Arch = arch::SUANZI_ARCH;

// The size in bytes of the vectors that kernels work with.
inline constexpr int vector_bytes = Arch::vector_bytes;

}  // namespace suanzi::SUANZI_LEVEL

#undef SUANZI_ARCH
