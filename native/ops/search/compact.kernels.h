// The kernels of selection by truth find the elements that are not zero, compute the places of these elements, and copy
// these elements.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The greatest number of places that one call of a kernel below handles. The places and their coordinates stay in the
// L1 cache.
inline constexpr int64_t max_places = 4096;

// Sets bit i % 64 of bits[i / 64] if element i of n elements is not zero. Bits after the last element are 0. Returns
// the number of set bits.
using TruthKernel = int64_t (*)(uint64_t* bits, const void* in, int64_t n);

// Writes the positions of the set bits among the first n bits, and returns the number of set bits. n is at most
// max_places, and `out` has room for max_places + 64 positions.
using PlacesKernel = int64_t (*)(uint32_t* out, const uint64_t* bits, int64_t n);

// Removes one dimension from n ascending places, which are counted from `first` along the dimension. The kernel writes
// the coordinates of the places. The kernel replaces each place by the number of times that the place has passed the
// dimension's end. This number is the place along the next slower dimension.
using UnravelKernel = void (*)(int64_t* out, uint32_t* places, int64_t n, int64_t first, int64_t size);

// Copies the elements whose bits are set. `count` is the number of these elements, and `out` has room for `count`
// elements.
using CompressKernel = void (*)(void* out, const void* in, const uint64_t* bits, int64_t n, int64_t count);

struct CompactKernels {
  TruthKernel truth[dtype_count] = {};
  PlacesKernel places = nullptr;
  UnravelKernel unravel = nullptr;
  CompressKernel compress[5] = {};  // kernels by the logarithm of an element's size
};

}  // namespace suanzi
