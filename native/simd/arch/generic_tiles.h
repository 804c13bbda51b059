// Tiles for any machine, computed element by element in accordance with Intel's manual. Only tests use these tiles, on
// machines without real tiles. simd/tiles.h describes each function.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "simd/arch/target.h"
#include "simd/arch/tile_shapes.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Tiles {
  TileShapes shapes;
  unsigned char bytes[TileShapes::tiles][16][64] = {};

  // Traps if an instruction does not accept its tiles. The real instruction also traps.
  static void require(bool holds) {
    if (!holds) __builtin_trap();
  }
  template <class T>
  T at(int tile, int row, int column) const {
    T element;
    std::memcpy(&element, bytes[tile][row] + static_cast<size_t>(column) * sizeof(T), sizeof(T));
    return element;
  }
  void require_product(int sums, int a, int b) const {
    require(sums != a && sums != b && a != b && shapes.rows[sums] == shapes.rows[a] &&
            shapes.row_bytes[sums] == shapes.row_bytes[b] && shapes.row_bytes[a] == 4 * shapes.rows[b]);
  }
  // Replaces each sum by value(sum, row, column).
  template <class T, class Value>
  void replace(int sums, Value value) {
    for (int m = 0; m < shapes.rows[sums]; ++m) {
      for (int n = 0; n < shapes.row_bytes[sums] / 4; ++n) {
        const T sum = value(at<T>(sums, m, n), m, n);
        std::memcpy(bytes[sums][m] + static_cast<size_t>(n) * sizeof sum, &sum, sizeof sum);
      }
    }
  }
};
// The tiles of this thread, which exist from the call of shape_tiles to the call of release_tiles.
inline thread_local std::unique_ptr<Tiles> shaped_tiles;
inline Tiles& tiles() {
  Tiles::require(shaped_tiles != nullptr);
  return *shaped_tiles;
}

inline void shape_tiles(Generic, const TileShapes& shapes) {
  for (int i = 0; i < TileShapes::tiles; ++i) {
    const int rows = shapes.rows[i], bytes = shapes.row_bytes[i];
    Tiles::require(rows <= 16 && bytes <= 64 && (rows == 0) == (bytes == 0));
  }
  shaped_tiles = std::make_unique<Tiles>(Tiles{.shapes = shapes});
}
inline void release_tiles(Generic) { shaped_tiles.reset(); }

template <int Tile>
void clear_tile(Generic) {
  std::memset(tiles().bytes[Tile], 0, sizeof tiles().bytes[Tile]);
}
template <int Tile>
void load_tile(Generic, const void* rows, int64_t step) {
  const TileShapes& shapes = tiles().shapes;
  clear_tile<Tile>(Generic{});
  Tiles::require(shapes.rows[Tile] > 0);
  for (int i = 0; i < shapes.rows[Tile]; ++i)
    std::memcpy(tiles().bytes[Tile][i], static_cast<const char*>(rows) + i * step, shapes.row_bytes[Tile]);
}
template <int Tile>
void store_tile(Generic, void* rows, int64_t step) {
  const TileShapes& shapes = tiles().shapes;
  Tiles::require(shapes.rows[Tile] > 0);
  for (int i = 0; i < shapes.rows[Tile]; ++i)
    std::memcpy(static_cast<char*>(rows) + i * step, tiles().bytes[Tile][i], shapes.row_bytes[Tile]);
}

template <int Sums, int A, int B, bool a_signed, bool b_signed>
void add_byte_products(Generic) {
  using Left = std::conditional_t<a_signed, int8_t, uint8_t>;
  using Right = std::conditional_t<b_signed, int8_t, uint8_t>;
  Tiles& t = tiles();
  t.require_product(Sums, A, B);
  t.replace<uint32_t>(Sums, [&](uint32_t sum, int m, int n) {
    for (int k = 0; k < t.shapes.row_bytes[A]; ++k)
      sum += static_cast<uint32_t>(t.at<Left>(A, m, k) * t.at<Right>(B, k / 4, 4 * n + k % 4));
    return sum;
  });
}

template <int Sums, int A, int B>
void add_bfloat16_products(Generic) {
  const auto flushed = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; };
  const auto widened = [&](uint16_t bits) { return flushed(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16)); };
  Tiles& t = tiles();
  t.require_product(Sums, A, B);
  t.replace<float>(Sums, [&](float sum, int m, int n) {
    float parts[2] = {};
    for (int k = 0; k < t.shapes.row_bytes[A] / 2; ++k) {
      float& part = parts[k % 2];
      part =
          flushed(std::fma(widened(t.at<uint16_t>(A, m, k)), widened(t.at<uint16_t>(B, k / 2, 2 * n + k % 2)), part));
    }
    return flushed(flushed(sum) + flushed(parts[0] + parts[1]));
  });
}

}  // namespace suanzi::SUANZI_LEVEL::arch
