// The kernels of a matrix times a vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// The rows of A are contiguous; steps are in elements. Where those of A are 16-bit floating ones, all others are
// float32. `start`, contiguous, is added to y; null for nothing.
struct GemvBlock {
  int64_t rows, columns;
  const std::byte* a;
  int64_t a_row;
  const std::byte* x;
  int64_t x_step;
  std::byte* y;
  int64_t y_step;
  const std::byte* start;
};
using GemvKernel = void (*)(const GemvBlock& block);

struct GemvKernels {
  GemvKernel products = nullptr;  // y = A x, each element the inner product of a row with x, which is contiguous
  GemvKernel sums = nullptr;      // y = x A, contiguous: the sum of the rows, each times its element of x
};

}  // namespace suanzi
