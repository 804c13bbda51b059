// Patterns one after the other along an axis.
#pragma once

#include <span>

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// Joins patterns of one format, and of one shape except for their sizes along the axis. The origin is among the
// elements of all of them, one pattern after the other.
Derived join(const char* op, std::span<const Pattern> parts, int axis);

}  // namespace suanzi::sparse
