// The operators whose result is made of copies of pieces of tensors: which piece goes where. Each checks its arguments,
// makes the result and hands the moves to walk/move.h. Padding is in pad.h; operators that need no copy are in views.h.
#pragma once

#include <optional>
#include <span>

#include "tensor/tensor.h"

namespace suanzi {

// If an optional axis is left out, the tensors are flattened first.
using OptionalAxis = std::optional<int64_t>;

// Joins tensors along an axis, or with a new axis between them; types promote. With `out`, writes there.
Tensor concat(std::span<const Tensor> tensors, OptionalAxis axis, const Tensor* out);
Tensor stack(std::span<const Tensor> tensors, int64_t axis, const Tensor* out);

// The whole tensor repeated along each axis.
Tensor tile_tensor(const Tensor& x, const Dims& repetitions);
// Repeats each element along an axis: as often as the one count says, or as its own.
Tensor repeat(const Tensor& x, std::span<const int64_t> counts, OptionalAxis axis);

// The elements moved on by a shift along each axis, those that leave at the end coming back at the start; without axes
// by one shift, along the row of all.
Tensor roll(const Tensor& x, const Dims& shifts, const std::optional<Dims>& axes);

// The first lengths[i] elements along `axis` of the i-th slice of `batch_axis` backwards, the others in their place.
Tensor reverse_prefixes(const Tensor& x, int64_t axis, std::span<const int64_t> lengths, int64_t batch_axis);

}  // namespace suanzi
