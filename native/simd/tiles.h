// Tiles: registers of up to 16 rows of up to 64 bytes, and products of such matrices. All eight exist once for each
// thread, and not beyond a call: a kernel shapes them, computes, and releases them.
//
// A row of the left factor has words of 32 bits, neighbours along the summed axis: pairs of bfloat16 numbers, or quads
// of bytes. A row of the right factor has such a word for each column. A row of the sums has one 32-bit number for
// each.
#pragma once

#include "simd/arch/generic_tiles.h"
#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

using arch::TileShapes;
inline constexpr int tile_rows = 16, tile_bytes = 64, tile_words = tile_bytes / 4;

// All tiles are 0 and have these shapes until they are released.
SUANZI_INLINE void shape_tiles(const TileShapes& shapes) { arch::shape_tiles(Arch{}, shapes); }
SUANZI_INLINE void release_tiles() { arch::release_tiles(Arch{}); }

template <int Tile>
SUANZI_INLINE void clear_tile() {
  arch::clear_tile<Tile>(Arch{});
}
// `step`: bytes from one row to the next.
template <int Tile>
SUANZI_INLINE void load_tile(const void* rows, int64_t step) {
  arch::load_tile<Tile>(Arch{}, rows, step);
}
template <int Tile>
SUANZI_INLINE void store_tile(void* rows, int64_t step) {
  arch::store_tile<Tile>(Arch{}, rows, step);
}

// Sums += A B of bytes, of which each factor's are signed or not; sums wrap.
template <int Sums, int A, int B, bool a_signed, bool b_signed>
SUANZI_INLINE void add_byte_products() {
  arch::add_byte_products<Sums, A, B, a_signed, b_signed>(Arch{});
}
// Sums += A B of bfloat16 numbers. The products of the even terms and of the odd ones are summed from 0 on, term by
// term with one rounding to float32, then both sums are added, and the result to Sums. Subnormal numbers are 0, in the
// factors and in all results.
template <int Sums, int A, int B>
SUANZI_INLINE void add_bfloat16_products() {
  arch::add_bfloat16_products<Sums, A, B>(Arch{});
}

}  // namespace suanzi::SUANZI_LEVEL
