// The kernels of ops/product/bytes.kernels.h for words of two 16-bit integers (pairs) or of four bytes (quads).
#pragma once

#include "ops/product/few_bytes.tile.h"

namespace suanzi::SUANZI_LEVEL {

template <class Word>
struct ByteProducts {
  static constexpr int N = word_lanes, tile_vectors = 2, panel = tile_vectors * N;
  // The registers hold the sums of a tile, two vectors of B, a word of A and a product.
  static constexpr int tile_rows = Arch::vector_registers >= 32 ? 12 : 6;

  // Packs a row of A. The stored values are a' and b'. p and q are the rests of A and B (byte_words.tile.h), and the
  // product needs the sum of (a' - p) (b' - q). This sum equals the sum of a' b', less q times the sum of a', less p
  // times the sum of b' - q. The word after a row holds the first correction. The line after a panel holds the sums of
  // b' - q, which do not depend on A.
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

  // Packs lines of B as words of two neighbouring elements of a column. Sums of products of these words need no
  // correction.
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

  // Packs lines of B as words of four neighbouring elements of a column. The last line of words holds the sums of the
  // columns of B - zero_b.
  template <class T>
  static SUANZI_INLINE void pack_quads(uint32_t* words, const T* source, int64_t n, int64_t step, int offset,
                                       int rest) {
    static_assert(panel == line_lanes);
    using Line = Vec<T, line_lanes>;
    const Words inverted(offset == 128 ? 0x80808080u : 0u), ones(0x01010101u);
    const bool are_signed = std::is_signed_v<T> || offset != 0;
    WordSums sums[tile_vectors];
    for (WordSums& sum : sums) sum = WordSums(static_cast<int32_t>(-n) * rest);
    for (int64_t i = 0; i < n; i += 4, words += panel) {
      Line lines[4];
      for (int k = 0; k < 4; ++k)
        lines[k] = i + k < n ? Line::load(source + (i + k) * step) : Line(static_cast<T>(offset));
      const auto pack_half = [&]<int Half>() __attribute__((always_inline)) {
        const auto even = bit_cast<uint16_t>(interleave<Half>(lines[0], lines[1])),
                   odd = bit_cast<uint16_t>(interleave<Half>(lines[2], lines[3]));
        const Words word = inverted ^ bit_cast<uint32_t>(join(interleave<0>(even, odd), interleave<1>(even, odd),
                                                              std::make_index_sequence<2 * word_lanes>{}));
        word.store(words + Half * N);
        sums[Half] = are_signed ? add_quad_products(sums[Half], ones, word) : add_quad_products(sums[Half], word, ones);
      };
      pack_half.template operator()<0>();
      pack_half.template operator()<1>();
    }
    // Lines of zeros fill up the last group.
    for (int64_t used = (n + Word::terms - 1) / Word::terms; used % Word::group != 0; ++used, words += panel)
      for (int v = 0; v < tile_vectors; ++v) Words(0u).store(words + v * N);
    for (int v = 0; v < tile_vectors; ++v) bit_cast<uint32_t>(sums[v]).store(words + v * N);
  }

  static void pack_panel(uint32_t* words, const std::byte* source, int64_t n, int64_t step, ByteCodes codes) {
    const int offset = Word::offset_of_b(codes), rest = Word::rest_of_b(codes);
    const auto pack = [&](const auto* lines) {
      if constexpr (Word::terms == 2) {
        pack_pairs(words, lines, n, step, offset);
      } else {
        pack_quads(words, lines, n, step, offset, rest);
      }
    };
    codes.is_signed ? pack(reinterpret_cast<const int8_t*>(source)) : pack(reinterpret_cast<const uint8_t*>(source));
  }

  // Writes the corrected sums of the products of a row of A and a panel of B to C.
  template <class C>
  static SUANZI_INLINE void write_row(const ByteBlock& g, int64_t row, const WordSums (&sums)[tile_vectors]) {
    // The empty statement keeps Clang from computing the factor before the loop over the words. The factor would then
    // occupy a register, one of the sums would be in memory, and products with AVX-VNNI would take twice as long.
    int32_t rest = -Word::rest_of_a(g.of_a);
    asm volatile("" : "+r"(rest));
    const WordSums of_row(static_cast<int32_t>(g.a[row * g.a_row + g.words])), factor(rest);
    int32_t numbers[panel];
    for (int v = 0; v < tile_vectors; ++v) {
      WordSums sum = sums[v];
      if constexpr (Word::terms == 4)
        sum = sum + of_row + factor * bit_cast<int32_t>(Words::load(g.b + g.words * panel + v * N));
      sum.store(numbers + v * N);
    }
    C* const out = static_cast<C*>(g.c) + row * g.c_row;
    for (int64_t j = 0; j < g.columns; ++j) {
      if constexpr (sizeof(C) == 4) {
        out[j] = static_cast<C>((g.add ? static_cast<uint32_t>(out[j]) : 0u) + static_cast<uint32_t>(numbers[j]));
      } else {
        out[j] = (g.add ? out[j] : C{0}) + numbers[j];
      }
    }
  }

  template <class C, int Rows>
  static SUANZI_INLINE void multiply_tile(const ByteBlock& g, int64_t row) {
    // The processor fetches C while it multiplies. On Zen 5, a product of 4096 x 4096 x 4096 takes 0.9 times as long
    // with the prefetches as without.
    for (int r = 0; g.add && r < Rows; ++r) {
      const C* const c = static_cast<const C*>(g.c) + (row + r) * g.c_row;
      for (int j = 0; j < panel; j += 64 / static_cast<int>(sizeof(C))) __builtin_prefetch(c + j, 1);
    }
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
    strips.template operator()<tile_rows / 3>();
    strips.template operator()<tile_rows / 6>();
    strips.template operator()<1>();
  }

  static constexpr ByteKernels kernels() {
    return {tile_rows,         panel,           Word::terms, Word::group, pack_row, pack_panel, multiply<int32_t>,
            multiply<int64_t>, few_byte_kernels};
  }
};

}  // namespace suanzi::SUANZI_LEVEL
