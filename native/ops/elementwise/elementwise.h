// The front of every elementwise operator: checks the operands, promotes, broadcasts, allocates, and runs the tile
// program of one step that the operation is.
#pragma once

#include <span>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// A tensor or, where `tensor` is null, a Python scalar.
struct Operand {
  const Tensor* tensor = nullptr;
  Scalar scalar;
};

// Applies `operation`. With `out`, writes there (broadcast shape and a castable type required) and returns it. `op` is
// its name in messages; by default its own name.
Tensor elementwise(Operation operation, std::span<const Operand> operands, const Tensor* out = nullptr,
                   KernelParams params = {}, const char* op = nullptr);

// Throws where `condition`, which chooses between elements, holds strings.
void check_condition(const char* op, const Tensor& condition);

}  // namespace suanzi
