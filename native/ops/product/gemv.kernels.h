// The kernels for a matrix times one vector or a few vectors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

struct PackedKernels;

// The rows of A are contiguous. Steps are numbers of elements. If A is float16 or bfloat16, all other operands are
// float32. `start`, a contiguous vector or null, is added to y.
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

// The greatest number of rows in a ThinBlock.
inline constexpr int64_t most_thin_rows = 16;
// The operands of a kernel that computes C = A B for a few rows of A. The rows of B are called lines. The rows of A and
// C are contiguous. Steps are numbers of elements. If B is float16 or bfloat16, A and C are float32. `start`, a
// contiguous row or null, is added to each row of C.
struct ThinBlock {
  int64_t rows, columns, terms;
  const std::byte* a;
  int64_t a_row;
  const std::byte* b;
  int64_t b_step;  // the distance between lines of B, or between columns of B
  std::byte* c;
  int64_t c_row;
  const std::byte* start;
};
using ThinKernel = void (*)(const ThinBlock& block);

struct GemvKernels {
  // Computes y = A x. Each element of y is the inner product of a row of A and the contiguous x.
  GemvKernel products = nullptr;
  // Computes a contiguous y = x A as the sum of the products of each row and its element of x.
  GemvKernel sums = nullptr;
  // These kernels compute the same results as `products` and `sums`, for a matrix that does not fit the caches. Only
  // 16-bit element types have these kernels.
  GemvKernel products_in_memory = nullptr;
  GemvKernel sums_in_memory = nullptr;
  // Only floating types have the thin kernels. For other types, the pointers are null. The thin kernels read an
  // unpacked B once. thin_along reads contiguous columns, and thin_across reads contiguous lines.
  ThinKernel thin_along = nullptr;
  ThinKernel thin_across = nullptr;
  // The kernels for packed codes. Only uint8 has these kernels, because bytes of uint8 hold codes of a few bits.
  const PackedKernels* packed = nullptr;
};

}  // namespace suanzi
