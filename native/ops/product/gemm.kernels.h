// The kernels of matrix products: a block of one matrix times a panel of another, the inner product of two vectors, and
// substitution in triangular systems.
//
// They take every element type but the 16-bit floating ones, which have inner products alone, summed in float32.
// Integers wrap; for bool the product is `and`, the sum `or`.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// C = A B. Steps are in elements; the rows of B and C are contiguous.
struct GemmBlock {
  int64_t m, n, k;
  const std::byte* a;
  int64_t a_row, a_column, a_strip;  // a strip: as many rows as the kernel takes at a time
  const std::byte* b;
  int64_t b_row;
  std::byte* c;
  int64_t c_row;
  // The summands of the sums, if not null: C itself, or one row for all of its rows (step 0).
  const std::byte* start;
  int64_t start_row;
};
using GemmKernel = void (*)(const GemmBlock& block);

// The sum of the n products of two contiguous vectors, as they are or with the first one conjugated.
using DotKernel = void (*)(void* out, const void* a, const void* b, int64_t n);

// X becomes T⁻¹ X, where T is lower triangular and given in the form for substitution: the part below the diagonal
// negated, the diagonal's reciprocals. Steps are in elements; the rows of both are contiguous.
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
  TriangleKernel substitute = nullptr;  // a kernel for real and complex numbers
  int rows = 0;                         // rows that the block kernel takes at a time: a strip of A, which may be packed
  int panel = 0;                        // columns that it takes at a time: a packed panel of B is that wide
  bool wide = false;                    // there are registers for a block of C that keeps the multipliers busy
};

}  // namespace suanzi
