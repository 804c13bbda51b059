// The kernels of ops/product/bytes.kernels.h for every level. The kernels multiply words of two 16-bit integers, or
// words of four bytes in builds for tests.
#include <type_traits>

#include "kernels/families.h"
#include "ops/product/bytes.tile.h"

namespace suanzi::SUANZI_LEVEL {

extern const ByteKernels byte_kernels;
const ByteKernels byte_kernels =
    ByteProducts<std::conditional_t<Arch::multiplies_quads, QuadWords, PairWords>>::kernels();

}  // namespace suanzi::SUANZI_LEVEL
