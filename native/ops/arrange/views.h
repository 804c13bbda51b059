// The operators whose results are views of a tensor's elements. The operators that must copy are in arrange.h and
// pad.h.
#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi {

// Returns the bytes of the elements as elements of another type. If the size of that type differs, the last dimension
// becomes longer or shorter, and must be contiguous. `op` is the operator's name in messages.
Tensor reinterpret(const char* op, const Tensor& x, DType dtype);

// The `count` elements start, start + step, … along one dimension.
struct Stretch {
  int64_t start, count, step;
};
Tensor narrow(const Tensor& x, int axis, const Stretch& stretch);

// Returns x[begin:end:stride] along each of the axes. Negative bounds count from the end, and the function moves bounds
// outside the tensor to the tensor's ends. slice_start and slice_stop return the bounds that mean "not given".
Tensor slice(const Tensor& x, const Dims& axes, const Dims& begin, const Dims& end, const Dims& stride);
constexpr int64_t slice_start(int64_t stride) { return stride < 0 ? INT64_MAX : 0; }
constexpr int64_t slice_stop(int64_t stride) { return stride < 0 ? INT64_MIN : INT64_MAX; }

// expand_dims inserts dimensions of size 1 at `axes` of the result. squeeze removes the dimensions, all of size 1, for
// which `axes` has a bit. flatten joins the dimensions from `start_axis` to `stop_axis` into one dimension, and copies
// if the strides do not allow a view.
Tensor expand_dims(const Tensor& x, const Dims& axes);
Tensor squeeze(const Tensor& x, uint64_t axes);
Tensor flatten(const Tensor& x, int64_t start_axis, int64_t stop_axis);

// split returns parts of the given sizes along an axis. split_equally returns `sections` parts of one size.
std::vector<Tensor> split(const Tensor& x, std::span<const int64_t> sizes, int64_t axis);
std::vector<Tensor> split_equally(const Tensor& x, int64_t sections, int64_t axis);
// Splits an axis of any size. If `sections` does not divide the size, the first parts are longer by one element.
std::vector<Tensor> split_unevenly(const Tensor& x, int64_t sections, int64_t axis);
// Returns the slices of size one along an axis, without that axis.
std::vector<Tensor> unstack(const Tensor& x, int64_t axis);

// Returns a view of the box that has the sizes `shape` and begins at `offsets`. A size of -1 means that the box ends at
// the end of the axis.
Tensor crop(const Tensor& x, const Dims& offsets, const Dims& shape);

// Returns a view that is reversed along each axis for which `axes` has a bit.
Tensor flip(const Tensor& x, uint64_t axes);
// Rotates x by k quarter turns in the plane of two axes, from the first axis towards the second.
Tensor rot90(const Tensor& x, int64_t k, const Dims& axes);

Tensor move_axes(const Tensor& x, const Dims& source, const Dims& destination);
Tensor swap_axes(const Tensor& x, int64_t axis1, int64_t axis2);
// reverse_axes returns a view with the dimensions in reverse order. matrix_transpose returns a view with the last two
// dimensions exchanged.
Tensor reverse_axes(const char* op, const Tensor& x);
Tensor matrix_transpose(const char* op, const Tensor& x);

// Broadcasts x to `shape`. A size of -1 in `shape` means the size of x's dimension.
Tensor expand_keeping(const char* op, const Tensor& x, const Dims& shape);

// Expands all tensors to their common shape.
std::vector<Tensor> broadcast_all(const char* op, std::span<const Tensor> tensors);
// Returns the coordinates of a grid, given the coordinates along each axis. Result i varies only along axis i.
// `cartesian` swaps the first two axes.
std::vector<Tensor> meshgrid(std::span<const Tensor> tensors, bool cartesian);

}  // namespace suanzi
