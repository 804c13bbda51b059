// Interpolation: the elements of a tensor on a finer or coarser grid.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi {

enum class InterpolationMode : uint8_t { nearest, nearest_exact, linear, bilinear, bicubic, trilinear, area };

inline constexpr int interpolation_mode_count = 7;
inline constexpr std::string_view interpolation_mode_names[interpolation_mode_count] = {
    "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"};

// The dimensions of a batch of tensors with channels that are not spatial.
inline constexpr int leading_dimensions = 2;
inline constexpr int max_spatial = 3;

struct Interpolation {
  InterpolationMode mode;
  bool align_corners;
  bool antialias;
  bool keep_scale;  // positions follow from the scale as given, not from the two sizes
  Dims size;        // sizes of the result's spatial dimensions; empty if `scale` tells
  double scale[max_spatial];
};

// The number of spatial dimensions; DIMENSIONS_MISMATCH if there are none or too many.
int spatial_dimensions(const Tensor& x);

// The request of a caller: a size of the result or factors, not both, with one number for each spatial dimension.
// `recompute`: positions follow from the sizes that factors give, not from the factors.
struct InterpolationRequest {
  InterpolationMode mode = InterpolationMode::nearest;
  bool align_corners = false;
  bool antialias = false;
  bool recompute = false;
  std::optional<Dims> size = {};
  std::optional<std::vector<double>> factors = {};
};

// Checks everything but the memory, and completes the sizes.
Interpolation resolve(const Tensor& x, const InterpolationRequest& request);

// x is (N, C, spatial ...); `how` is resolved. A contiguous tensor of x's type.
Tensor interpolate(const Tensor& x, const Interpolation& how);

}  // namespace suanzi
