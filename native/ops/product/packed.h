// Products with matrices of packed codes. The function never decodes the whole matrix at once.
#pragma once

#include "ops/product/packed.kernels.h"
#include "tensor/tensor.h"

namespace suanzi::products {

// The weight of a layer. Codes are uint8, of shape (features, blocks, bytes of a block). Scales have the shape
// (features, blocks). Zero points are floating numbers of the shape of the scales, or packed like the codes. Packed
// zero points of each feature begin with a new byte.
struct PackedWeight {
  Tensor codes, scales;
  // If the pointer is null, every zero point is 2^(bits - 1).
  const Tensor* zeros;
  int64_t bits;  // the number of bits in a code (2, 4 or 8)
};

// Computes x times the transposed weight and adds `bias` of shape (features), if given. The result has the type of x,
// which is float32, float16 or bfloat16. Sums are float32 and rounded once. The last block may extend past the terms of
// x. For a few rows, the kernels decode codes in registers. For more rows, the function decodes panels and needs 4 MiB
// of scratch memory, and about 520 KiB for each thread.
Tensor linear_packed(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias);

}  // namespace suanzi::products
