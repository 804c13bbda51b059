// Copies whole tensors with broadcasting, casts and any strides. A small copy between contiguous tensors is one call of
// a kernel. Any other copy is one tile program without steps, or one move. check_target and check_out check tensors to
// which results are written.
#pragma once

#include <optional>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// Returns true if two tensors may share memory.
bool may_overlap(const Tensor& a, const Tensor& b);
// Returns true if an input may share memory with the output. Returns false if each element of the input has the address
// and the type of the same element of the output. If the result is true, the caller must copy the input first.
bool overlaps_partially(const Tensor& input, const Tensor& out);

// Fails if no function can write a result to the tensor.
void check_target(const char* op, const Tensor& out);
// Fails if the shape of `out` differs from the result's shape, or if a conversion to the type of `out` would change the
// result's kind and lose information.
void check_out(const char* op, const Tensor& out, const Dims& shape, DType result);
// Returns the type in which a result for `out` is computed, if this type is wider than the type of the result. If the
// type of the result is float16 or bfloat16, a result for another floating or complex type is computed without an
// earlier rounding to 16 bits.
std::optional<DType> wider_type(DType result, const Tensor& out);

// Writes the scalar as an element of type `t` for `target`. The storage of `target` keeps the bytes of a string.
void store_element(const char* op, const Scalar& scalar, DType t, const Tensor& target, ElementBuffer& element);

// Copies `source` to `target` with broadcasting and a cast.
void copy_into(const char* op, const Tensor& target, const Tensor& source);
// Fills a tensor with a scalar.
void fill(const char* op, const Tensor& target, const Scalar& value);

// Returns a copy with another element type and the same logical order.
Tensor cast(const char* op, const Tensor& x, DType dtype);
// `clone` and `to_contiguous` return a copy of the same type. `clone` keeps the logical order. `to_contiguous` uses the
// default order, and returns x without a copy if x is already contiguous in this order.
Tensor clone(const char* op, const Tensor& x);
Tensor to_contiguous(const char* op, const Tensor& x);
// Returns a view with another shape, or a copy if the strides do not allow a view.
Tensor reshape(const char* op, const Tensor& x, const Dims& shape);

}  // namespace suanzi
