// Scattering: values written or combined into the elements of an indexed view, and the operators that do so to a copy.
//
// Updates of one element happen in the row-major order of the view, whatever the number of threads: the last wins. Sums
// and products of halves, float32 and complex64 are computed in float64 or complex128 and rounded once.
#pragma once

#include "ops/indexing/indexed.kernels.h"
#include "ops/indexing/indexed_view.h"

namespace suanzi {

// Into the memory of the view's base, which first takes the elements of `initial`, if given. The values have the base's
// type, broadcast to the view and may lie in the same memory; the indices must not (`apart`). Nothing is written before
// every index has been checked, unless the base is fresh: a new tensor, which nobody sees where an index is wrong.
void scatter_into(const char* op, const IndexedView& view, const Tensor& values, ScatterMode mode, bool fresh = false,
                  const Tensor* initial = nullptr);

// Sets a few elements or rows of x, along its first axis, to values of their type and shape, by the short way; false,
// and nothing written, where `few_rows` has none or memory is shared.
bool put_few(const Tensor& x, const Tensor& index, const Tensor& values);

// A copy of x where it may share memory with the target, else x.
Tensor apart(const char* op, const Tensor& x, const Tensor& target);

// Updates in the type of the tensor that takes them, to which theirs must promote.
Tensor as_updates(const char* op, const Tensor& updates, DType t);

// x with the updates where `take_along_axis` would have found them: the index has the rank of x and is no larger than x
// along the other axes, the updates broadcast to its shape. With `out` (x itself perhaps), writes there.
Tensor scatter(const char* op, const Tensor& x, const Tensor& index, const Tensor& updates, int64_t axis,
               ScatterMode mode, const Tensor* out);
// x with the updates where `gather_nd` would have found them; they broadcast to the shape that it would give.
Tensor scatter_nd(const char* op, const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
                  const Tensor* out);

}  // namespace suanzi
