// Gathering: the elements of an indexed view as a tensor, and the operators that are that.
#pragma once

#include <optional>

#include "ops/indexing/indexed_view.h"

namespace suanzi {

// A contiguous tensor of the view's shape.
Tensor gather(const char* op, const IndexedView& view);

// A few elements or rows of x, along its first axis, by the short way; nothing where `few_rows` has none.
std::optional<Tensor> take_few(const char* op, const Tensor& x, const Tensor& index);

// x.shape with the axis replaced by the shape of the index.
Tensor take(const char* op, const Tensor& x, const Tensor& index, int64_t axis);
// DIMENSIONS_MISMATCH unless the index has one or two dimensions.
void check_index_rank(const char* op, const Tensor& index);
// Selects slices by an index of one or two dimensions.
Tensor index_select(const char* op, const Tensor& x, const Tensor& index, int64_t axis);
// Gathers tile by tile: boxes of the result of the given shape, cut off at its end, in row-major order. Each is
// gathered into memory of its own and stored from there. `origins`, if given, receives the first position of every
// tile, a row each, as it is computed.
Tensor gather_tiled(const char* op, const Tensor& x, const Tensor& index, int64_t axis, const Dims& tile,
                    Tensor* origins);
// The index broadcasts against x along the other axes.
Tensor take_along_axis(const char* op, const Tensor& x, const Tensor& indices, int64_t axis);
// The last dimension of `indices` holds tuples that index the axes after the first `batch_dims`.
Tensor gather_nd(const char* op, const Tensor& x, const Tensor& indices, int64_t batch_dims);

}  // namespace suanzi
