// Products of bfloat16 matrices by the instruction that multiplies pairs of them and sums in float32. There is no
// kernel for machines without it: there float32 is as fast.
//
// Both operands are packed first, in panels of a few rows of A or columns of B. A panel holds, for two neighbouring
// indices of the summed axis at a time, the pair of each of its rows or columns; what is missing at its end is 0.
#pragma once

#include <cstdint>

namespace suanzi {

struct Bfloat16Gemm {
  int rows, columns;  // of A and of B in a panel

  // Packs `count` rows of A, or columns of B, of k elements: their bits, one of the two steps being 1. False where a
  // number is subnormal, which the instruction would take for 0.
  bool (*pack_rows)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);
  bool (*pack_columns)(uint32_t* panel, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step);

  // C = A B for panels that follow one another, `pairs` in each; C is as large as they are and contiguous by rows.
  void (*multiply)(float* c, const uint32_t* a, int64_t a_panels, const uint32_t* b, int64_t b_panels, int64_t pairs);
};

// Null where the machine lacks the instruction or a lower level is used.
const Bfloat16Gemm* bfloat16_gemm();

}  // namespace suanzi
