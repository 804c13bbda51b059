// Linear interpolation: values on the straight lines between given points.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// Returns for each element of x the value on the line between the two neighbouring points (xp, fp), in float64; xp must
// ascend. Elements before the first point become `left`, and elements beyond the last point become `right`; without
// these options, such elements become the value at the first or last point. On a line with an infinite end, the value
// is the limit: infinite next to an infinite value, and the value of the finite end next to an infinite point. If
// several points are at one place, the last of them counts, except at the first place, where the first of them counts.
// Undetermined values are NaN.
Tensor on_lines(const char* op, const Tensor& x, const Tensor& xp, const Tensor& fp, std::optional<double> left,
                std::optional<double> right);

}  // namespace suanzi
