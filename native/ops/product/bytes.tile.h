// The kernels of ops/product/bytes.kernels.h for words of pairs or of quads.
#pragma once

#include <cstring>

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

// A word of four bytes: signed for B, and for A as the instruction requires.
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

// --- a few rows of A and an unpacked B ---

constexpr int line_lanes = 2 * word_lanes;  // elements of B for two vectors of sums

// Interleaves the lanes of two lines into pairs, for the columns of the lower (Half 0) or upper half.
template <int Half, class T>
SUANZI_INLINE Words zipped(Vec<T, line_lanes> first, Vec<T, line_lanes> second) {
  return bit_cast<uint32_t>(convert<int16_t>(shuffle<InterleaveLanes<Half, 1>>(first, second)));
}

template <class T, int Rows>
SUANZI_INLINE void multiply_few_across(const FewByteRows& g) {
  constexpr int pairs = 4;  // pairs that are added to a sum before it is stored
  using Line = Vec<T, line_lanes>;
  const auto* const b = reinterpret_cast<const T*>(g.b);
  for (int64_t term = 0; term < g.terms; term += 2 * pairs) {
    const int count = static_cast<int>(g.terms - term < 2 * pairs ? g.terms - term : 2 * pairs);
    const T* lines[2 * pairs];
    // Past the last term any line may be read, because it is multiplied by 0.
    for (int k = 0; k < 2 * pairs; ++k) lines[k] = b + (term + (k < count ? k : 0)) * g.b_step;
    int16_t part[Rows][2 * pairs] = {};
    for (int r = 0; r < Rows; ++r) std::memcpy(part[r], g.a + r * g.a_row + term, static_cast<size_t>(count) * 2);
    // The sums of the blocks' columns fit the registers. For a single row, the blocks cover a cache line of each line
    // of B.
    constexpr int blocks = 4 / Rows > 0 ? 4 / Rows : 1;
    int64_t j = 0;
    const auto multiply_columns = [&]<int Blocks>() __attribute__((always_inline)) {
      // The compiler keeps the sums in registers only if it unrolls every loop over them.
      WordSums sums[Rows][2 * Blocks];
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
        for (int v = 0; v < 2 * Blocks; ++v) sums[r][v] = WordSums::load(g.sums + r * g.sums_row + j + v * word_lanes);
#pragma GCC unroll 4
      for (int p = 0; p < pairs; ++p) {
        const auto line = [&](int k, int block)
                              __attribute__((always_inline)) { return Line::load(lines[k] + j + block * line_lanes); };
        for (int block = 0; block < Blocks; ++block) {
          const Line first = line(2 * p, block), second = line(2 * p + 1, block);
          const Words words[2] = {zipped<0>(first, second), zipped<1>(first, second)};
          for (int r = 0; r < Rows; ++r) {
            uint32_t word;
            std::memcpy(&word, part[r] + 2 * p, sizeof word);
            for (int v = 0; v < 2; ++v)
              sums[r][2 * block + v] = add_pair_products(sums[r][2 * block + v], Words(word), words[v]);
          }
        }
      }
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
        for (int v = 0; v < 2 * Blocks; ++v) sums[r][v].store(g.sums + r * g.sums_row + j + v * word_lanes);
      j += Blocks * line_lanes;
    };
    while (j + blocks * line_lanes <= g.columns) multiply_columns.template operator()<blocks>();
    while (j + line_lanes <= g.columns) multiply_columns.template operator()<1>();
    for (; j < g.columns; ++j)
      for (int r = 0; r < Rows; ++r)
        for (int k = 0; k < count; ++k) g.sums[r * g.sums_row + j] += part[r][k] * lines[k][j];
  }
}

// Multiplies `Columns` columns at a time. Each column is read once, and each row is read once for all of these columns.
template <class T, int Rows, int Columns>
SUANZI_INLINE void multiply_columns_along(const FewByteRows& g, int64_t j) {
  const T* const column = reinterpret_cast<const T*>(g.b) + j * g.b_step;
  WordSums sums[Rows][Columns];
  for (auto& of_row : sums)
    for (WordSums& sum : of_row) sum = WordSums(0);
  int64_t term = 0;
  const auto multiply = [&](auto load) __attribute__((always_inline)) {
    Words words[Columns];
    for (int k = 0; k < Columns; ++k)
      words[k] = bit_cast<uint32_t>(convert<int16_t>(load(column + k * g.b_step + term)));
    for (int r = 0; r < Rows; ++r) {
      const Words row = bit_cast<uint32_t>(load(g.a + r * g.a_row + term));
      for (int k = 0; k < Columns; ++k) sums[r][k] = add_pair_products(sums[r][k], row, words[k]);
    }
  };
  for (; term + line_lanes <= g.terms; term += line_lanes)
    multiply([]<class E>(const E* at) __attribute__((always_inline)) { return Vec<E, line_lanes>::load(at); });
  if (term < g.terms) {
    const int left = static_cast<int>(g.terms - term);
    multiply([left]<class E>(const E* at)
                 __attribute__((always_inline)) { return Vec<E, line_lanes>::load_first(at, left, E(0)); });
  }
  for (int r = 0; r < Rows; ++r)
    for (int k = 0; k < Columns; ++k)
      g.sums[r * g.sums_row + j + k] += fold_all_lanes<Numbers<int32_t>::Plus>(sums[r][k]);
}

