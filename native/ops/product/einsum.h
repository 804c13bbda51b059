// Einstein's summation over named axes.
#pragma once

#include <span>
#include <string_view>

#include "tensor/tensor.h"

namespace suanzi::products {

// Computes numpy.einsum for a text of subscripts: letters, at most one ellipsis per term, and an optional "->".
// Operands are contracted in pairs; each step takes the pair whose product is smallest compared with its operands.
// float16 and bfloat16 are computed in float32.
Tensor einsum(std::string_view subscripts, std::span<const Tensor> operands);

}  // namespace suanzi::products
