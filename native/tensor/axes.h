// Sets of axes as bits: bit i stands for axis i.
#pragma once

#include <cstdint>

#include "base/dims.h"

namespace suanzi {

inline uint64_t all_axes(int rank) { return rank == 0 ? 0 : ~uint64_t{0} >> (64 - rank); }

// A bit for each axis, negative ones counted from the end; INVALID_ARGUMENT where one is named twice.
uint64_t axis_bits(const char* op, const Dims& axes, int rank);

// The dimensions of size 1.
uint64_t unit_axes(const Dims& shape);

}  // namespace suanzi
