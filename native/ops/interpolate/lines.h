// Values on the straight lines between given points.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// Returns at each element of x the value on the line between the points (xp, fp) around it, in float64; xp ascends.
// Elements before the first point give `left`, those past the last one `right`, by default the value there. A line that
// ends in an infinity gives its limit: infinite next to an infinite value, the finite end's value next to an infinite
// point. The last of several points at one place counts, at the first place the first. Undetermined values are NaN.
Tensor on_lines(const char* op, const Tensor& x, const Tensor& xp, const Tensor& fp, std::optional<double> left,
                std::optional<double> right);

}  // namespace suanzi
