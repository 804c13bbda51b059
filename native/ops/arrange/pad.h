// Padding: a tensor in the middle of a larger one, and the elements around it.
#pragma once

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

enum class PadMode {
  constant,   // one value
  edge,       // the outermost elements
  reflect,    // the elements mirrored about the outermost ones
  symmetric,  // the elements mirrored about their edge
  wrap,       // the elements from the other end
};
inline constexpr const char* pad_mode_names[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

// `before` and `after` say how many elements each axis gains at its ends; `value` is the constant.
Tensor pad(const Tensor& x, const Dims& before, const Dims& after, PadMode mode, const Scalar& value);

}  // namespace suanzi
