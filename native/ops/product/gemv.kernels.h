// The kernels of a matrix times a vector, or times a few of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

struct PackedKernels;

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

// C = A B for a few rows of A, contiguous as those of C are; of a matrix of 16-bit floating elements the others are
// float32. Steps are in elements. `start`, contiguous, is added to each row; null for nothing.
inline constexpr int64_t most_thin_rows = 16;
struct ThinBlock {
  int64_t rows, columns, terms;
  const std::byte* a;
  int64_t a_row;
  const std::byte* b;
  int64_t b_step;  // from a line of B, or one of its columns, to the next
  std::byte* c;
  int64_t c_row;
  const std::byte* start;
};
using ThinKernel = void (*)(const ThinBlock& block);

struct GemvKernels {
  GemvKernel products = nullptr;  // y = A x, each element the inner product of a row with x, which is contiguous
  GemvKernel sums = nullptr;      // y = x A, contiguous: the sum of the rows, each times its element of x
  // Null for all but floating elements. B is read once, as it lies: its columns are contiguous, or its lines.
  ThinKernel thin_along = nullptr;
  ThinKernel thin_across = nullptr;
  const PackedKernels* packed = nullptr;  // for uint8 alone, whose bytes hold codes of a few bits
};

}  // namespace suanzi
