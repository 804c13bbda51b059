// Products of bfloat16 matrices by an instruction that multiplies pairs of them, or blocks or tiles of pairs, and
// sums in float32. There is no kernel for machines without: there float32 is as fast.
//
// The operands are packed first, in panels of a few rows of A or columns of B. A panel holds, for two neighbouring
// indices of the summed axis at a time, the pair of each of its rows or columns, or, of A for blocks and tiles, one row
// after the other; missing elements at its end are 0. Contiguous rows of A need not be packed, because the kernel reads
// A pair by pair, or tile by tile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// Rows of A: packed in panels, or in their place, `step` bytes apart.
struct Bfloat16Rows {
  const std::byte* first;
  bool packed;
  int64_t step;
};

struct Bfloat16Gemm {
  int rows, columns;  // rows of A and columns of B in a panel
  int row_unit;       // so many rows are computed together: rows in their place are a multiple of it
  int pair_unit;  // so many pairs are multiplied together: panels are filled up with zeros, rows in their place full

  // Packs `count` rows of A, or columns of B, of k elements: their bits, one of the two steps being 1. False where a
  // number is subnormal, which the instruction would take for 0. Pairs of a panel are a multiple of the unit.
  bool (*pack_rows)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);
  bool (*pack_columns)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);

  // True if none of `count` rows of k elements has a subnormal number.
  bool (*are_normal)(const uint16_t* source, int64_t count, int64_t k, int64_t step);

  // C = A B for `rows` rows and panels that follow one another, `pairs` in each; C is as large as the panels,
  // contiguous by rows, and those of no row of A may keep what they were.
  void (*multiply)(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs);
};

}  // namespace suanzi
