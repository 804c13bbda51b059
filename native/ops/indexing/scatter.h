// Scattering writes values to the elements of an indexed view, or combines the values with these elements. This file
// declares scattering and the operators that scatter into a copy.
//
// Updates of one element are applied in the row-major order of the view for any number of threads. If updates replace
// the element, the last update remains. Sums and products of 16-bit floating types, float32 and complex64 are computed
// in float64 or complex128 and rounded once.
#pragma once

#include "ops/indexing/indexed.kernels.h"
#include "ops/indexing/indexed_view.h"

namespace suanzi {

// Scatters values into the memory of the view's base. The function first copies the elements of `initial`, if given, to
// this memory. The values have the base's type, broadcast to the view, and may share memory with the base. The indices
// must not share memory with the base. The function `apart` makes the necessary copies. The function checks every index
// before it writes anything, unless the base is `fresh`. A fresh base is a new tensor, which no caller receives if an
// index is invalid.
void scatter_into(const char* op, const IndexedView& view, const Tensor& values, ScatterMode mode, bool fresh = false,
                  const Tensor* initial = nullptr);

// Sets a few elements or rows of x, along its first axis, to values of the same type and shape, without a walk. The
// function writes nothing and returns false if `few_rows` returns false or if the tensors share memory.
bool put_few(const Tensor& x, const Tensor& index, const Tensor& values);

// Returns a copy of x if x may share memory with the target. Otherwise, the function returns x.
Tensor apart(const char* op, const Tensor& x, const Tensor& target);

// Returns updates in the type of the tensor that receives the updates. The type of the updates must promote to this
// type.
Tensor as_updates(const char* op, const Tensor& updates, DType t);

// Returns x with the updates at the elements that `take_along_axis` would select. The index has the rank of x and is
// not larger than x along the other axes. The updates broadcast to the shape of the index. If `out` is given, the
// function writes the result to `out`, which may be x.
Tensor scatter(const char* op, const Tensor& x, const Tensor& index, const Tensor& updates, int64_t axis,
               ScatterMode mode, const Tensor* out);
// Returns x with the updates at the elements that `gather_nd` would select. The updates broadcast to the shape of the
// result of `gather_nd`.
Tensor scatter_nd(const char* op, const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
                  const Tensor* out);

}  // namespace suanzi
