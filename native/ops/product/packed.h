// Products with matrices of packed codes, which are never decoded as a whole.
#pragma once

#include "ops/product/packed.kernels.h"
#include "tensor/tensor.h"

namespace suanzi::products {

// The weight of a layer: codes of uint8 and shape (features, blocks, bytes of a block), scales of shape (features,
// blocks), and zero points of that shape and floating, or packed as the codes are, each feature's from a byte on.
struct PackedWeight {
  Tensor codes, scales;
  const Tensor* zeros;  // null where all are half of the codes' range
  int64_t bits;         // 2, 4 or 8
};

// x times the transposed weight, and `bias` of (features), if given, added: of the type of x, which is float32 or a
// half, summed in float32 and rounded once. The last block goes on past the terms of x. A few rows are multiplied by
// codes that become numbers in registers; for more, panels of numbers are made, which takes 4 MiB of scratch memory.
Tensor linear_packed(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias);

}  // namespace suanzi::products
