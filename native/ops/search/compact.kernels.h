// The kernels behind selection by truth: which elements are other than zero, where they are, and those elements alone.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// Places that one call of a kernel below deals with at most; they and their coordinates stay in the L1 cache.
inline constexpr int64_t max_places = 4096;

// Sets bit i % 64 of bits[i / 64] where element i of n is other than zero; bits past the last element are 0. Returns
// how many are set.
using TruthKernel = int64_t (*)(uint64_t* bits, const void* in, int64_t n);

// Writes the numbers of the bits set among the first n <= max_places and returns how many they are. `out` has room for
// max_places + 64.
using PlacesKernel = int64_t (*)(uint32_t* out, const uint64_t* bits, int64_t n);

// Takes one dimension off n ascending places that are counted from `first` along it: writes their coordinates, and
// leaves how often each has passed the dimension's end, which is its place along the next slower dimension.
using UnravelKernel = void (*)(int64_t* out, uint32_t* places, int64_t n, int64_t first, int64_t size);

// Copies the elements whose bits are set; `out` has room for `count`, which is how many they are.
using CompressKernel = void (*)(void* out, const void* in, const uint64_t* bits, int64_t n, int64_t count);

struct CompactKernels {
  TruthKernel truth[dtype_count] = {};
  PlacesKernel places = nullptr;
  UnravelKernel unravel = nullptr;
  CompressKernel compress[5] = {};  // by the logarithm of an element's size
};

}  // namespace suanzi
