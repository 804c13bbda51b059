// The levels that CMake built, which libsuanzi passes to the Python module.
//
// This file belongs to no level, so it must not include code that is compiled for each level.
#include <iterator>

#include "kernels/built.h"

namespace suanzi {

// CMake writes two lists. The best entry of each list is the last entry. SUANZI_LEVELS_BUILT is LEVEL(baseline)
// LEVEL(avx2) …. SUANZI_PRODUCTS_BUILT is BYTES(avx_vnni, avx2) …. The second list names the further kernels of
// products, and the level of each kernel.
#define LEVEL(name)           \
  namespace name {            \
  const KernelTable& table(); \
  }                           \
  BYTES(name, name)
#define BYTES(name, level)               \
  namespace name {                       \
  extern const ByteKernels byte_kernels; \
  }
#define BFLOAT16(name, level)     \
  namespace name {                \
  extern const Bfloat16Gemm gemm; \
  }
#define BOTH(name, level) BYTES(name, level) BFLOAT16(name, level)
SUANZI_LEVELS_BUILT
SUANZI_PRODUCTS_BUILT
#undef LEVEL
#undef BYTES
#undef BFLOAT16
#undef BOTH

namespace {

constexpr BuiltLevel levels[] = {
#define LEVEL(name) {#name, name::table},
    SUANZI_LEVELS_BUILT
#undef LEVEL
};

constexpr BuiltProducts products[] = {
#define LEVEL(name) BYTES(name, name)
#define BYTES(name, level) {#name, #level, &name::byte_kernels, nullptr},
#define BFLOAT16(name, level) {#name, #level, nullptr, &name::gemm},
#define BOTH(name, level) {#name, #level, &name::byte_kernels, &name::gemm},
    SUANZI_LEVELS_BUILT SUANZI_PRODUCTS_BUILT
#undef LEVEL
#undef BYTES
#undef BFLOAT16
#undef BOTH
};

constexpr BuiltKernels built = {
    .headers = SUANZI_HEADERS,
    .levels = levels,
    .level_count = static_cast<int>(std::size(levels)),
    .products = products,
    .product_count = static_cast<int>(std::size(products)),
};

}  // namespace

const BuiltKernels& built_kernels() { return built; }

}  // namespace suanzi
