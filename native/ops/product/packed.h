// Products with matrices of packed codes. The whole matrix is never decoded at once.
#pragma once

#include "ops/product/packed.kernels.h"
#include "tensor/tensor.h"

namespace suanzi::products {

// The weight of a layer: uint8 codes of shape (features, blocks, bytes of a block), scales of shape (features, blocks),
// and zero points. Zero points are floating numbers of that shape, or packed like the codes; then each feature's zero
// points begin with a new byte.
struct PackedWeight {
  Tensor codes, scales;
  const Tensor* zeros;  // null if every zero point is half of the codes' range
  int64_t bits;         // 2, 4 or 8
};

// Computes x times the transposed weight, plus `bias` of shape (features), if given. The result has the type of x,
// float32, float16 or bfloat16; sums are float32 and rounded once. The last block may extend past the terms of x. For a
// few rows, codes are decoded in registers; for more rows, panels are decoded, which takes 4 MiB of scratch memory.
Tensor linear_packed(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias);

}  // namespace suanzi::products
