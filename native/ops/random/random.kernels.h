// The kernels that make random numbers: elements [first, first + n) of the sequence that a seed defines
// (ops/random/philox.h). Every level gives the same bits.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "ops/random/philox.h"

namespace suanzi {

// The first of two values is for even elements and the second for odd ones: the parts of complex
// numbers, which are made as twice as many real ones.
struct RandomParams {
  uint64_t seed = 0;
  philox::Stream stream = philox::Stream::uniform;
  // uniform, floating: scale (low + u span) for u in [0, 1), but at most `last`.
  double low[2] = {0, 0}, span[2] = {1, 1}, last[2] = {1, 1}, scale = 1;
  // uniform, integers: `count` values from `least` on; 0 stands for 2^64.
  uint64_t least = 0, count = 0;
  // normal
  double mean[2] = {0, 0}, std = 1;
};

// The first element's number, of 64 bits as all positions in a sequence, is a multiple of this.
inline constexpr int64_t random_step = 32;

using RandomKernel = void (*)(void* out, int64_t first, int64_t n, const RandomParams& params);
// out[i] is 1 with probability p[i], else 0. False if a probability is outside [0, 1]: then the written elements do not
// count.
using BernoulliKernel = bool (*)(void* out, const void* p, int64_t first, int64_t n, const RandomParams& params);

// Kernels by element type: float32 and float64; `uniform` has bool and the integers too.
struct RandomKernels {
  RandomKernel uniform[dtype_count] = {};
  RandomKernel normal[dtype_count] = {};
  BernoulliKernel bernoulli[dtype_count] = {};
};

}  // namespace suanzi
