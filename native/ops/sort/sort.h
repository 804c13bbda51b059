// Operators that sort tensors, and other operators that need the order of elements. NaNs are the greatest elements and
// equal to each other, and -0.0 equals 0.0. Complex numbers are ordered by their real parts, then by their imaginary
// parts. Descending order is the reverse order. In every function, equal elements keep their order in the tensor.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// `sort` returns the elements along an axis in order. `argsort` returns the indices (int64) that put the elements in
// order.
Tensor sort(const Tensor& x, int64_t axis, bool descending);
Tensor argsort(const Tensor& x, int64_t axis, bool descending);

struct TopK {
  Tensor values, indices;
};
// Returns the first k elements along an axis in descending (or, for the smallest, ascending) order and their indices.
// If `sorted` is false, the elements are in the order of their indices.
TopK topk(const Tensor& x, int64_t k, int64_t axis, bool largest, bool sorted);

struct Unique {
  Tensor values;
  std::optional<Tensor> indices, inverse, counts;  // int64 tensors if the caller requests the tensors
};
// Returns the distinct elements in order. The first occurrence represents each element. On request, the function also
// returns the index of each first occurrence, the index of each element's value (in the shape of x), and the numbers of
// occurrences. If `axis` is given, the function returns the distinct slices along the axis in lexicographic order.
Unique unique(const Tensor& x, std::optional<int64_t> axis, bool indices, bool inverse, bool counts);

// For each element of `values`, counts the elements of the sorted row that are less or, if `right` is true, not
// greater. The counts are int64. The rows are along the last axis of `sorted`, or `sorted` is a single row. `sorter`,
// if given, holds the indices that sort the rows.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right, const Tensor* sorter);

// Fails with TYPE_MISMATCH for elements without an order.
void check_ordered(const char* op, DType type);
// Returns the tensor in the form that sorts read. A copy of bools contains only the bytes 0 and 1, because another
// program may have written other bytes.
Tensor comparable(const char* op, const Tensor& x);

}  // namespace suanzi
