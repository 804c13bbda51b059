// Padding copies a tensor to the middle of a larger tensor, and fills the elements around the middle.
#pragma once

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

enum class PadMode {
  constant,   // one value
  edge,       // the outermost elements
  reflect,    // the elements mirrored about the outermost elements
  symmetric,  // the elements mirrored about the edge of the outermost elements
  wrap,       // the elements from the other end
};
inline constexpr const char* pad_mode_names[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

// `before` and `after` are the numbers of elements that padding adds at the two ends of each axis. `value` is the
// constant.
Tensor pad(const Tensor& x, const Dims& before, const Dims& after, PadMode mode, const Scalar& value);

}  // namespace suanzi
