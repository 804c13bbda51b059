// The join of patterns along an axis.
#pragma once

#include <span>

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// Joins patterns of one format, whose shapes may differ only along the axis. In the origin, the elements of all
// patterns are numbered in one sequence, one pattern after the other.
Derived join(const char* op, std::span<const Pattern> parts, int axis);

}  // namespace suanzi::sparse
