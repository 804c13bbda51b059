// Gathering copies the elements of an indexed view to a tensor. This file declares gathering and the operators that
// gather.
#pragma once

#include <optional>

#include "ops/indexing/indexed_view.h"

namespace suanzi {

// Returns the elements of an indexed view as a contiguous tensor of the view's shape.
Tensor gather(const char* op, const IndexedView& view);

// Returns a few elements or rows of x, along its first axis, without a walk. Returns nothing if `few_rows` returns
// false.
std::optional<Tensor> take_few(const char* op, const Tensor& x, const Tensor& index);

// Returns the slices that the index selects. The result's shape is x.shape, in which the shape of the index replaces
// the size of the axis.
Tensor take(const char* op, const Tensor& x, const Tensor& index, int64_t axis);
// Fails with DIMENSIONS_MISMATCH unless the index has one or two dimensions.
void check_index_rank(const char* op, const Tensor& index);
// Returns the slices of x along `axis` that the index selects, as `take` does. The index must have one or two
// dimensions.
Tensor index_select(const char* op, const Tensor& x, const Tensor& index, int64_t axis);
// Selects slices tile by tile, in row-major order. Tiles are boxes of the given shape, cut off at the end of the
// result. The function gathers each tile into separate memory and then copies the tile to the result. `origins`, if
// given, receives a row for each tile, in the order of computation. The row holds the tile's first position.
Tensor gather_tiled(const char* op, const Tensor& x, const Tensor& index, int64_t axis, const Dims& tile,
                    Tensor* origins);
// Returns the elements along `axis` that the indices select. The indices broadcast against x along the other axes.
Tensor take_along_axis(const char* op, const Tensor& x, const Tensor& indices, int64_t axis);
// Returns the slices of x that the tuples in the last dimension of `indices` select. A tuple indexes the axes after the
// first `batch_dims` axes.
Tensor gather_nd(const char* op, const Tensor& x, const Tensor& indices, int64_t batch_dims);

}  // namespace suanzi
