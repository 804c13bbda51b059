// Copying tensors whole: with broadcasting, casts and any strides, one tile program without steps or one move; and what
// anything that is written to a tensor is held to.
#pragma once

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// True if two tensors may have memory in common.
bool may_overlap(const Tensor& a, const Tensor& b);
// True if an input shares memory with the output otherwise than element for element: then it is to be copied first.
bool overlaps_partially(const Tensor& input, const Tensor& out);

// Throws where no result can be written to a tensor at all, by its state alone.
void check_target(const char* op, const Tensor& out);
// Checks `out`, also for another shape than the result's, or a type that would lose the result's kind.
void check_out(const char* op, const Tensor& out, const Dims& shape, DType result);

// Writes the scalar as an element of type `t` on its way into `target`, whose storage keeps the bytes of a string.
void store_element(const char* op, const Scalar& scalar, DType t, const Tensor& target, ElementBuffer& element);

// Copies `source` to `target` with broadcasting and cast.
void copy_into(const char* op, const Tensor& target, const Tensor& source);
// Fills a tensor with a scalar.
void fill(const char* op, const Tensor& target, const Scalar& value);

// A copy with another element type; the logical order is kept.
Tensor cast(const char* op, const Tensor& x, DType dtype);
// A copy in the same type: in the same logical order, or in the default one unless it is that already.
Tensor clone(const char* op, const Tensor& x);
Tensor to_contiguous(const char* op, const Tensor& x);
// A view of another shape, or a copy where strides allow none.
Tensor reshape(const char* op, const Tensor& x, const Dims& shape);

}  // namespace suanzi
