// Products of a few rows of 8-bit integers with matrices of 8-bit integers. A product reads the unpacked matrix once.
#pragma once

#include "ops/product/bytes.kernels.h"
#include "ops/product/matrix.h"
#include "tensor/scratch.h"

namespace suanzi::products {

class FewByteRows {
 public:
  // Allocates memory for rows of at most most_byte_terms codes. The zero points must be values of the codes' types.
  FewByteRows(int64_t rows, int64_t terms, ByteCodes of_a, ByteCodes of_b);

  // Packs a row of codes. Neighbouring codes are `step` bytes apart.
  void pack(int64_t row, const std::byte* codes, int64_t step);

  // Returns the sum of row `row` of A - zero_a.
  int32_t sum_of_row(int64_t row) const { return row_sums_.data()[row]; }
  // Returns the number of rows of `sums` that multiply() needs.
  int64_t sum_rows() const { return rows_ + (rest_of_a_ != 0); }

  // Writes the exact product (A - zero_a) (B - zero_b) to `sums`. The lines or the columns of B are contiguous. The
  // rows of `sums` have b.columns elements. The rows of `sums` after the rows of A are scratch memory.
  void multiply(const Matrix& b, int32_t* sums) const;

 private:
  template <class Part>
  void pack_parts(int64_t row, const std::byte* codes, int64_t step);
  void multiply_parts(const Matrix& b, int32_t* sums) const;

  const FewByteKernels& kernels_;
  const int64_t rows_, terms_, row_words_;
  const ByteCodes of_a_, of_b_;
  const int32_t rest_of_a_, rest_of_b_;  // the difference between a zero point and the offset of the packed codes
  ScratchArray<uint32_t> words_;
  ScratchArray<int32_t> row_sums_;
};

}  // namespace suanzi::products
