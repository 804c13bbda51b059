// Up to 32 rows of A times a panel of B of 32 columns, in tiles: the four of the sums stay in registers while those of
// A and B pass. Each tile of A is multiplied twice, as is each of B: four products take 64 cycles, and the tiles for
// them are 4 KiB, of which the L1 cache delivers 64 bytes in a cycle and more.
//
// A's words are contiguous along a row; the lines of B's panel follow one another. `words` is a multiple of tile_words.
#pragma once

#include <algorithm>
#include <cstddef>

#include "simd/tiles.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int block_rows = 2 * tile_rows, block_columns = 2 * tile_words;
inline constexpr int64_t block_row_bytes = block_columns * int64_t{sizeof(uint32_t)};

// Tiles 0 to 3 have the sums, those of the upper rows first; 4 and 5 have rows of A, 6 and 7 columns of B. The lower
// half may have no rows.
inline void shape_block(int64_t rows) {
  TileShapes shapes;
  for (int half = 0; half < 2; ++half) {
    shapes.set(6 + half, tile_rows, tile_bytes);
    const int64_t count = std::clamp<int64_t>(rows - half * tile_rows, 0, tile_rows);
    if (count == 0) continue;
    for (const int tile : {2 * half, 2 * half + 1, 4 + half}) shapes.set(tile, count, tile_bytes);
  }
  shape_tiles(shapes);
}

// Rows of elements of a type that is of no interest here, `step` bytes apart.
template <class Byte>
struct TileMatrix {
  Byte* first;
  int64_t step;
};

// Calls f for the tiles of the sums, which lie at c.
template <bool both, class Body>
SUANZI_INLINE void for_sums(TileMatrix<std::byte> c, Body body) {
  body.template operator()<0>(c.first);
  body.template operator()<1>(c.first + tile_bytes);
  if constexpr (both) {
    body.template operator()<2>(c.first + tile_rows * c.step);
    body.template operator()<3>(c.first + tile_rows * c.step + tile_bytes);
  }
}

// C = A B, or C += A B, by Product::add<sums, a, b>(), in one tile of rows or in both.
template <class Product, bool both>
void multiply_block(TileMatrix<std::byte> c, TileMatrix<const std::byte> a, const uint32_t* b, int64_t words,
                    bool add) {
  for_sums<both>(c, [&]<int Tile>(std::byte* at)
                        __attribute__((always_inline)) { add ? load_tile<Tile>(at, c.step) : clear_tile<Tile>(); });
  for (int64_t w = 0; w < words; w += tile_words, a.first += tile_bytes, b += tile_rows * block_columns) {
    load_tile<6>(b, block_row_bytes);
    load_tile<4>(a.first, a.step);
    Product::template add<0, 4, 6>();
    load_tile<7>(b + tile_words, block_row_bytes);
    Product::template add<1, 4, 7>();
    if constexpr (both) {
      load_tile<5>(a.first + tile_rows * a.step, a.step);
      Product::template add<2, 5, 6>();
      Product::template add<3, 5, 7>();
    }
  }
  for_sums<both>(c, [&]<int Tile>(std::byte* at) __attribute__((always_inline)) { store_tile<Tile>(at, c.step); });
}
template <class Product>
SUANZI_INLINE void multiply_block(int64_t rows, TileMatrix<std::byte> c, TileMatrix<const std::byte> a,
                                  const uint32_t* b, int64_t words, bool add) {
  (rows > tile_rows ? multiply_block<Product, true> : multiply_block<Product, false>)(c, a, b, words, add);
}

}  // namespace suanzi::SUANZI_LEVEL
