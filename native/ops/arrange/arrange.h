// The operators whose results are copies of pieces of tensors. Each operator checks its arguments, creates the result
// and passes the moves to walk/move.h. Padding is in pad.h. Operators that need no copy are in views.h.
#pragma once

#include <optional>
#include <span>

#include "tensor/tensor.h"

namespace suanzi {

// If an optional axis is missing, the functions first flatten the tensors.
using OptionalAxis = std::optional<int64_t>;

// concat joins tensors along an axis, and stack joins tensors along a new axis. The result has the common type of the
// tensors. If `out` is given, the functions write the result to `out`.
Tensor concat(std::span<const Tensor> tensors, OptionalAxis axis, const Tensor* out);
Tensor stack(std::span<const Tensor> tensors, int64_t axis, const Tensor* out);

// Repeats the whole tensor along each axis. If `repetitions` is shorter than the shape of x, the repetitions apply to
// the last axes. If `repetitions` is longer, new axes precede the axes of x.
Tensor tile_tensor(const Tensor& x, const Dims& repetitions);
// Repeats each element along an axis. Each element has its own count. A single count applies to all elements.
Tensor repeat(const Tensor& x, std::span<const int64_t> counts, OptionalAxis axis);

// Rolls the elements by a shift along each axis. Elements that move past one end of an axis re-enter at the other end.
// Without axes, the function rolls all elements in row-major order by one shift.
Tensor roll(const Tensor& x, const Dims& shifts, const std::optional<Dims>& axes);

// Reverses the first lengths[i] elements along `axis` in slice i of `batch_axis`. The other elements keep their places.
Tensor reverse_prefixes(const Tensor& x, int64_t axis, std::span<const int64_t> lengths, int64_t batch_axis);

}  // namespace suanzi
