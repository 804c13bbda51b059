// Reductions over any axes. Partial results form a tree that depends on the shape alone, so the result is the same
// bits on any number of threads.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/operations.h"
#include "tensor/tensor.h"

namespace suanzi {

// Bit i of `axes` asks for axis i to be reduced. `dtype` is the type of the result, in which integers are summed too;
// by default integers give 64 bits and floating types keep theirs.
Tensor reduce(Reduction op, const Tensor& x, uint64_t axes, bool keepdims, std::optional<DType> dtype = {});
Tensor mean(const Tensor& x, uint64_t axes, bool keepdims, std::optional<DType> dtype = {});

}  // namespace suanzi
