// The operators whose results are views of a tensor's elements. The operators that must copy are in arrange.h and
// pad.h.
#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi {

// The bytes of the elements as elements of another type. Where that has another size, the last dimension becomes longer
// or shorter, and must be contiguous. `op` begins messages.
Tensor reinterpret(const char* op, const Tensor& x, DType dtype);

// Elements start, start + step, … along one dimension, `count` of them.
struct Stretch {
  int64_t start, count, step;
};
Tensor narrow(const Tensor& x, int axis, const Stretch& stretch);

// x[begin:end:stride] along each of the axes, where bounds count from the end if they are negative and reach no further
// than the tensor does. slice_start and slice_stop mean a bound that is not given.
Tensor slice(const Tensor& x, const Dims& axes, const Dims& begin, const Dims& end, const Dims& stride);
constexpr int64_t slice_start(int64_t stride) { return stride < 0 ? INT64_MAX : 0; }
constexpr int64_t slice_stop(int64_t stride) { return stride < 0 ? INT64_MIN : INT64_MAX; }

// Dimensions of size 1 at `axes` of the result, and without those of size 1 for which `axes` has bits. One dimension
// instead of those from `start_axis` to `stop_axis`: a copy where memory does not allow a view.
Tensor expand_dims(const Tensor& x, const Dims& axes);
Tensor squeeze(const Tensor& x, uint64_t axes);
Tensor flatten(const Tensor& x, int64_t start_axis, int64_t stop_axis);

// Parts of the given sizes along an axis; parts of one size, `sections` of them.
std::vector<Tensor> split(const Tensor& x, std::span<const int64_t> sizes, int64_t axis);
std::vector<Tensor> split_equally(const Tensor& x, int64_t sections, int64_t axis);
// Splits an axis of any size: the first parts are longer by one where the size does not divide.
std::vector<Tensor> split_unevenly(const Tensor& x, int64_t sections, int64_t axis);
// The parts of size one, without the axis.
std::vector<Tensor> unstack(const Tensor& x, int64_t axis);

// The box of `shape` that begins at `offsets`; -1 reaches to the end.
Tensor crop(const Tensor& x, const Dims& offsets, const Dims& shape);

// `axes` has a bit for each axis to be walked backwards.
Tensor flip(const Tensor& x, uint64_t axes);
// k quarter turns from the first axis towards the second.
Tensor rot90(const Tensor& x, int64_t k, const Dims& axes);

Tensor move_axes(const Tensor& x, const Dims& source, const Dims& destination);
Tensor swap_axes(const Tensor& x, int64_t axis1, int64_t axis2);
// The dimensions in reverse order; the last two swapped.
Tensor reverse_axes(const char* op, const Tensor& x);
Tensor matrix_transpose(const char* op, const Tensor& x);

// Broadcast to a shape in which -1 stands for the size that the dimension has.
Tensor expand_keeping(const char* op, const Tensor& x, const Dims& shape);

// Expands all tensors to the shape that they have in common.
std::vector<Tensor> broadcast_all(const char* op, std::span<const Tensor> tensors);
// The coordinates of a grid, from those along each axis: result i varies along axis i alone. `cartesian` swaps the
// first two axes.
std::vector<Tensor> meshgrid(std::span<const Tensor> tensors, bool cartesian);

}  // namespace suanzi
