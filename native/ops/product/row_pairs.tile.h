// The products of some rows of A and a panel of eight columns of B, computed with instructions that multiply blocks of
// two rows and two columns (simd/blocks.h). A vector holds the four sums of a block. All sums stay in registers and
// fill at most 24 of the 32 registers.
//
// A's words are contiguous along a row, and rows are `step` bytes apart. The lines of B's panel follow one another. The
// number of words is even.
#pragma once

#include <algorithm>
#include <cstddef>

#include "simd/blocks.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int block_lanes = 4, line_columns = 2 * block_lanes, most_row_pairs = 6;

struct BlockRows {
  const std::byte* first;
  int64_t step, count;
};

template <class T, int RowPairs>
class RowPairTile {
 public:
  using Sums = Vec<T, block_lanes>;

  // Computes the products of all rows of A and the panel b. In place of missing rows, the function multiplies the last
  // row again.
  SUANZI_INLINE RowPairTile(const BlockRows& a, const uint32_t* b, int64_t words) {
    const std::byte* rows[2 * RowPairs];
    for (int r = 0; r < 2 * RowPairs; ++r) rows[r] = a.first + std::min<int64_t>(r, a.count - 1) * a.step;
    for (auto& of_pair : sums_)
      for (Sums& sum : of_pair) sum = Sums(T(0));
    for (int64_t at = 0; at < words * word; at += 2 * word, b += 2 * line_columns) {
      Words columns[block_lanes];
      for (int half = 0; half < 2; ++half) {
        const Words line = Words::load(b + half * block_lanes), next = Words::load(b + (2 + half) * block_lanes);
        columns[2 * half] = interleave<0>(line, next);
        columns[2 * half + 1] = interleave<1>(line, next);
      }
      for (int r = 0; r < RowPairs; ++r) {
        const Words pair = load_block(rows[2 * r] + at, rows[2 * r + 1] + at);
        for (int c = 0; c < block_lanes; ++c) sums_[r][c] = add_block_products(sums_[r][c], pair, columns[c]);
      }
    }
  }

  // Calls write(row, sums) for the first `count` rows. `sums` are two vectors with the sums of a row.
  template <class Write>
  SUANZI_INLINE void write_rows(int64_t count, Write write) const {
    for (int r = 0; r < RowPairs; ++r) {
      if (2 * r < count) write_row<0>(r, write);
      if (2 * r + 1 < count) write_row<1>(r, write);
    }
  }

 private:
  using Words = Vec<uint32_t, block_lanes>;
  static constexpr int64_t word = sizeof(uint32_t);

  template <int Which, class Write>
  SUANZI_INLINE void write_row(int pair, Write write) const {
    const auto joined = [](Sums a, Sums b) __attribute__((always_inline)) {
      return bit_cast<T>(interleave<Which>(bit_cast<uint64_t>(a), bit_cast<uint64_t>(b)));
    };
    const Sums(&blocks)[block_lanes] = sums_[pair];
    const Sums row[] = {joined(blocks[0], blocks[1]), joined(blocks[2], blocks[3])};
    write(2 * pair + Which, row);
  }

  Sums sums_[RowPairs][block_lanes];
};

// Calls write(row, sums) for each row of A.
template <class T, class Write>
SUANZI_INLINE void multiply_row_pairs(const BlockRows& a, const uint32_t* b, int64_t words, Write write) {
  for (int64_t done = 0; done < a.count;) {
    const BlockRows rest{a.first + done * a.step, a.step, a.count - done};
    const auto multiply = [&]<int RowPairs>() __attribute__((always_inline)) {
      const int64_t count = std::min<int64_t>(rest.count, 2 * RowPairs);
      RowPairTile<T, RowPairs>(rest, b, words)
          .write_rows(count, [&](int64_t row, const Vec<T, block_lanes>(&sums)[2])
                                 __attribute__((always_inline)) { write(done + row, sums); });
      done += count;
    };
    if (rest.count > most_row_pairs) {
      multiply.template operator()<most_row_pairs>();
    } else if (rest.count > 2) {
      multiply.template operator()<most_row_pairs / 2>();
    } else {
      multiply.template operator()<1>();
    }
  }
}

}  // namespace suanzi::SUANZI_LEVEL
