// Products with matrices stored as codes of 2, 4 or 8 bits, in blocks that each have a scale and a zero point.
//
// The codes of a column of B are stored along the summed axis, and the first code is in the lowest bits of a byte. A
// code represents (code - zero) * scale. If the zero point is not an integer, code - zero is rounded to float32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The number of terms in a block is a multiple of this unit. The unit is a multiple of the number of float32 lanes in
// every vector.
inline constexpr int64_t packed_block_unit = 16;
// The length of an arranged row is a multiple of the number of codes in every vector.
inline constexpr int64_t packed_row_unit = 256;

struct PackedMatrix {
  int bits;
  // The number of terms of a column. The codes continue to the end of the last block.
  int64_t terms;
  int64_t block, blocks;  // the numbers of terms in a block and of blocks in a column
  const std::byte* codes;
  DType scale_type;  // one of float32, float16 and bfloat16
  const std::byte* scales;
  // The type of the scales, or uint8 for packed zero points. The packed zero points of each column begin with a new
  // byte.
  DType zero_type;
  // If the pointer is null, every zero point is 2^(bits - 1).
  const std::byte* zeros;

  int64_t column_bytes() const { return blocks * block * bits / 8; }
  int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }
  // Returns the length of an arranged row of A.
  int64_t row_length() const { return (blocks * block + packed_row_unit - 1) / packed_row_unit * packed_row_unit; }
};

// The operands of a kernel that computes C = A B for a few float32 rows of A and the columns [column, column + columns)
// of B. The rows of A are in the order that PackedKernels::arrange writes. The rows of C are contiguous. `start`, a
// contiguous row or null, is added to each row of C.
struct PackedBlock {
  int64_t rows, column, columns;
  const float* a;
  int64_t a_row;
  float* c;
  int64_t c_row;
  const float* start;
};

// Some rows of a panel of int8 or uint8. The panel has the width of the product kernel's panels of float32. Each column
// has a scale and a zero point.
struct CodedPanel {
  const std::byte* codes;
  bool is_signed;
  int64_t rows, width;
  const float *scales, *zeros;
};

struct PackedKernels {
  // Copies a row of A in the order in which `multiply` reads the terms, and pads the row with zeros.
  void (*arrange)(float* out, const float* row, const PackedMatrix& b) = nullptr;
  void (*multiply)(const PackedMatrix& b, const PackedBlock& block) = nullptr;
  // Decodes the terms [term, term + terms) of the columns [column, column + count). `term` is a multiple of
  // packed_block_unit. The decoded columns are `step` elements apart.
  void (*decode)(float* out, int64_t step, const PackedMatrix& b, int64_t column, int64_t count, int64_t term,
                 int64_t terms) = nullptr;
  // Computes the numbers (code - zero) * scale for all codes of a panel.
  void (*decode_panel)(float* out, const CodedPanel& panel) = nullptr;
};

}  // namespace suanzi
