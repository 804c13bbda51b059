// Products of bfloat16 matrices with an instruction that multiplies pairs of numbers, or blocks or tiles of pairs, and
// sums in float32. Machines without the instruction have no kernel, because float32 is as fast there.
//
// The operands are packed first, in panels of a few rows of A or columns of B. For every two neighbouring indices of
// the summed axis, a panel holds the pair of each of its rows or columns. Panels of A for blocks and tiles do not hold
// pairs in this order, but one row after the other. Missing elements at the end of a panel are 0. Contiguous rows of A
// need not be packed, because the kernel reads A pair by pair, or tile by tile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// Rows of A, packed in panels or unpacked, `step` bytes apart.
struct Bfloat16Rows {
  const std::byte* first;
  bool packed;
  int64_t step;
};

struct Bfloat16Gemm {
  int rows, columns;  // rows of A and columns of B in a panel
  // Rows are computed in groups of row_unit, and pairs multiplied in groups of pair_unit. Packed panels are padded with
  // zeros to a multiple of pair_unit pairs; unpacked rows must be multiples of both units.
  int row_unit;
  int pair_unit;

  // Packs the bits of `count` rows of A, or columns of B, of k elements each. One of the two steps must be 1. Returns
  // false if a number is subnormal, because the instruction would read it as 0. The number of pairs in a panel is a
  // multiple of the unit.
  bool (*pack_rows)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);
  bool (*pack_columns)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);

  // Returns whether none of `count` rows of k elements has a subnormal number.
  bool (*are_normal)(const uint16_t* source, int64_t count, int64_t k, int64_t step);

  // C = A B for `rows` rows of A and several consecutive panels of B, with `pairs` pairs in each. C is as large as the
  // panels and contiguous by rows. Elements of C that belong to no row of A may keep their old value.
  void (*multiply)(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs);
};

}  // namespace suanzi
