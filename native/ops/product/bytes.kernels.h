// Products of matrices of 8-bit integers, whose sums are exact or wrap in 32 bits.
//
// Both operands are packed before, in words of 32 bits: neighbours along the summed axis, which one instruction
// multiplies with those of another word and sums. A word is a pair of 16-bit integers less their zero points, or, where
// the processor multiplies bytes, four bytes: of B as if signed, of A as if unsigned (on x86) or signed (on
// Arm), and as they are where it multiplies tiles of them. Then the product is wrong by multiples of the sums of rows
// and of columns, which packing finds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// Terms whose sum 32 bits hold: a product of two codes less their zero points is at most 255².
inline constexpr int64_t most_byte_terms = int64_t{1} << 15;

// 8-bit integers that stand for code - zero.
struct ByteCodes {
  bool is_signed;
  int zero;
};

// C = A B or C += A B for `rows` rows of A and a panel of B, of which C takes `columns`, at most all. Steps are in
// elements; A's words and C's elements are contiguous along a row. `words`: without those that correct.
struct ByteBlock {
  int64_t rows, columns, words;
  const uint32_t* a;
  int64_t a_row;
  const uint32_t* b;
  void* c;
  int64_t c_row;
  bool add;
  ByteCodes of_a, of_b;
};

// sums += A B for at most few_byte_rows rows of A, of pairs of 16-bit integers whatever the words of other products
// are, and a part of B as it lies in memory: its bytes are widened as they are read. Steps are in elements.
inline constexpr int few_byte_rows = 4;
struct FewByteRows {
  int64_t rows, columns, terms;
  const int16_t* a;
  int64_t a_row;
  const std::byte* b;
  int64_t b_step;  // from a line of B, or one of its columns, to the next
  bool b_signed;
  int32_t* sums;
  int64_t sums_row;
};

struct ByteKernels {
  int rows;   // rows of A that are multiplied at a time
  int panel;  // columns of a panel of B
  int terms;  // in a word
  int group;  // words that are multiplied at a time: rows and panels are filled up with zeros

  // Words of n terms, and those from one packed row of A to the next, with room for the one that corrects.
  int64_t words_of(int64_t n) const {
    const int64_t together = int64_t{terms} * group;
    return (n + together - 1) / together * group;
  }
  int64_t row_words(int64_t n) const { return words_of(n) + group; }

  // A row of A: n elements side by side become words, and one that corrects the sums of the row. `other`: how B's
  // elements are stored.
  void (*pack_row)(uint32_t* words, const std::byte* source, int64_t n, ByteCodes codes, ByteCodes other);
  // n lines of `panel` elements of B, `step` bytes apart, become lines of words and one that corrects the sums of the
  // columns. `other`: how A's elements are stored.
  void (*pack_panel)(uint32_t* words, const std::byte* source, int64_t n, int64_t step, ByteCodes codes,
                     ByteCodes other);

  // The two kernels multiply at most most_byte_terms terms. C is of int32, which wraps, or of int64.
  void (*multiply_to_int32)(const ByteBlock& block);
  void (*multiply_to_int64)(const ByteBlock& block);

  // The first kernel takes contiguous lines of B, the second contiguous columns.
  void (*multiply_few_across)(const FewByteRows& part);
  void (*multiply_few_along)(const FewByteRows& part);
};

}  // namespace suanzi
