// The kernels of gathering and scattering by index compute addresses from indices, and update elements at these
// addresses.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.h"

namespace suanzi {

// The effect of an update on the current value of an element. The kernels apply several updates of one element in the
// order of the updates.
enum class ScatterMode : uint8_t { update, add, multiply, minimum, maximum };
inline constexpr int scatter_mode_count = 5;
inline constexpr std::string_view scatter_mode_names[scatter_mode_count] = {"update", "add", "mul", "min", "max"};

// The offsets origin, origin + step, origin + 2 * step, ….
struct Ramp {
  int64_t origin, step;
};

// Adds index[i] * stride to each of n offsets. With a ramp, the kernel writes the sums of index[i] * stride and the
// ramp's offsets. A negative index counts from the end of `size`. Returns false if an index is outside [-size, size).
// If the kernel returns false, the offsets are meaningless. If `offsets` is null, the kernel only checks the indices.
using LookUpKernel = bool (*)(int64_t* offsets, const Ramp* ramp, const void* index, int64_t n, int64_t size,
                              int64_t stride);

// Writes values[i] to the address index[i] * stride bytes after `target`, for i from 0 to n-1. Valid indices are in
// [-size, size). At the first invalid index, the kernel returns false, after it has written the values before this
// index.
using PutKernel = bool (*)(void* target, const void* index, const void* values, int64_t n, int64_t size,
                           int64_t stride);

// Updates the element `offsets[i]` bytes after `target` with values[i], for i from 0 to n-1.
using CombineKernel = void (*)(void* target, const int64_t* offsets, const void* values, int64_t n);

struct IndexedKernels {
  // The first index of `look_up` and of `put` is the type of the index tensor, and the second index of `put` is the
  // logarithm of an element's size. Entries for types other than integers are null.
  LookUpKernel look_up[dtype_count] = {};
  PutKernel put[dtype_count][5] = {};
  // The combining kernels, by mode and element type. The mode `update` has no kernels, because it only moves bytes. The
  // modes `minimum` and `maximum` have no kernels for complex numbers.
  CombineKernel combine[scatter_mode_count][dtype_count] = {};
};

}  // namespace suanzi
