// Products of bfloat16 matrices with an instruction that multiplies pairs of numbers, or blocks or tiles of pairs, and
// sums in float32. Machines without the instruction have no kernel, because products in float32 are as fast on these
// machines.
//
// The code first packs the operands in panels of a few rows of A or columns of B. For every two neighbouring indices of
// the summed axis, a panel holds the pair of each of its rows or columns. If the instruction multiplies blocks or
// tiles, the panels of A hold one row after the other instead. Missing elements at the end of a panel are 0. Contiguous
// rows of A need no packing, because the kernel reads A pair by pair, or tile by tile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// The rows of A. If `packed` is true, the rows are packed in panels. Otherwise, the rows are `step` bytes apart.
struct Bfloat16Rows {
  const std::byte* first;
  bool packed;
  int64_t step;
};

struct Bfloat16Gemm {
  int rows, columns;  // the number of rows in a panel of A, and of columns in a panel of B
  // The kernel computes groups of row_unit rows and multiplies groups of pair_unit pairs. Packed panels are padded with
  // zeros to a multiple of pair_unit pairs. If A is not packed, the number of rows of A must be a multiple of row_unit,
  // and the number of pairs in a row must be a multiple of pair_unit.
  int row_unit;
  int pair_unit;

  bool has_tiles;  // true if one instruction multiplies tiles of many rows and columns

  // Packs the bits of `count` rows of A, or of `count` columns of B. Each row or column has k elements. One of the two
  // steps must be 1. Returns false if a number is subnormal, because the instruction would read the number as 0. The
  // number of pairs in a panel is a multiple of pair_unit.
  bool (*pack_rows)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);
  bool (*pack_columns)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);

  // Returns true if `count` rows of k elements contain no subnormal number. Neighbouring rows are `step` elements
  // apart.
  bool (*are_normal)(const uint16_t* source, int64_t count, int64_t k, int64_t step);

  // Computes C = A B for `rows` rows of A and several consecutive panels of B. Each panel has `pairs` pairs along the
  // summed axis. C has the columns of these panels and is contiguous by rows. Elements of C for missing rows of A may
  // keep their old values.
  void (*multiply)(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs);
};

}  // namespace suanzi
