// The kernels that draw random numbers. A kernel draws the elements [first, first + n) of the sequence that a seed
// defines (ops/random/philox.h). Every level draws the same bits.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "ops/random/philox.h"

namespace suanzi {

// In arrays of two, the first value is for even elements and the second value is for odd elements. The kernels draw the
// two parts of a complex number as two neighbouring real elements.
struct RandomParams {
  uint64_t seed = 0;
  philox::Stream stream = philox::Stream::uniform;
  // The parameters of the operator uniform for floating types. An element is scale (low + u span) for u in [0, 1), but
  // at most `last`.
  double low[2] = {0, 0}, span[2] = {1, 1}, last[2] = {1, 1}, scale = 1;
  // The parameters of the operator uniform for integers. The elements are among `count` consecutive values, the first
  // of which is `least`. A count of 0 means 2^64.
  uint64_t least = 0, count = 0;
  // The parameters of the operator normal.
  double mean[2] = {0, 0}, std = 1;
};

// The number of the first element must be a multiple of random_step. The constant has 64 bits, like all positions in a
// sequence.
inline constexpr int64_t random_step = 32;

using RandomKernel = void (*)(void* out, int64_t first, int64_t n, const RandomParams& params);
// Writes 1 to out[i] with probability p[i], and 0 otherwise. Returns false if a probability is outside [0, 1]. The
// written elements are then invalid.
using BernoulliKernel = bool (*)(void* out, const void* p, int64_t first, int64_t n, const RandomParams& params);

// Kernels by element type, for float32 and float64. `uniform` also has kernels for bool and integers.
struct RandomKernels {
  RandomKernel uniform[dtype_count] = {};
  RandomKernel normal[dtype_count] = {};
  BernoulliKernel bernoulli[dtype_count] = {};
};

}  // namespace suanzi
