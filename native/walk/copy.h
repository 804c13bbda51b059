// Copies whole tensors, with broadcasting, casts and any strides, by one tile program without steps or by one move.
// Also checks tensors into which results are written.
#pragma once

#include <optional>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// True if two tensors may share memory.
bool may_overlap(const Tensor& a, const Tensor& b);
// True if an input shares memory with the output other than element for element. The input must then be copied first.
bool overlaps_partially(const Tensor& input, const Tensor& out);

// Fails if no result can ever be written to the tensor in its state.
void check_target(const char* op, const Tensor& out);
// Checks `out`. Fails if `out` has another shape than the result, or a type that would lose the result's kind.
void check_out(const char* op, const Tensor& out, const Dims& shape, DType result);
// Returns the type in which a result for `out` is computed, if that type is wider than the type of the result. Halves
// become another floating or complex type without being rounded first.
std::optional<DType> wider_type(DType result, const Tensor& out);

// Writes the scalar as an element of type `t` that will be stored in `target`, whose storage keeps the bytes of a
// string.
void store_element(const char* op, const Scalar& scalar, DType t, const Tensor& target, ElementBuffer& element);

// Copies `source` to `target` with broadcasting and cast.
void copy_into(const char* op, const Tensor& target, const Tensor& source);
// Fills a tensor with a scalar.
void fill(const char* op, const Tensor& target, const Scalar& value);

// Returns a copy with another element type and the same logical order.
Tensor cast(const char* op, const Tensor& x, DType dtype);
// Return a copy of the same type. `clone` keeps the logical order. `to_contiguous` uses the default order, and returns
// x itself if x already has that order.
Tensor clone(const char* op, const Tensor& x);
Tensor to_contiguous(const char* op, const Tensor& x);
// Returns a view of another shape, or a copy if the strides do not allow a view.
Tensor reshape(const char* op, const Tensor& x, const Dims& shape);

}  // namespace suanzi