template <class T, int Rows>
SUANZI_INLINE void multiply_few_along(const FewByteRows& g) {
  // The sums of four rows and three columns, the columns and a row fill 16 registers.
  constexpr int columns = Rows == 1 ? few_byte_rows : 3;
  int64_t j = 0;
  for (; j + columns <= g.columns; j += columns) multiply_columns_along<T, Rows, columns>(g, j);
  for (; j < g.columns; ++j) multiply_columns_along<T, Rows, 1>(g, j);
}

template <class T, class Body>
SUANZI_INLINE void for_rows(int64_t rows, Body body) {
  static_assert(few_byte_rows == 4);
  switch (rows) {
    case 1:
      return body.template operator()<T, 1>();
    case 2:
      return body.template operator()<T, 2>();
    case 3:
      return body.template operator()<T, 3>();
    default:
      return body.template operator()<T, 4>();
  }
}
inline void few_across(const FewByteRows& g) {
  const auto body = [&]<class T, int Rows>() { multiply_few_across<T, Rows>(g); };
  g.b_signed ? for_rows<int8_t>(g.rows, body) : for_rows<uint8_t>(g.rows, body);
}
inline void few_along(const FewByteRows& g) {
  const auto body = [&]<class T, int Rows>() { multiply_few_along<T, Rows>(g); };
  g.b_signed ? for_rows<int8_t>(g.rows, body) : for_rows<uint8_t>(g.rows, body);
}

// --- any number of rows ---

template <class Word>
struct ByteProducts {
  static constexpr int N = word_lanes, tile_vectors = 2, panel = tile_vectors * N;
  // The registers hold the sums of a tile, two vectors of B, a word of A and a product.
  static constexpr int tile_rows = Arch::vector_registers >= 32 ? 12 : 6;

