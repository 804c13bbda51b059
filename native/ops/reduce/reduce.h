// Reductions over any axes. Partial results form a tree that depends on the shape alone, so the result is the same
// bits on any number of threads. Means, norms and variances are made of these in statistics.h.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "tensor/tensor.h"
#include "walk/producer.h"

namespace suanzi {

// In all of these, `name` is the operator's name in messages, and bit i of `axes` asks for axis i to be reduced.

// sum, prod, max, min, all, any. `dtype` is the type of the result, in which integers are summed too; by default
// integers give 64 bits and floating types keep theirs.
Tensor reduce(const char* name, Reduction op, const walk::Elements& x, uint64_t axes, bool keepdims,
              std::optional<DType> dtype = {});

// The type that the kernels read, and the conversion of a tensor's elements to it; null where they are.
struct Staging {
  DType input;
  Kernel convert;
};

// Stages elements by a cast; TYPE_MISMATCH if there is none.
Staging stage_as(const char* name, const Tensor& x, DType input);

// The accumulators (accumulator_type) in the shape of the result.
Tensor accumulate(const char* name, Reduction op, const walk::Elements& x, uint64_t axes, bool keepdims,
                  const Staging& staging);

}  // namespace suanzi
