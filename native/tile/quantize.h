// Real numbers to integer codes and back, as tile programs: every number is read once and every code written once.
#pragma once

#include "tensor/tensor.h"

namespace suanzi {

// rint(x / scale) + zero_point, ties to even, held to the ends of the codes' type: from minus its greatest value where
// `symmetric`. Computed in float64; `scale` broadcasts to x, which holds no NaN.
Tensor quantize(const char* op, const Tensor& x, const Tensor& scale, int64_t zero_point, DType codes, bool symmetric);

// scale * (code - zero_point) in a floating type. The difference is exact where it has no more digits than the type.
Tensor dequantize(const char* op, const Tensor& codes, const Tensor& scale, int64_t zero_point, DType real);

}  // namespace suanzi
