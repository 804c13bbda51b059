// The product of 32 or fewer rows of A and a panel of 32 columns of B, computed with tile instructions. The four tiles
// of the sums stay in registers while the code loads the tiles of A and B one after the other. Each tile of A and each
// tile of B is a factor of two products. Four products take 64 cycles and read 4 KiB. The L1 cache delivers at least 64
// bytes in each cycle.
//
// A's words are contiguous along a row, and the lines of B's panel follow one another. `words` is a multiple of
// tile_words.
#pragma once

#include <algorithm>
#include <cstddef>

#include "simd/tiles.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int block_rows = 2 * tile_rows, block_columns = 2 * tile_words;
inline constexpr int64_t block_row_bytes = block_columns * int64_t{sizeof(uint32_t)};

// Configures the tiles. Tiles 0 to 3 hold the sums, and the upper rows come first. Tiles 4 and 5 hold rows of A, and
// tiles 6 and 7 hold columns of B. The lower half may have no rows.
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

// Rows of elements, `step` bytes apart. This struct does not depend on the element type.
template <class Byte>
struct TileMatrix {
  Byte* first;
  int64_t step;
};

// Calls body.operator()<tile>(address) for each tile of the sums. The address is the tile's place in C.
template <bool both, class Body>
SUANZI_INLINE void for_sums(TileMatrix<std::byte> c, Body body) {
  body.template operator()<0>(c.first);
  body.template operator()<1>(c.first + tile_bytes);
  if constexpr (both) {
    body.template operator()<2>(c.first + tile_rows * c.step);
    body.template operator()<3>(c.first + tile_rows * c.step + tile_bytes);
  }
}

// The memory that a kernel prefetches into the L2 cache. For each tile of B, the kernel prefetches the next `step`
// bytes. A step of 0 prefetches nothing.
struct Prefetch {
  const std::byte* first;
  int64_t step;
};

// Computes C = A B, or C += A B, with Product::add<sums, a, b>(). If `both` is true, the function computes the two rows
// of tiles. Otherwise, the function computes only the upper row.
template <class Product, bool both>
void multiply_block(TileMatrix<std::byte> c, TileMatrix<const std::byte> a, const uint32_t* b, int64_t words, bool add,
                    Prefetch later) {
  for_sums<both>(c, [&]<int Tile>(std::byte* at)
                        __attribute__((always_inline)) { add ? load_tile<Tile>(at, c.step) : clear_tile<Tile>(); });
  for (int64_t w = 0; w < words; w += tile_words, a.first += tile_bytes, b += tile_rows * block_columns) {
    for (int64_t line = 0; line < later.step; line += 64) __builtin_prefetch(later.first + line, 0, 2);
    later.first += later.step;
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
                                  const uint32_t* b, int64_t words, bool add, Prefetch later) {
  (rows > tile_rows ? multiply_block<Product, true> : multiply_block<Product, false>)(c, a, b, words, add, later);
}

}  // namespace suanzi::SUANZI_LEVEL
