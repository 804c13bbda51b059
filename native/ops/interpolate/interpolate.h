// Interpolation resizes the grid of a tensor's elements.
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

// The number of dimensions (batch and channels) that are not spatial.
inline constexpr int leading_dimensions = 2;
inline constexpr int max_spatial = 3;

struct Interpolation {
  InterpolationMode mode;
  bool align_corners;
  bool antialias;
  // `keep_scale` is true if positions follow from the given scale, and not from the two sizes.
  bool keep_scale;
  Dims size;  // the sizes of the result's spatial dimensions, or an empty list if `scale` determines the sizes
  double scale[max_spatial];
};

// Returns the number of spatial dimensions. Fails with DIMENSIONS_MISMATCH if x has no spatial dimensions or too many.
int spatial_dimensions(const Tensor& x);

// The request of a caller consists of a size of the result or of factors, with one number for each spatial dimension.
// If `recompute` is true, positions follow from the two sizes instead of the factors.
struct InterpolationRequest {
  InterpolationMode mode = InterpolationMode::nearest;
  bool align_corners = false;
  bool antialias = false;
  bool recompute = false;
  std::optional<Dims> size = {};
  std::optional<std::vector<double>> factors = {};
};

// Checks x and the request, and computes the missing sizes. The function does not check whether the memory suffices.
Interpolation resolve(const Tensor& x, const InterpolationRequest& request);

// Interpolates x, of shape (N, C, spatial ...), and returns a contiguous tensor of x's type. `how` is a result of
// `resolve`.
Tensor interpolate(const Tensor& x, const Interpolation& how);

}  // namespace suanzi
