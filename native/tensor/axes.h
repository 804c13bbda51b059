// Sets of axes as bits. Bit i represents axis i.
#pragma once

#include <cstdint>

#include "base/dims.h"

namespace suanzi {

inline uint64_t all_axes(int rank) { return rank == 0 ? 0 : ~uint64_t{0} >> (64 - rank); }

// Returns a bit for each axis. Negative axes count from the end. Fails with INVALID_ARGUMENT if `axes` names an axis
// twice.
uint64_t axis_bits(const char* op, const Dims& axes, int rank);

// Returns a bit for each dimension of size 1.
uint64_t unit_axes(const Dims& shape);

}  // namespace suanzi
