// The kernels of matrix products compute the product of a block of one matrix and a panel of another matrix, the inner
// product of two vectors, and substitution in triangular systems.
//
// Every element type except float16 and bfloat16 has the kernels of products. Only float32, float64 and complex types
// have substitution. float16 and bfloat16 only have inner products, whose sums are float32. Integers wrap. For bool,
// the product is `and` and the sum is `or`.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The operands of a kernel that computes C = A B. Steps are numbers of elements. The rows of B and C are contiguous.
struct GemmBlock {
  int64_t m, n, k;
  const std::byte* a;
  // A strip is a group of rows that the kernel computes at a time. a_strip is the distance between strips.
  int64_t a_row, a_column, a_strip;
  const std::byte* b;
  int64_t b_row;
  std::byte* c;
  int64_t c_row;
  // The values from which the sums start. The values of neighbouring rows of C are start_row elements apart. start_row
  // is 0 if all rows have the same values. If the pointer is null, the sums start from 0.
  const std::byte* start;
  int64_t start_row;
  // The distance between the packed panels of B. Only GemmKernels::row reads several panels.
  int64_t b_panel = 0;
};
using GemmKernel = void (*)(const GemmBlock& block);

// Returns the sum of the n products of two contiguous vectors. `conjugate_dot` conjugates the first vector.
using DotKernel = void (*)(void* out, const void* a, const void* b, int64_t n);

// Replaces X by T⁻¹ X for a lower triangular T. The caller has negated the part of T below the diagonal, and has
// replaced the diagonal by its reciprocals. Steps are numbers of elements. The rows of the two matrices are contiguous.
struct TriangleBlock {
  int64_t rows, columns;
  const std::byte* triangle;
  int64_t triangle_row;
  std::byte* x;
  int64_t x_row;
};
using TriangleKernel = void (*)(const TriangleBlock& block);

// The number of packed panels whose sums the kernel for one row of A computes at a time.
inline constexpr int row_panels = 4;

struct GemmKernels {
  GemmKernel block = nullptr;
  DotKernel dot = nullptr;
  DotKernel conjugate_dot = nullptr;
  // Computes one row of C from several packed panels of B, up to row_panels at a time. Only float32 and float64 have
  // this kernel.
  GemmKernel row = nullptr;
  // Only float32, float64 and complex types have this kernel.
  TriangleKernel substitute = nullptr;
  // The number of rows in a strip, which the block kernel computes at a time. A may be packed by strips.
  int rows = 0;
  // The number of columns that the block kernel computes at a time. A packed panel of B has this number of columns.
  int panel = 0;
  // `wide` is true if the registers hold a block of C that keeps the multipliers busy.
  bool wide = false;
};

}  // namespace suanzi
