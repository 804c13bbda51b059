// The levels that CMake built, which libsuanzi offers to Python's module.
//
// This file belongs to no level: it must not include what is compiled per level.
#include <iterator>

#include "kernels/built.h"

namespace suanzi {

// SUANZI_LEVELS_BUILT is a list LEVEL(baseline) LEVEL(avx2) …, the best one last: CMake makes it.
#define LEVEL(name)                      \
  namespace name {                       \
  const KernelTable& table();            \
  extern const ByteKernels byte_kernels; \
  }
SUANZI_LEVELS_BUILT
#undef LEVEL
#if defined(SUANZI_HAVE_AVX512_BF16)
namespace avx512_bf16 {
extern const Bfloat16Gemm gemm;
}
#endif
#if defined(SUANZI_HAVE_AVX512_VNNI)
namespace avx512_vnni {
extern const ByteKernels byte_kernels;
}
#endif
#if defined(SUANZI_HAVE_AVX_VNNI)
namespace avx_vnni {
extern const ByteKernels byte_kernels;
}
#endif
#if defined(SUANZI_HAVE_NEON_DOT)
namespace neon_dot {
extern const ByteKernels byte_kernels;
}
#endif

namespace {

constexpr BuiltLevel levels[] = {
#define LEVEL(name) {#name, name::table, &name::byte_kernels},
    SUANZI_LEVELS_BUILT
#undef LEVEL
};

constexpr BuiltKernels built = {
    .headers = SUANZI_HEADERS,
    .levels = levels,
    .count = static_cast<int>(std::size(levels)),
#if defined(SUANZI_HAVE_AVX512_BF16)
    .bfloat16_gemm = &avx512_bf16::gemm,
#else
    .bfloat16_gemm = nullptr,
#endif
#if defined(SUANZI_HAVE_AVX512_VNNI)
    .avx512_vnni = &avx512_vnni::byte_kernels,
#else
    .avx512_vnni = nullptr,
#endif
#if defined(SUANZI_HAVE_AVX_VNNI)
    .avx_vnni = &avx_vnni::byte_kernels,
#else
    .avx_vnni = nullptr,
#endif
#if defined(SUANZI_HAVE_NEON_DOT)
    .neon_dot = &neon_dot::byte_kernels,
#else
    .neon_dot = nullptr,
#endif
};

}  // namespace

const BuiltKernels& built_kernels() { return built; }

}  // namespace suanzi
