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

// Applies `op`. With `out`, writes there (broadcast shape and a castable type required) and returns it.
Tensor elementwise(Operation op, std::span<const Operand> operands, const Tensor* out = nullptr,
                   KernelParams params = {});

// Whether an input shares memory with the output otherwise than element for element: then it is to be copied first.
bool overlaps_partially(const Tensor& input, const Tensor& out);

// Throws where `out` cannot take a result: its state, its shape, or a type that would lose the result's kind.
void check_out(const char* op, const Tensor& out, const Dims& shape, DType result);

// Throws where no result can be written to a tensor at all: its state alone, as check_out.
void check_target(const char* op, const Tensor& out);

// Whether two tensors may have memory in common.
bool may_overlap(const Tensor& a, const Tensor& b);

// Throws where `condition`, which chooses between elements, holds strings.
void check_condition(const char* op, const Tensor& condition);

// Writes the scalar as an element of type `t` on its way into `target`, whose storage keeps the bytes of a string.
void store_element(const char* op, const Scalar& scalar, DType t, const Tensor& target, ElementBuffer& element);

// Copies `source` to `target` with broadcasting and cast.
void copy_into(const char* op, const Tensor& target, const Tensor& source);
// The same for a scalar.
void fill(const char* op, const Tensor& target, const Scalar& value);

// A copy with another element type; the logical order is kept.
Tensor cast(const char* op, const Tensor& x, DType dtype);
// A copy in the same type: in the same logical order, or in the default one.
Tensor clone(const char* op, const Tensor& x);
Tensor to_contiguous(const char* op, const Tensor& x);
Tensor reshape(const char* op, const Tensor& x, const Dims& shape);

}  // namespace suanzi
