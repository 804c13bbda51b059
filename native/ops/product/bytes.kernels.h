// Products of matrices of 8-bit integers. The sums are exact or wrap in 32 bits. The rows of B are called lines.
//
// The code first packs the two operands into words of 32 bits. A word holds neighbouring elements along the summed
// axis. One instruction multiplies the elements of two words and sums the products. If the processor does not multiply
// bytes, a word is a pair of 16-bit integers, which are the codes less their zero point. If the processor multiplies
// bytes, a word is four bytes. The bytes of B are signed, and the bytes of A are unsigned (x86) or signed (Arm). If the
// processor multiplies tiles of bytes, the bytes are the unchanged codes. Words of four bytes hold codes from which the
// zero points are not subtracted, so the kernels correct the product by multiples of the row and column sums. Packing
// computes these sums.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

// The greatest number of terms for which a sum always fits 32 bits. A product of two codes less their zero points is at
// most 255².
inline constexpr int64_t most_byte_terms = int64_t{1} << 15;

// The element type of 8-bit codes, and their zero point. A code represents code - zero.
struct ByteCodes {
  bool is_signed;
  int zero;
};

// The operands of a kernel that computes C = A B, or C += A B if `add` is true. A has `rows` rows, and B is the first
// `columns` columns of a panel. Steps are numbers of elements. A's words and C's elements are contiguous along a row.
// `words` does not include the words for corrections.
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

// The operands of a kernel that computes sums += A' B' for a few rows of A and an unpacked part of B. A' and B' are the
// codes of A and B less their offsets. The rows of A are packed as words, whose parts are elements of A' (a pair of
// 16-bit integers, or four bytes). The kernel converts the bytes of B to words when it reads these bytes. Steps are
// numbers of elements.
struct FewByteBlock {
  int64_t rows, columns, terms;
  // Kernels may read past the end of a row, because they read whole vectors.
  const uint32_t* a;
  int64_t a_row;  // the distance between rows in words
  const std::byte* b;
  int64_t b_step;  // the distance between lines of B, or between columns of B
  bool b_signed;
  int32_t* sums;
  int64_t sums_row;
};

struct FewByteKernels {
  int rows;        // the greatest number of rows that the kernels multiply
  int part_bytes;  // the number of bytes of an element of A'
  int (*offset_of_a)(ByteCodes a);
  int (*offset_of_b)(ByteCodes b);
  // multiply_across reads contiguous lines of B. multiply_along reads contiguous columns of B.
  void (*multiply_across)(const FewByteBlock& block);
  void (*multiply_along)(const FewByteBlock& block);
};

struct ByteKernels {
  int rows;   // the number of rows of A that a kernel multiplies at a time
  int panel;  // the number of columns in a panel of B
  int terms;  // the number of terms in a word
  // The number of words in a group. A kernel multiplies whole groups, so zeros pad rows and panels to whole groups.
  int group;

  // words_of returns the number of words for n terms. row_words returns the step from one packed row of A to the next.
  // The step includes a group for the word that corrects the row's sums.
  int64_t words_of(int64_t n) const {
    const int64_t together = int64_t{terms} * group;
    return (n + together - 1) / together * group;
  }
  int64_t row_words(int64_t n) const { return words_of(n) + group; }

  // Packs n neighbouring elements of a row of A into words. A word for the correction of the row's sums follows.
  // `other` describes B's elements.
  void (*pack_row)(uint32_t* words, const std::byte* source, int64_t n, ByteCodes codes, ByteCodes other);
  // Packs n lines of `panel` elements of B, `step` bytes apart, into lines of words. The next line has the correction
  // of the sums if words have four bytes, and is unused otherwise. The words do not depend on A.
  void (*pack_panel)(uint32_t* words, const std::byte* source, int64_t n, int64_t step, ByteCodes codes);

  // Each kernel multiplies at most most_byte_terms terms. The elements of C are int32, which wraps, or int64.
  void (*multiply_to_int32)(const ByteBlock& block);
  void (*multiply_to_int64)(const ByteBlock& block);

  FewByteKernels few;
};

}  // namespace suanzi
