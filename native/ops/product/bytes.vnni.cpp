// The kernels of ops/product/bytes.kernels.h for levels that have an instruction for products of bytes.
#include "ops/product/bytes.tile.h"

namespace suanzi::SUANZI_LEVEL {

static_assert(Arch::multiplies_quads);
extern const ByteKernels byte_kernels;
const ByteKernels byte_kernels = ByteProducts<QuadWords>::kernels();

}  // namespace suanzi::SUANZI_LEVEL
