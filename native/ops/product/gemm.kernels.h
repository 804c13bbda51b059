// The kernels of matrix products: a block of one matrix times a panel of another, the inner product of two vectors, and
// substitution in triangular systems.
//
// The kernels exist for every element type except float16 and bfloat16, which only have inner products, summed in
// float32. Integers wrap. For bool, the product is `and` and the sum is `or`.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// C = A B. Steps are in elements; the rows of B and C are contiguous.
struct GemmBlock {
  int64_t m, n, k;
  const std::byte* a;
  // A strip is a group of as many rows as the kernel computes at a time; a_strip is the distance between strips.
  int64_t a_row, a_column, a_strip;
  const std::byte* b;
  int64_t b_row;
  std::byte* c;
  int64_t c_row;
  // The values that the sums start from, or null for 0: C itself, or one row for all rows (step 0).
  const std::byte* start;
  int64_t start_row;
};
using GemmKernel = void (*)(const GemmBlock& block);

// Returns the sum of the n products of two contiguous vectors; one variant conjugates the first vector.
using DotKernel = void (*)(void* out, const void* a, const void* b, int64_t n);

// Replaces X by T⁻¹ X for a lower triangular T. T is given with the part below the diagonal negated and the diagonal
// replaced by its reciprocals. Steps are in elements; the rows of both matrices are contiguous.
struct TriangleBlock {
  int64_t rows, columns;
  const std::byte* triangle;
  int64_t triangle_row;
  std::byte* x;
  int64_t x_row;
};
using TriangleKernel = void (*)(const TriangleBlock& block);

struct GemmKernels {
  GemmKernel block = nullptr;
  DotKernel dot = nullptr;
  DotKernel conjugate_dot = nullptr;
  TriangleKernel substitute = nullptr;  // only for real and complex numbers
  int rows = 0;       // rows that the block kernel computes at a time, called a strip; A may be packed by strips
  int panel = 0;      // columns that the block kernel computes at a time; a packed panel of B is that wide
  bool wide = false;  // the registers hold a block of C that keeps the multipliers busy
};

}  // namespace suanzi
