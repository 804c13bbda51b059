// Selection by truth: where elements other than zero are, those that a mask selects, and writing where it holds.
//
// Elements are numbered in row-major order. A mask may have any element type: nonzero elements are true. The truth of
// all elements is kept as bits meanwhile, an eighth of a byte for each.
#pragma once

#include <vector>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// The coordinates of the elements that are true: a row of int64 for each dimension, in one tensor.
Tensor nonzero(const char* op, const Tensor& x);
// The coordinates, each row as a tensor of its own.
std::vector<Tensor> nonzero_axes(const char* op, const Tensor& x);
// The coordinates, and the elements that were there when their truth was read; another thread may have changed them
// since.
struct Places {
  Tensor coordinates, elements;
};
Places nonzero_elements(const char* op, const Tensor& x);
// The number of nonzero elements along the axes whose bits are set, as int64.
Tensor count_nonzero(const char* op, const Tensor& x, uint64_t axes, bool keepdims);

// The elements of `x` where `mask` is true, both broadcast to one shape, as a vector.
Tensor masked_select(const char* op, const Tensor& x, const Tensor& mask);

// Writes `value` where `mask`, broadcast to the target's shape, is true.
void masked_fill(const char* op, const Tensor& target, const Tensor& mask, const Scalar& value);
// A copy of `x`, broadcast against the mask, in which that is done: in a new tensor or in `out`.
Tensor masked_fill_copy(const char* op, const Tensor& x, const Tensor& mask, const Scalar& value, const Tensor* out);

}  // namespace suanzi
