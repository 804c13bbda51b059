// The kernels that draw random numbers: elements [first, first + n) of the sequence that a seed defines
// (ops/random/philox.h). Every level draws the same bits.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "ops/random/philox.h"

namespace suanzi {

// In arrays of two, the first value is for even elements and the second for odd elements: these are the parts of
// complex numbers, which are drawn as twice as many real numbers.
struct RandomParams {
  uint64_t seed = 0;
  philox::Stream stream = philox::Stream::uniform;
  // parameters of uniform for floating types: scale (low + u span) for u in [0, 1), but at most `last`
  double low[2] = {0, 0}, span[2] = {1, 1}, last[2] = {1, 1}, scale = 1;
  // parameters of uniform for integers: `count` values from `least` on; a count of 0 means 2^64
  uint64_t least = 0, count = 0;
  // parameters of normal
  double mean[2] = {0, 0}, std = 1;
};

// The number of the first element must be a multiple of this number. The constant has 64 bits, like all positions in a
// sequence.
inline constexpr int64_t random_step = 32;

using RandomKernel = void (*)(void* out, int64_t first, int64_t n, const RandomParams& params);
// Writes 1 to out[i] with probability p[i], else 0. Returns false if a probability is outside [0, 1]; the written
// elements are then invalid.
using BernoulliKernel = bool (*)(void* out, const void* p, int64_t first, int64_t n, const RandomParams& params);

// Kernels by element type, for float32 and float64; `uniform` also has kernels for bool and integers.
struct RandomKernels {
  RandomKernel uniform[dtype_count] = {};
  RandomKernel normal[dtype_count] = {};
  BernoulliKernel bernoulli[dtype_count] = {};
};

}  // namespace suanzi
