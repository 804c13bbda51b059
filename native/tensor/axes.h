// Sets of axes as bits: bit i represents axis i.
#pragma once

#include <cstdint>

#include "base/dims.h"

namespace suanzi {

inline uint64_t all_axes(int rank) { return rank == 0 ? 0 : ~uint64_t{0} >> (64 - rank); }

// Returns a bit for each axis; negative axes count from the end. Fails with INVALID_ARGUMENT if an axis is named twice.
uint64_t axis_bits(const char* op, const Dims& axes, int rank);

// Returns the dimensions of size 1.
uint64_t unit_axes(const Dims& shape);

}  // namespace suanzi
