// Reductions over any axes. Partial results form a tree that depends only on the shape, so the result has the same bits
// on any number of threads. statistics.h computes means, norms and variances from these reductions.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

// In all these functions, `name` is the operator's name in messages, and bit i of `axes` is set if axis i is to be
// reduced.

// Computes sum, prod, max, min, all and any. `dtype` is the type of the result, in which integers are also summed. By
// default, results for integers have 64 bits, and floating types keep their type.
Tensor reduce(const char* name, Reduction op, const walk::Elements& x, uint64_t axes, bool keepdims,
              std::optional<DType> dtype = {});

// The type that the kernels read, and the conversion of a tensor's elements to that type; the conversion is null if the
// elements have the type.
struct Staging {
  DType input;
  Kernel convert;
};

// Stages elements by a cast; fails with TYPE_MISMATCH if there is none.
Staging stage_as(const char* name, const Tensor& x, DType input);

// Returns the accumulators (accumulator_type) in the shape of the result.
Tensor accumulate(const char* name, Reduction op, const walk::Elements& x, uint64_t axes, bool keepdims,
                  const Staging& staging);

}  // namespace suanzi
