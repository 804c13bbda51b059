// Reductions over any axes. Partial results form a tree that depends only on the shape, the strides and the type, so
// the result has the same bits on any number of threads. statistics.h computes means, norms and variances from these
// reductions.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

// In all functions of this file, `name` is the operator's name in messages. Bit i of `axes` is set if the function
// reduces axis i.

// Computes sum, prod, max, min, all and any. `dtype` is the type of the result. By default, sums and products of
// integers and bool have 64 bits, the results of all and any are bool, and other results have the type of x. Elements
// are first cast to an integer type `dtype`, except for all and any, because a fraction counts as true. A floating type
// `dtype` rounds sums and products once, at the end.
Tensor reduce(const char* name, Reduction op, const walk::Elements& x, uint64_t axes, bool keepdims,
              std::optional<DType> dtype = {});

// The type that the kernels read, and the conversion of a tensor's elements to this type. The conversion is null if the
// elements have this type.
struct Staging {
  DType input;
  Kernel convert;
};

// Returns the staging of elements by a cast to `input`. Fails with TYPE_MISMATCH if the cast does not exist.
Staging stage_as(const char* name, const Tensor& x, DType input);
// Returns the type to which the elements of a sum, a product or a mean are converted if the result has the type
// `wanted`. A floating type that may not hold the elements is only the type of the result.
DType computed_as(DType elements, DType wanted);

// Returns the accumulators of a fold in the shape of the result. The type of the accumulators is accumulator_type(op,
// input type).
Tensor accumulate(const char* name, Reduction op, const walk::Elements& x, uint64_t axes, bool keepdims,
                  const Staging& staging);

}  // namespace suanzi
