// Sorts tensors; this file also declares other operators that need the order of elements. NaNs are the greatest
// elements and equal to each other, -0.0 equals 0.0, and complex numbers are ordered by their real parts, then by their
// imaginary parts; descending order is the reverse order. In every function, equal elements keep their order in the
// tensor.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// Return the elements along an axis in order, and the indices (int64) that put them in order.
Tensor sort(const Tensor& x, int64_t axis, bool descending);
Tensor argsort(const Tensor& x, int64_t axis, bool descending);

struct TopK {
  Tensor values, indices;
};
// Returns the first k elements along an axis in descending (or, for the smallest, ascending) order and their indices;
// without `sorted`, in the order of their indices.
TopK topk(const Tensor& x, int64_t k, int64_t axis, bool largest, bool sorted);

struct Unique {
  Tensor values;
  std::optional<Tensor> indices, inverse, counts;  // int64, if requested
};
// Returns the distinct elements in order, each represented by its first occurrence; on request also their first
// indices, the index of each element's value (in the shape of x), and the number of occurrences. With an axis, returns
// the distinct slices along it in lexicographic order.
Unique unique(const Tensor& x, std::optional<int64_t> axis, bool indices, bool inverse, bool counts);

// Counts for each element of `values` the elements of the sorted row that are less than it or, if `right`, not greater
// than it (int64). The rows are along the last axis of `sorted`, or `sorted` is a single row. `sorter`, if given, has
// the indices that sort the rows.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right, const Tensor* sorter);

// Fails with TYPE_MISMATCH for elements without an order.
void check_ordered(const char* op, DType type);
// Returns the tensor in the form that sorting reads: a copy of bools has only bytes 0 and 1, because another program
// may have written other bytes.
Tensor comparable(const char* op, const Tensor& x);

}  // namespace suanzi
