// The kernels of ops/product/bytes.kernels.h with tile instructions.
#include "ops/product/bytes.tile.h"
#include "ops/product/tile_block.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// A word of four bytes, stored without an offset.
struct TileWords {
  using part = int8_t;
  static constexpr int terms = 4, group = tile_words;
  static constexpr int offset_of_a(ByteCodes) { return 0; }
  static constexpr int offset_of_b(ByteCodes) { return 0; }
  static constexpr int rest_of_a(ByteCodes a) { return a.zero; }
  static constexpr int rest_of_b(ByteCodes b) { return b.zero; }
};
using Packing = ByteProducts<TileWords>;
static_assert(Packing::panel == block_columns);

template <bool a_signed, bool b_signed>
struct QuadTiles {
  template <int Sums, int A, int B>
  static SUANZI_INLINE void add() {
    add_byte_products<Sums, A, B, a_signed, b_signed>();
  }
};

// Computes the rows [row, row + rows) of C. If C holds int32, the block has all columns and the sums need no
// correction, the function computes the sums in C. Otherwise, the function computes the sums in a buffer, and then
// writes the corrected sums to C.
template <class C, class Product>
SUANZI_INLINE void multiply_rows(const ByteBlock& g, int64_t row, int64_t rows) {
  constexpr int64_t word_bytes = sizeof(uint32_t);
  const TileMatrix<const std::byte> a{reinterpret_cast<const std::byte*>(g.a + row * g.a_row), g.a_row * word_bytes};
  if constexpr (sizeof(C) == word_bytes) {
    auto* const c = static_cast<std::byte*>(g.c) + row * g.c_row * word_bytes;
    if (g.of_a.zero == 0 && g.of_b.zero == 0 && g.columns == block_columns)
      return multiply_block<Product>(rows, {c, g.c_row * word_bytes}, a, g.b, g.words, g.add, {});
  }
  alignas(64) int32_t sums[block_rows * block_columns];
  multiply_block<Product>(rows, {reinterpret_cast<std::byte*>(sums), block_row_bytes}, a, g.b, g.words, false, {});
  for (int64_t r = 0; r < rows; ++r) {
    const int32_t* const from = sums + r * block_columns;
    Packing::write_row<C>(g, row + r, {WordSums::load(from), WordSums::load(from + word_lanes)});
  }
}

template <class C, bool a_signed, bool b_signed>
void multiply_signs(const ByteBlock& g) {
  for (int64_t row = 0, shaped = 0; row < g.rows; row += block_rows) {
    const int64_t rows = std::min<int64_t>(block_rows, g.rows - row);
    if (rows != shaped) shape_block(shaped = rows);
    multiply_rows<C, QuadTiles<a_signed, b_signed>>(g, row, rows);
  }
  release_tiles();
}

template <class C>
void multiply(const ByteBlock& g) {
  if (g.of_a.is_signed) return (g.of_b.is_signed ? multiply_signs<C, true, true> : multiply_signs<C, true, false>)(g);
  (g.of_b.is_signed ? multiply_signs<C, false, true> : multiply_signs<C, false, false>)(g);
}

}  // namespace

extern const ByteKernels byte_kernels;
const ByteKernels byte_kernels{block_rows,        block_columns,     TileWords::terms,
                               TileWords::group,  Packing::pack_row, Packing::pack_panel,
                               multiply<int32_t>, multiply<int64_t>, few_byte_kernels};

}  // namespace suanzi::SUANZI_LEVEL
