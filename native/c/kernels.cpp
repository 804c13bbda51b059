// What libsuanzi gives Python's module: the levels that CMake had built.
//
// This file belongs to no level: it must not include what is compiled per level.
#include <iterator>

#include "kernels/built.h"

namespace suanzi {

// SUANZI_LEVELS_BUILT is a list LEVEL(baseline) LEVEL(avx2) …, the best one last: CMake makes it.
#define LEVEL(name)           \
  namespace name {            \
  const KernelTable& table(); \
  }
SUANZI_LEVELS_BUILT
#undef LEVEL
#if defined(SUANZI_HAVE_AVX512_BF16)
namespace avx512_bf16 {
extern const Bfloat16Gemm gemm;
}
#endif

namespace {

constexpr BuiltLevel levels[] = {
#define LEVEL(name) {#name, name::table},
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
};

}  // namespace

const BuiltKernels& built_kernels() { return built; }

}  // namespace suanzi
