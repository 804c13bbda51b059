// The shapes of the eight tiles, in the format of the instruction that sets the shapes.
#pragma once

#include <cstdint>

#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct TileShapes {
  static constexpr int tiles = 8;

  uint8_t palette = 1, first_row = 0;
  uint8_t reserved[14] = {};
  // The upper half of each array is reserved.
  uint16_t row_bytes[2 * tiles] = {};
  uint8_t rows[2 * tiles] = {};

  void set(int tile, int64_t rows_of_tile, int64_t bytes) {
    rows[tile] = static_cast<uint8_t>(rows_of_tile);
    row_bytes[tile] = static_cast<uint16_t>(bytes);
  }
};
static_assert(sizeof(TileShapes) == 64);

}  // namespace suanzi::SUANZI_LEVEL::arch
