// Linear interpolation computes values on the straight lines between given points.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// For each element of x, returns the value on the line between the two neighbouring points (xp, fp), in float64. xp
// must ascend. Elements before the first point become `left`, and elements beyond the last point become `right`.
// Without `left` or `right`, these elements become the value at the first or the last point. On a line with an infinite
// end, the value is the limit. The limit is infinite next to an infinite value. Next to an infinite point, the limit is
// the value of the finite end. If several points have the same xp, the function uses the last of these points. At the
// least xp, the function uses the first of these points. Undetermined values are NaN.
Tensor on_lines(const char* op, const Tensor& x, const Tensor& xp, const Tensor& fp, std::optional<double> left,
                std::optional<double> right);

}  // namespace suanzi
