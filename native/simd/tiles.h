// Tiles are registers of up to 16 rows of up to 64 bytes. This file declares tiles and products of tiles. Each thread
// has eight tiles, which exist only during a call of a kernel. A kernel shapes the tiles, computes, and releases the
// tiles.
//
// A row of the left factor consists of words of 32 bits. Each word holds neighbours along the summed axis, which are a
// pair of bfloat16 numbers or a quad of bytes. A row of the right factor has one word for each column. A row of the
// sums has one 32-bit number for each column.
#pragma once

#include "simd/arch/generic_tiles.h"
#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

using arch::TileShapes;
inline constexpr int tile_rows = 16, tile_bytes = 64, tile_words = tile_bytes / 4;

// Clears all tiles, and sets their shapes. The shapes are valid until the tiles are released.
SUANZI_INLINE void shape_tiles(const TileShapes& shapes) { arch::shape_tiles(Arch{}, shapes); }
SUANZI_INLINE void release_tiles() { arch::release_tiles(Arch{}); }

template <int Tile>
SUANZI_INLINE void clear_tile() {
  arch::clear_tile<Tile>(Arch{});
}
// Loads a tile from rows. `step` is the number of bytes from one row to the next.
template <int Tile>
SUANZI_INLINE void load_tile(const void* rows, int64_t step) {
  arch::load_tile<Tile>(Arch{}, rows, step);
}
template <int Tile>
SUANZI_INLINE void store_tile(void* rows, int64_t step) {
  arch::store_tile<Tile>(Arch{}, rows, step);
}

// Adds the product A B of bytes to Sums. Each factor is signed or unsigned, and sums wrap.
template <int Sums, int A, int B, bool a_signed, bool b_signed>
SUANZI_INLINE void add_byte_products() {
  arch::add_byte_products<Sums, A, B, a_signed, b_signed>(Arch{});
}
// Adds the product A B of bfloat16 numbers to Sums. The products of even terms and of odd terms are added to separate
// sums, term by term with one rounding to float32. The two sums start at 0. Then the two sums are added to each other,
// and the result is added to Sums. Subnormal numbers count as 0, in the factors and in all results.
template <int Sums, int A, int B>
SUANZI_INLINE void add_bfloat16_products() {
  arch::add_bfloat16_products<Sums, A, B>(Arch{});
}

}  // namespace suanzi::SUANZI_LEVEL
