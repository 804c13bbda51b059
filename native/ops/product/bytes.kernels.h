// Products of matrices of 8-bit integers. The sums are exact or wrap in 32 bits.
//
// Both operands are packed into words of 32 bits first. A word holds neighbouring elements along the summed axis; one
// instruction multiplies the elements of two words and sums the products. A word is a pair of 16-bit integers, the
// codes less their zero point. If the processor multiplies bytes, a word is four bytes: signed for B; unsigned (x86) or
// signed (Arm) for A; and unchanged if the processor multiplies tiles of bytes. With four bytes, zero points are not
// subtracted, so the kernels correct the product by multiples of the row and column sums, which packing computes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// The largest number of terms whose sum fits 32 bits: a product of two codes less their zero points is at most 255².
inline constexpr int64_t most_byte_terms = int64_t{1} << 15;

// The element type of 8-bit codes, and their zero point; a code represents code - zero.
struct ByteCodes {
  bool is_signed;
  int zero;
};

// C = A B or C += A B for `rows` rows of A and the first `columns` columns of a panel of B. Steps are in elements; A's
// words and C's elements are contiguous along a row. `words` does not count the words that correct.
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

// sums += A' B' for a few rows of A and an unpacked part of B, where A' and B' are the codes of A and B less their
// offsets. The rows of A are packed as words, whose parts are A' (a pair of 16-bit integers, or four bytes). B's bytes
// become words as they are read. Steps are in elements.
struct FewByteBlock {
  int64_t rows, columns, terms;
  const uint32_t* a;  // each row can be read up to the next multiple of a vector
  int64_t a_row;      // in words
  const std::byte* b;
  int64_t b_step;  // the distance between lines of B, or between its columns
  bool b_signed;
  int32_t* sums;
  int64_t sums_row;
};

struct FewByteKernels {
  int rows;        // the greatest number of rows that the kernels multiply
  int part_bytes;  // the size of a part of A's words
  int (*offset_of_a)(ByteCodes a);
  int (*offset_of_b)(ByteCodes b);
  // The first kernel reads contiguous lines of B, the second one contiguous columns.
  void (*multiply_across)(const FewByteBlock& block);
  void (*multiply_along)(const FewByteBlock& block);
};

struct ByteKernels {
  int rows;   // rows of A that are multiplied at a time
  int panel;  // columns in a panel of B
  int terms;  // terms in a word
  int group;  // words are multiplied in groups of this many; rows and panels are padded with zeros

  // Returns the number of words for n terms, and the step from one packed row of A to the next, which includes the word
  // that corrects.
  int64_t words_of(int64_t n) const {
    const int64_t together = int64_t{terms} * group;
    return (n + together - 1) / together * group;
  }
  int64_t row_words(int64_t n) const { return words_of(n) + group; }

  // Packs a row of A: n neighbouring elements become words, followed by a word that corrects the row's sums. `other`
  // describes B's elements.
  void (*pack_row)(uint32_t* words, const std::byte* source, int64_t n, ByteCodes codes, ByteCodes other);
  // Packs n lines of `panel` elements of B, `step` bytes apart, into lines of words, followed by a line with which the
  // sums are corrected. The words do not depend on A.
  void (*pack_panel)(uint32_t* words, const std::byte* source, int64_t n, int64_t step, ByteCodes codes);

  // Both kernels multiply at most most_byte_terms terms. C is int32, which wraps, or int64.
  void (*multiply_to_int32)(const ByteBlock& block);
  void (*multiply_to_int64)(const ByteBlock& block);

  FewByteKernels few;
};

}  // namespace suanzi
