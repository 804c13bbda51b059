// The checks of a convolution's operands and options, and the sizes that follow from them.
#pragma once

#include "ops/convolve/convolve.h"

namespace suanzi::convolve {

// Everything but the element types is checked.
Geometry geometry_of(const char* op, const Tensor& x, const Tensor& weight, const Request& request);

// `before` is the padding that the result lacks at its front.
Geometry transposed_geometry(const char* op, const Tensor& x, const Tensor& weight, const Request& request);

}  // namespace suanzi::convolve
