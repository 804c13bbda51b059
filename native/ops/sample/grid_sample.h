// Elements of a tensor at the points of a grid.
#pragma once

#include <string_view>

#include "ops/sample/sampling.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

inline constexpr std::string_view outside_names[] = {"zeros", "border", "reflection"};

// x is (N, C, spatial ...), the grid (N, points ..., axes) and floating; the result (N, C, points ...) in the type of
// x. Nearest elements are of any type, others are floating.
Tensor grid_sample(const char* op, const Tensor& x, const Tensor& grid, Sampling sampling, Outside outside,
                   bool align_corners);

}  // namespace suanzi
