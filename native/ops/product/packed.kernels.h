// Products with matrices of which codes of 2, 4 or 8 bits are stored, in blocks with a scale and a zero point each.
//
// A column of B has its codes along the summed axis, the lowest bits of a byte first. A code stands for
// (code - zero) * scale, where code - zero is rounded to float32 if the zero point is no integer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The terms of a block are a multiple of these, which any vector divides.
inline constexpr int64_t packed_block_unit = 16;

struct PackedMatrix {
  int bits;
  int64_t terms;          // terms of a column; the codes of the last block go on to its end
  int64_t block, blocks;  // terms of a block, blocks of a column
  const std::byte* codes;
  DType scale_type;  // float32, float16 or bfloat16
  const std::byte* scales;
  DType zero_type;         // the scales' kind, or uint8: codes, of which each column begins with a byte
  const std::byte* zeros;  // null where all are half of the codes' range

  int64_t column_bytes() const { return blocks * block * bits / 8; }
  int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }
};

// C = A B for a few rows of float32, contiguous in A and C, and columns from `column` on. Each row of A ends in zeros
// up to the end of the last block. `start`, contiguous, is added to each row of C; null for nothing.
struct PackedBlock {
  int64_t rows, column, columns;
  const float* a;
  int64_t a_row;
  float* c;
  int64_t c_row;
  const float* start;
};

// Some rows of a panel of int8 or uint8, as wide as the product kernel's panels of float32. A column has a scale and a
// zero point.
struct CodedPanel {
  const std::byte* codes;
  bool is_signed;
  int64_t rows, width;
  const float *scales, *zeros;
};

struct PackedKernels {
  void (*multiply)(const PackedMatrix& b, const PackedBlock& block) = nullptr;
  // The numbers of `count` columns, each `step` apart, from `term`, a multiple of the unit, on.
  void (*decode)(float* out, int64_t step, const PackedMatrix& b, int64_t column, int64_t count, int64_t term,
                 int64_t terms) = nullptr;
  // The numbers of a panel, (code - zero) * scale each.
  void (*decode_panel)(float* out, const CodedPanel& panel) = nullptr;
};

}  // namespace suanzi
