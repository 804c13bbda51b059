// Words of two 16-bit integers or of four bytes. The kernels of ops/product/bytes.kernels.h multiply these words.
#pragma once

#include "ops/product/bytes.kernels.h"
#include "ops/product/product_sums.h"
#include "simd/pairs.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int word_lanes = vector_bytes / 4;
using Words = Vec<uint32_t, word_lanes>;
using WordSums = Vec<int32_t, word_lanes>;

// A word of two 16-bit integers.
struct PairWords {
  using part = int16_t;
  static constexpr int terms = 2, group = 1;
  // Packing subtracts the offsets from the codes of A and B. A rest is the difference between the zero point and the
  // offset.
  static constexpr int offset_of_a(ByteCodes a) { return a.zero; }
  static constexpr int offset_of_b(ByteCodes b) { return b.zero; }
  static constexpr int rest_of_a(ByteCodes) { return 0; }
  static constexpr int rest_of_b(ByteCodes) { return 0; }
  static SUANZI_INLINE WordSums add_products(WordSums sum, Words a, Words b) { return add_pair_products(sum, a, b); }
};

// A word of four bytes. Bytes of B are signed. The instruction determines whether bytes of A are signed.
struct QuadWords {
  using part = int8_t;
  static constexpr int terms = 4, group = 1;
  static constexpr int offset_of_a(ByteCodes a) {
    if (Arch::signed_quads) return offset_of_b(a);
    return a.is_signed ? -128 : 0;
  }
  static constexpr int offset_of_b(ByteCodes b) { return b.is_signed ? 0 : 128; }
  static constexpr int rest_of_a(ByteCodes a) { return a.zero - offset_of_a(a); }
  static constexpr int rest_of_b(ByteCodes b) { return b.zero - offset_of_b(b); }
  static SUANZI_INLINE WordSums add_products(WordSums sum, Words a, Words b) { return add_quad_products(sum, a, b); }
};

inline constexpr int line_lanes = 2 * word_lanes;  // the number of elements of B for two vectors of sums

// Interleaves the lanes of one half of two lines into pairs. Half 0 is the lower half.
template <int Half, class T>
SUANZI_INLINE Words zipped(Vec<T, line_lanes> first, Vec<T, line_lanes> second) {
  return bit_cast<uint32_t>(convert<int16_t>(shuffle<InterleaveLanes<Half, 1>>(first, second)));
}

}  // namespace suanzi::SUANZI_LEVEL
