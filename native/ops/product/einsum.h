// Einstein's summation over named axes.
#pragma once

#include <span>
#include <string_view>

#include "tensor/tensor.h"

namespace suanzi::products {

// Computes numpy.einsum for a text of subscripts. The text consists of letters, commas between terms, at most one
// ellipsis for each term, and an optional "->". The function contracts operands in pairs. Each step contracts the pair
// for which the size of the product, less the sizes of the two operands, is least. Sums of float16 and bfloat16 are
// computed in float32.
Tensor einsum(std::string_view subscripts, std::span<const Tensor> operands);

}  // namespace suanzi::products
