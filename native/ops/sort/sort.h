// Sorting tensors, and operators that need order. NaNs are the greatest elements and equal to each other, -0.0 equals
// 0.0, complex numbers are ordered by their real, then by their imaginary parts; descending is the reverse order. Equal
// elements keep the order that they have in the tensor, in every function.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// The elements along an axis in order, and the indices (int64) that put them so.
Tensor sort(const Tensor& x, int64_t axis, bool descending);
Tensor argsort(const Tensor& x, int64_t axis, bool descending);

struct TopK {
  Tensor values, indices;
};
// The k first elements along an axis in descending (or, for the smallest, ascending) order and their indices; without
// `sorted` in the order of their indices.
TopK topk(const Tensor& x, int64_t k, int64_t axis, bool largest, bool sorted);

struct Unique {
  Tensor values;
  std::optional<Tensor> indices, inverse, counts;  // int64, where asked for
};
// The distinct elements in order, of each the first; their first indices, the index of each element's value (in the
// shape of x), and how often each occurs. With an axis, the distinct slices along it in lexicographic order.
Unique unique(const Tensor& x, std::optional<int64_t> axis, bool indices, bool inverse, bool counts);

// Counts for each element of `values` the elements of the sorted row that are less, or, on the right side, not greater
// (int64). The rows are the last axis of `sorted`, or its only one; `sorter`, if given, is the order that sorts it.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right, const Tensor* sorter);

// TYPE_MISMATCH for elements without an order.
void check_ordered(const char* op, DType type);
// The tensor as what orders it reads it: of bools, whose bytes others may have written, a copy of 0 and 1.
Tensor comparable(const char* op, const Tensor& x);

}  // namespace suanzi
