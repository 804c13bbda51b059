// Selection by truth finds elements that are not zero, selects elements by a mask, and writes elements where a mask is
// true.
//
// Elements are numbered in row-major order. A mask may have any element type, and its nonzero elements are true. During
// an operation, the code stores one bit for each element. The bit is 1 if the element is true.
#pragma once

#include <vector>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// Returns the coordinates of the true elements in one tensor, with a row of int64 for each dimension.
Tensor nonzero(const char* op, const Tensor& x);
// Returns the coordinates of the true elements in one tensor. Each row of coordinates is a separate tensor.
std::vector<Tensor> nonzero_axes(const char* op, const Tensor& x);
// The coordinates of true elements, and the values that these elements had when the code read the truth of the
// elements. Another thread may have changed the elements meanwhile.
struct Places {
  Tensor coordinates, elements;
};
Places nonzero_elements(const char* op, const Tensor& x);
// Returns the number of nonzero elements, as int64. Bit i of `axes` is set if the function counts along axis i.
Tensor count_nonzero(const char* op, const Tensor& x, uint64_t axes, bool keepdims);

// Returns a vector of the elements of `x` where `mask` is true. `x` and `mask` broadcast to one shape.
Tensor masked_select(const char* op, const Tensor& x, const Tensor& mask);

// Writes `value` where `mask`, broadcast to the target's shape, is true.
void masked_fill(const char* op, const Tensor& target, const Tensor& mask, const Scalar& value);
// Returns a copy of `x`, broadcast against the mask, with `value` where the mask is true. The copy is `out`, if given,
// or a new tensor.
Tensor masked_fill_copy(const char* op, const Tensor& x, const Tensor& mask, const Scalar& value, const Tensor* out);

}  // namespace suanzi
