// The checks of a convolution's operands and options, and the sizes that follow from the operands and options.
#pragma once

#include "ops/convolve/convolve.h"

namespace suanzi::convolve {

// Returns the geometry of a convolution. The function checks everything except the element types.
Geometry geometry_of(const char* op, const Tensor& x, const Tensor& weight, const Request& request);

// Returns the geometry of a transposed convolution. In the returned axes, `before` is the number of elements that the
// padding removes from the front of the result.
Geometry transposed_geometry(const char* op, const Tensor& x, const Tensor& weight, const Request& request);

}  // namespace suanzi::convolve
