// Grid sampling computes the values of a tensor at the points of a grid.
#pragma once

#include <string_view>

#include "ops/sample/sampling.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

inline constexpr std::string_view outside_names[] = {"zeros", "border", "reflection"};

// Samples x, of shape (N, C, spatial ...), at the points of a floating grid of shape (N, points ..., axes). The result
// has the shape (N, C, points ...) and the type of x. Nearest sampling accepts elements of any type. Other samplings
// accept only floating elements. If `out` is given, the function writes the result to `out`.
Tensor grid_sample(const char* op, const Tensor& x, const Tensor& grid, Sampling sampling, Outside outside,
                   bool align_corners, const Tensor* out);

}  // namespace suanzi
