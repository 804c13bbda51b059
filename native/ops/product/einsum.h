// Einstein's summation over named axes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tensor/tensor.h"

namespace suanzi::products {

// Computes numpy.einsum for a text of subscripts. The text consists of letters, commas between terms, at most one
// ellipsis for each term, and an optional "->". The function contracts operands in pairs. Each step contracts the pair
// for which the size of the product, less the sizes of the two operands, is least. Sums of float16 and bfloat16 are
// computed in float32. `dtype`, if given, is the type of the result, to which the operands' types must promote.
Tensor einsum(std::string_view subscripts, std::span<const Tensor> operands, std::optional<DType> dtype = {});

}  // namespace suanzi::products
