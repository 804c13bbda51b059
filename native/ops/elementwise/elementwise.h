// The common code of all elementwise operators. This code checks the operands, promotes their types, broadcasts their
// shapes, allocates the result, and runs a tile program (walk/program.h) with the operation as its only step.
#pragma once

#include <span>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// A tensor or, if `tensor` is null, a Python scalar.
struct Operand {
  const Tensor* tensor = nullptr;
  Scalar scalar;
};

// Applies `operation` and returns the result. If `out` is given, the function writes the result to `out`, which must
// have the broadcast shape and a type to which the result can be cast. `op` is the operator's name in messages. By
// default, the operator has the name of the operation.
Tensor elementwise(Operation operation, std::span<const Operand> operands, const Tensor* out = nullptr,
                   KernelParams params = {}, const char* op = nullptr);

// Fails if `condition`, which chooses between elements, holds strings.
void check_condition(const char* op, const Tensor& condition);

}  // namespace suanzi
