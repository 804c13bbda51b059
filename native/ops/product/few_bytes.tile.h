// The kernels of ops/product/bytes.kernels.h that multiply a few rows of A by an unpacked B.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ops/product/byte_words.tile.h"

namespace suanzi::SUANZI_LEVEL {

// --- words of pairs ---

inline constexpr int most_pair_rows = 4;  // the number of rows whose sums fit the registers

SUANZI_INLINE const int16_t* pairs_of_row(const FewByteBlock& g, int row) {
  return reinterpret_cast<const int16_t*>(g.a + row * g.a_row);
}

template <class T, int Rows>
SUANZI_INLINE void multiply_pairs_across(const FewByteBlock& g) {
  constexpr int pairs = 4;  // the number of pairs that the kernel adds to a sum between two stores
  using Line = Vec<T, line_lanes>;
  const auto* const b = reinterpret_cast<const T*>(g.b);
  for (int64_t term = 0; term < g.terms; term += 2 * pairs) {
    const int count = static_cast<int>(g.terms - term < 2 * pairs ? g.terms - term : 2 * pairs);
    const T* lines[2 * pairs];
    // Past the last term, the kernel may read any line, because it multiplies the line by 0.
    for (int k = 0; k < 2 * pairs; ++k) lines[k] = b + (term + (k < count ? k : 0)) * g.b_step;
    int16_t part[Rows][2 * pairs] = {};
    for (int r = 0; r < Rows; ++r) std::memcpy(part[r], pairs_of_row(g, r) + term, static_cast<size_t>(count) * 2);
    // The number of blocks of line_lanes columns whose sums fit the registers. With vectors of 32 bytes, the blocks of
    // a single row cover a cache line of each line of B.
    constexpr int blocks = 4 / Rows > 0 ? 4 / Rows : 1;
    int64_t j = 0;
    const auto multiply_columns = [&]<int Blocks>() __attribute__((always_inline)) {
      // The compiler keeps the sums in registers only if it unrolls every loop over the sums.
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

// Multiplies the rows of A by the columns [j, j + Columns) of B. The function reads each column once, and reads each
// row once for all of these columns.
template <class T, int Rows, int Columns>
SUANZI_INLINE void multiply_pair_columns(const FewByteBlock& g, int64_t j) {
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
      const Words row = bit_cast<uint32_t>(load(pairs_of_row(g, r) + term));
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
SUANZI_INLINE void multiply_pairs_along(const FewByteBlock& g) {
  // The sums of four rows and three columns, a vector of each column and a vector of a row fill 16 registers.
  constexpr int columns = Rows == 1 ? most_pair_rows : 3;
  int64_t j = 0;
  for (; j + columns <= g.columns; j += columns) multiply_pair_columns<T, Rows, columns>(g, j);
  for (; j < g.columns; ++j) multiply_pair_columns<T, Rows, 1>(g, j);
}

template <class T, class Body>
SUANZI_INLINE void for_pair_rows(int64_t rows, Body body) {
  static_assert(most_pair_rows == 4);
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

// The kernels multiply the widened codes of B without an offset. Packing a row of A subtracts the zero point of A.
struct FewPairs {
  using part = int16_t;
  static constexpr int rows = most_pair_rows;
  static int offset_of_a(ByteCodes a) { return a.zero; }
  static int offset_of_b(ByteCodes) { return 0; }
  static void multiply_across(const FewByteBlock& g) {
    const auto body = [&]<class T, int Rows>() { multiply_pairs_across<T, Rows>(g); };
    g.b_signed ? for_pair_rows<int8_t>(g.rows, body) : for_pair_rows<uint8_t>(g.rows, body);
  }
  static void multiply_along(const FewByteBlock& g) {
    const auto body = [&]<class T, int Rows>() { multiply_pairs_along<T, Rows>(g); };
    g.b_signed ? for_pair_rows<int8_t>(g.rows, body) : for_pair_rows<uint8_t>(g.rows, body);
  }
};

// --- words of quads ---

inline constexpr int quad_line = vector_bytes;             // the number of elements of B in a vector
inline constexpr int line_words = quad_line / word_lanes;  // the number of vectors of words in four lines of B
inline constexpr int most_quad_rows = 17;  // 16 rows of A, and a row of ones for the sums of the columns of B
inline constexpr bool has_many_registers = Arch::vector_registers >= 32;

// The words of B hold signed bytes. An unsigned byte less 128 is the byte with its top bit inverted.
template <class T>
inline constexpr uint32_t inverted_bits = std::is_signed_v<T> ? 0u : 0x80808080u;
// The element of B that becomes 0 in a word.
template <class T>
inline constexpr T no_code = std::is_signed_v<T> ? T(0) : T(128);

// Makes words of four lines of B. Within each piece of 16 columns, a vector holds the words of four columns. The first
// vector holds columns 0 to 3, the next vector holds columns 4 to 7, and so on.
template <class T>
SUANZI_INLINE void make_quads(const Vec<T, quad_line> (&lines)[4], Words (&words)[line_words]) {
  const Words inverted(inverted_bits<T>);
  const auto place = [&]<int Half>() __attribute__((always_inline)) {
    const auto first = bit_cast<uint16_t>(zip<Half>(lines[0], lines[1])),
               second = bit_cast<uint16_t>(zip<Half>(lines[2], lines[3]));
    words[2 * Half] = bit_cast<uint32_t>(zip<0>(first, second)) ^ inverted;
    words[2 * Half + 1] = bit_cast<uint32_t>(zip<1>(first, second)) ^ inverted;
  };
  place.template operator()<0>();
  place.template operator()<1>();
}

// Adds `columns` sums to `to`. The sums are in the order of make_quads, and the numbers of `to` are in the order of the
// columns.
SUANZI_INLINE void add_in_order(int32_t* to, const int32_t* sums, int columns) {
  constexpr int in_piece = piece_bytes / 4, pieces = word_lanes / in_piece;
  for (int piece = 0; piece < pieces; ++piece)
    for (int v = 0; v < line_words; ++v)
      for (int i = 0; i < in_piece; ++i) {
        const int column = (piece * line_words + v) * in_piece + i;
        if (column < columns) to[column] += sums[v * word_lanes + piece * in_piece + i];
      }
}

template <class T>
void multiply_quads_across(const FewByteBlock& g) {
  // The number of words of a column that the kernel adds to a sum between two stores.
  constexpr int quads = has_many_registers ? 4 : 2;
  constexpr int64_t sum_bytes = 32 * 1024;  // the number of bytes of sums, which stay in the L1 cache
  using Line = Vec<T, quad_line>;
  alignas(64) int32_t sums[sum_bytes / 4];
  const auto* const b = reinterpret_cast<const T*>(g.b);
  const int64_t widest = sum_bytes / 4 / g.rows / quad_line * quad_line;
  for (int64_t column = 0; column < g.columns; column += widest) {
    const int64_t columns = std::min(widest, g.columns - column);
    const int64_t width = (columns + quad_line - 1) / quad_line * quad_line;
    std::memset(sums, 0, static_cast<size_t>(g.rows * width) * 4);
    for (int64_t term = 0; term < g.terms; term += 4 * quads) {
      const int count = static_cast<int>(std::min<int64_t>(4 * quads, g.terms - term));
      const T* lines[4 * quads];
      // Past the last term, the kernel may read any line, because it multiplies the line by 0.
      for (int k = 0; k < 4 * quads; ++k) lines[k] = b + (term + (k < count ? k : 0)) * g.b_step + column;
      uint32_t factors[most_quad_rows][quads] = {};
      for (int64_t r = 0; r < g.rows; ++r)
        std::memcpy(factors[r], g.a + r * g.a_row + term / 4, static_cast<size_t>(count));
      const auto multiply_columns = [&](int64_t j, auto load) __attribute__((always_inline)) {
        Words words[quads][line_words];
        for (int q = 0; q < quads; ++q) {
          const Line four[4] = {load(lines[4 * q] + j), load(lines[4 * q + 1] + j), load(lines[4 * q + 2] + j),
                                load(lines[4 * q + 3] + j)};
          make_quads(four, words[q]);
        }
        int32_t* of_row = sums + j;
        for (int64_t r = 0; r < g.rows; ++r, of_row += width) {
          // The compiler keeps the sums in registers only if it unrolls every loop over the sums.
          WordSums sum[line_words];
#pragma GCC unroll 4
          for (int v = 0; v < line_words; ++v) sum[v] = WordSums::load(of_row + v * word_lanes);
#pragma GCC unroll 4
          for (int q = 0; q < quads; ++q)
#pragma GCC unroll 4
            for (int v = 0; v < line_words; ++v) sum[v] = add_quad_products(sum[v], Words(factors[r][q]), words[q][v]);
#pragma GCC unroll 4
          for (int v = 0; v < line_words; ++v) sum[v].store(of_row + v * word_lanes);
        }
      };
      int64_t j = 0;
      for (; j + quad_line <= columns; j += quad_line)
        multiply_columns(j, [](const T* at) __attribute__((always_inline)) { return Line::load(at); });
      if (j < columns) {
        const int left = static_cast<int>(columns - j);
        multiply_columns(
            j, [left](const T* at) __attribute__((always_inline)) { return Line::load_first(at, left, no_code<T>); });
      }
    }
    for (int64_t r = 0; r < g.rows; ++r)
      for (int64_t j = 0; j < columns; j += quad_line)
        add_in_order(g.sums + r * g.sums_row + column + j, sums + r * width + j,
                     static_cast<int>(std::min<int64_t>(quad_line, columns - j)));
  }
}

template <class T>
void multiply_quads_along(const FewByteBlock& g) {
  constexpr int rows = 4, columns = has_many_registers ? 6 : 2;  // the sizes of a tile, whose sums fit the registers
  using Line = Vec<T, quad_line>;
  const Words inverted(inverted_bits<T>);
  for_runs<columns, Rest::in_halves>(g.columns, [&]<int Columns>(int64_t column) {
    const auto* const b = reinterpret_cast<const T*>(g.b) + column * g.b_step;
    for_runs<rows, Rest::at_once>(g.rows, [&]<int Rows>(int64_t row) {
      const uint32_t* const a = g.a + row * g.a_row;
      WordSums sums[Rows][Columns];
      for (auto& of_row : sums)
        for (WordSums& sum : of_row) sum = WordSums(0);
      const auto multiply = [&](int64_t term, auto load) __attribute__((always_inline)) {
        Words words[Columns];
        for (int k = 0; k < Columns; ++k) words[k] = bit_cast<uint32_t>(load(b + k * g.b_step + term)) ^ inverted;
        for (int r = 0; r < Rows; ++r) {
          const Words factors = Words::load(a + r * g.a_row + term / 4);
          for (int k = 0; k < Columns; ++k) sums[r][k] = add_quad_products(sums[r][k], factors, words[k]);
        }
      };
      int64_t term = 0;
      for (; term + quad_line <= g.terms; term += quad_line)
        multiply(term, [](const T* at) __attribute__((always_inline)) { return Line::load(at); });
      if (term < g.terms) {
        const int left = static_cast<int>(g.terms - term);
        multiply(term,
                 [left](const T* at) __attribute__((always_inline)) { return Line::load_first(at, left, no_code<T>); });
      }
      for (int r = 0; r < Rows; ++r)
        for (int k = 0; k < Columns; ++k)
          g.sums[(row + r) * g.sums_row + column + k] += fold_all_lanes<Numbers<int32_t>::Plus>(sums[r][k]);
    });
  });
}

struct FewQuads {
  using part = int8_t;
  static constexpr int rows = most_quad_rows;
  static int offset_of_a(ByteCodes a) { return QuadWords::offset_of_a(a); }
  static int offset_of_b(ByteCodes b) { return QuadWords::offset_of_b(b); }
  static void multiply_across(const FewByteBlock& g) {
    g.b_signed ? multiply_quads_across<int8_t>(g) : multiply_quads_across<uint8_t>(g);
  }
  static void multiply_along(const FewByteBlock& g) {
    g.b_signed ? multiply_quads_along<int8_t>(g) : multiply_quads_along<uint8_t>(g);
  }
};

using FewWords = std::conditional_t<Arch::multiplies_quads, FewQuads, FewPairs>;
inline constexpr FewByteKernels few_byte_kernels{
    FewWords::rows,        sizeof(FewWords::part),    FewWords::offset_of_a,
    FewWords::offset_of_b, FewWords::multiply_across, FewWords::multiply_along};

}  // namespace suanzi::SUANZI_LEVEL