  // The stored values are a' and b', and the sum of (a' - p) (b' - q) is wanted, which is the sum of a' b' plus
  // (-q) sum(a') + (-p) sum(b') + n p q. The correction of a row is (-q) sum(a'), the correction of a column is (-p)
  // sum(b') + n p q.
  template <class T>
  static SUANZI_INLINE void pack_row_of(uint32_t* words, const T* source, int64_t n, int offset, int other_rest) {
    constexpr int64_t together = Word::terms * Word::group;
    auto* const out = reinterpret_cast<typename Word::part*>(words);
    const int64_t filled = (n + together - 1) / together * together;
    int32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int stored = source[i] - offset;
      out[i] = static_cast<typename Word::part>(stored);
      if constexpr (Word::terms == 4) sum += stored;
    }
    for (int64_t i = n; i < filled; ++i) out[i] = 0;
    words[filled / Word::terms] = static_cast<uint32_t>(-other_rest * sum);
  }

  static void pack_row(uint32_t* words, const std::byte* source, int64_t n, ByteCodes codes, ByteCodes other) {
    const int offset = Word::offset_of_a(codes), rest = Word::rest_of_b(other);
    if (codes.is_signed) {
      pack_row_of(words, reinterpret_cast<const int8_t*>(source), n, offset, rest);
    } else {
      pack_row_of(words, reinterpret_cast<const uint8_t*>(source), n, offset, rest);
    }
  }

  // Packs lines as pairs of neighbours. Sums of pairs need no correction.
  template <class T>
  static SUANZI_INLINE void pack_pairs(uint32_t* words, const T* source, int64_t n, int64_t step, int offset) {
    static_assert(panel == line_lanes);
    using Line = Vec<T, line_lanes>;
    const Vec<int16_t, line_lanes> zero(static_cast<int16_t>(offset));
    for (int64_t i = 0; i < n; i += 2, words += panel) {
      const Line first = Line::load(source + i * step);
      const Line second = i + 1 < n ? Line::load(source + (i + 1) * step) : Line(static_cast<T>(offset));
      const Words pairs[] = {zipped<0>(first, second), zipped<1>(first, second)};
      for (int v = 0; v < tile_vectors; ++v)
        bit_cast<uint32_t>(bit_cast<int16_t>(pairs[v]) - zero).store(words + v * N);
    }
  }

  template <class T>
  static SUANZI_INLINE void pack_quads(uint32_t* words, const T* source, int64_t n, int64_t step, int offset, int rest,
                                       int other_rest) {
    const Words mask(0xffu);
    WordSums sums[tile_vectors];
    for (WordSums& sum : sums) sum = WordSums(0);
    for (int64_t i = 0; i < n; i += 4, words += panel) {
      for (int v = 0; v < tile_vectors; ++v) {
        Words word(0u);
        for (int k = 0; k < 4; ++k) {
          if (i + k >= n) break;
          const T* const line = source + (i + k) * step + v * N;
          const WordSums stored = bit_cast<int32_t>(convert<int32_t>(Vec<T, N>::load(line))) - WordSums(offset);
          word = word | (bit_cast<uint32_t>(stored) & mask) << (k * 8);
          sums[v] = sums[v] + stored;
        }
        word.store(words + v * N);
      }
    }
    // The last group is padded with lines of zeros.
    for (int64_t used = (n + Word::terms - 1) / Word::terms; used % Word::group != 0; ++used)
      for (int v = 0; v < tile_vectors; ++v, words += N) Words(0u).store(words);
    const WordSums all(static_cast<int32_t>(n) * rest * other_rest), factor(-other_rest);
    for (int v = 0; v < tile_vectors; ++v) bit_cast<uint32_t>(factor * sums[v] + all).store(words + v * N);
  }

  static void pack_panel(uint32_t* words, const std::byte* source, int64_t n, int64_t step, ByteCodes codes,
                         ByteCodes other) {
    const int offset = Word::offset_of_b(codes), rest = Word::rest_of_b(codes), other_rest = Word::rest_of_a(other);
    const auto pack = [&](const auto* lines) {
      if constexpr (Word::terms == 2) {
        pack_pairs(words, lines, n, step, offset);
      } else {
        pack_quads(words, lines, n, step, offset, rest, other_rest);
      }
    };
    codes.is_signed ? pack(reinterpret_cast<const int8_t*>(source)) : pack(reinterpret_cast<const uint8_t*>(source));
  }

  // Writes the corrected sums of a row and a panel to C.
  template <class C>
  static SUANZI_INLINE void write_row(const ByteBlock& g, int64_t row, const WordSums (&sums)[tile_vectors]) {
    const WordSums of_a(static_cast<int32_t>(g.a[row * g.a_row + g.words]));
    int32_t of_row[panel];
    for (int v = 0; v < tile_vectors; ++v) {
      WordSums sum = sums[v];
      if constexpr (Word::terms == 4) sum = sum + of_a + bit_cast<int32_t>(Words::load(g.b + g.words * panel + v * N));
      sum.store(of_row + v * N);
    }
    C* const out = static_cast<C*>(g.c) + row * g.c_row;
    for (int64_t j = 0; j < g.columns; ++j) {
      if constexpr (sizeof(C) == 4) {
        out[j] = static_cast<C>((g.add ? static_cast<uint32_t>(out[j]) : 0u) + static_cast<uint32_t>(of_row[j]));
      } else {
        out[j] = (g.add ? out[j] : C{0}) + of_row[j];
      }
    }
  }

  template <class C, int Rows>
  static SUANZI_INLINE void multiply_tile(const ByteBlock& g, int64_t row) {
    WordSums sums[Rows][tile_vectors];
    for (auto& of_row : sums)
      for (WordSums& sum : of_row) sum = WordSums(0);
    const uint32_t *a = g.a + row * g.a_row, *b = g.b;
    for (int64_t w = 0; w < g.words; ++w, ++a, b += panel) {
      Words column[tile_vectors];
      for (int v = 0; v < tile_vectors; ++v) column[v] = Words::load(b + v * N);
      for (int r = 0; r < Rows; ++r) {
        const Words word(a[r * g.a_row]);
        for (int v = 0; v < tile_vectors; ++v) sums[r][v] = Word::add_products(sums[r][v], word, column[v]);
      }
    }
    for (int r = 0; r < Rows; ++r) write_row<C>(g, row + r, sums[r]);
  }

  template <class C>
  static void multiply(const ByteBlock& g) {
    int64_t row = 0;
    const auto strips = [&]<int Rows>() __attribute__((always_inline)) {
      for (; row + Rows <= g.rows; row += Rows) multiply_tile<C, Rows>(g, row);
    };
    strips.template operator()<tile_rows>();
    strips.template operator()<tile_rows / 2>();
    strips.template operator()<1>();
  }

  static constexpr ByteKernels kernels() {
    return {tile_rows,         panel,      Word::terms, Word::group, pack_row, pack_panel, multiply<int32_t>,
            multiply<int64_t>, few_across, few_along};
  }
};

}  // namespace suanzi::SUANZI_LEVEL
