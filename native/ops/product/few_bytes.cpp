#include "ops/product/few_bytes.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "runtime/costs.h"

namespace suanzi::products {
namespace {

// The number of bytes in a part of B. If the kernels multiply only some of the rows at a time, the code multiplies all
// rows by one part of B before the next part.
constexpr int64_t few_bytes = 64 * costs::KiB;
// The size in bytes of the widest vector. The kernels read rows in whole vectors.
constexpr int64_t widest_vector = 64;

int32_t code_at(const std::byte* code, bool is_signed) {
  return is_signed ? static_cast<int8_t>(*code) : static_cast<int>(*code);
}

}  // namespace

FewByteRows::FewByteRows(int64_t rows, int64_t terms, ByteCodes of_a, ByteCodes of_b)
    : kernels_(byte_kernels().few),
      rows_(rows),
      terms_(terms),
      row_words_(ceiling(terms * kernels_.part_bytes, widest_vector) * widest_vector / int64_t{sizeof(uint32_t)}),
      of_a_(of_a),
      of_b_(of_b),
      rest_of_a_(of_a.zero - kernels_.offset_of_a(of_a)),
      rest_of_b_(of_b.zero - kernels_.offset_of_b(of_b)),
      words_(sum_rows() * row_words_),
      row_sums_(rows) {
  std::fill_n(words_.data(), sum_rows() * row_words_, 0u);
  // A row of ones follows the rows of A. The sums of this row are the sums of the columns of B', which `multiply`
  // defines.
  if (rest_of_a_ != 0) std::memset(words_.data() + rows_ * row_words_, 1, static_cast<size_t>(terms));
}

template <class Part>
void FewByteRows::pack_parts(int64_t row, const std::byte* codes, int64_t step) {
  auto* const parts = reinterpret_cast<Part*>(words_.data() + row * row_words_);
  const int32_t offset = kernels_.offset_of_a(of_a_);
  int32_t sum = 0;
  const auto pack_codes = [&](auto code_of) {
    for (int64_t k = 0; k < terms_; ++k) {
      const int32_t code = code_of(k);
      parts[k] = static_cast<Part>(code - offset);
      sum += code;
    }
  };
  // Compilers vectorise the loops over neighbouring codes.
  if (step == 1 && of_a_.is_signed)
    pack_codes([codes](int64_t k) { return int32_t{reinterpret_cast<const int8_t*>(codes)[k]}; });
  else if (step == 1)
    pack_codes([codes](int64_t k) { return int32_t{reinterpret_cast<const uint8_t*>(codes)[k]}; });
  else
    pack_codes([&](int64_t k) { return code_at(codes + k * step, of_a_.is_signed); });
  row_sums_.data()[row] = sum - static_cast<int32_t>(terms_) * of_a_.zero;
}

void FewByteRows::pack(int64_t row, const std::byte* codes, int64_t step) {
  kernels_.part_bytes == 1 ? pack_parts<int8_t>(row, codes, step) : pack_parts<int16_t>(row, codes, step);
}

// Adds the products of the packed rows and the codes of B to the sums. The function multiplies by one part of B after
// the other.
void FewByteRows::multiply_parts(const Matrix& b, int32_t* sums) const {
  const int64_t count = sum_rows(), most = kernels_.rows;
  const bool across = b.column_step == 1, at_once = count <= most;
  const int64_t terms = at_once || !across ? b.rows : std::max<int64_t>(few_bytes / b.columns / 8, 1) * 8;
  const int64_t columns = at_once || across ? b.columns : std::max<int64_t>(few_bytes / b.rows, 1);
  for (int64_t term = 0; term < b.rows; term += terms) {
    const uint32_t* const words = words_.data() + term * kernels_.part_bytes / int64_t{sizeof(uint32_t)};
    for (int64_t column = 0; column < b.columns; column += columns) {
      const Matrix piece =
          b.block(term, column, std::min(terms, b.rows - term), std::min(columns, b.columns - column), 1);
      for (int64_t row = 0; row < count; row += most)
        (across ? kernels_.multiply_across : kernels_.multiply_along)(
            {std::min(most, count - row), piece.columns, piece.rows, words + row * row_words_, row_words_, piece.data,
             across ? piece.row_step : piece.column_step, of_b_.is_signed, sums + row * b.columns + column, b.columns});
    }
  }
}

void FewByteRows::multiply(const Matrix& b, int32_t* sums) const {
  std::memset(sums, 0, static_cast<size_t>(sum_rows() * b.columns) * sizeof *sums);
  multiply_parts(b, sums);
  // The kernels multiply A' = A - zero_a + p and B' = B - zero_b + q, where p is rest_of_a_ and q is rest_of_b_. The
  // result is therefore the sum of A' B', less p times the sum of B', less q times the sum of A - zero_a. Intermediate
  // results may wrap, but the result does not wrap.
  const auto p = static_cast<uint32_t>(rest_of_a_), q = static_cast<uint32_t>(rest_of_b_);
  if (p == 0 && q == 0) return;
  const int32_t* const of_columns = p != 0 ? sums + rows_ * b.columns : nullptr;
  for (int64_t r = 0; r < rows_; ++r) {
    int32_t* const row = sums + r * b.columns;
    const uint32_t of_row = q * static_cast<uint32_t>(row_sums_.data()[r]);
    for (int64_t j = 0; j < b.columns; ++j) {
      const uint32_t of_column = of_columns ? p * static_cast<uint32_t>(of_columns[j]) : 0u;
      row[j] = static_cast<int32_t>(static_cast<uint32_t>(row[j]) - of_column - of_row);
    }
  }
}

}  // namespace suanzi::products
