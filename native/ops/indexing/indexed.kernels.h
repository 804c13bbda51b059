// The kernels of gathering and scattering by index: from indices to places in memory, and updates at such places.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.h"

namespace suanzi {

// The effect of an update on an element's present value; updates of one element are applied in their order.
enum class ScatterMode : uint8_t { update, add, multiply, minimum, maximum };
inline constexpr int scatter_mode_count = 5;
inline constexpr std::string_view scatter_mode_names[scatter_mode_count] = {"update", "add", "mul", "min", "max"};

// The offsets origin, origin + step, origin + 2 * step and so on.
struct Ramp {
  int64_t origin, step;
};

// Adds index[i] * stride to each of n offsets, or to those of a ramp, which are written then; a negative index is
// counted from the end of `size`. False where an index is outside [-size, size): the offsets are of no use then.
// Without offsets, only that is told.
using LookUpKernel = bool (*)(int64_t* offsets, const Ramp* ramp, const void* index, int64_t n, int64_t size,
                              int64_t stride);

// Writes values[i] to the place index[i] * stride bytes after `target`, for i from 0 to n-1, with indices as above.
// False where one is outside; those before it have been written.
using PutKernel = bool (*)(void* target, const void* index, const void* values, int64_t n, int64_t size,
                           int64_t stride);

// Updates the element `offsets[i]` bytes after `target` with values[i], for i from 0 to n-1.
using CombineKernel = void (*)(void* target, const int64_t* offsets, const void* values, int64_t n);

struct IndexedKernels {
  LookUpKernel look_up[dtype_count] = {};  // by the type of the index; null where that is not an integer type
  PutKernel put[dtype_count][5] = {};      // by that and the logarithm of an element's size
  // Kernels by element type; none for update, which only moves bytes, nor for the order of complex numbers.
  CombineKernel combine[scatter_mode_count][dtype_count] = {};
};

}  // namespace suanzi
