// The kernels of ops/product/bfloat16.kernels.h with tile instructions.
#include "ops/product/bfloat16.pack.h"
#include "ops/product/tile_block.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

static_assert(lanes == tile_words && panel_entries == block_rows && panel_entries == block_columns);
constexpr int64_t pair_bytes = sizeof(uint32_t);
constexpr int64_t cache_line = 64;

// The number of pairs in the part of a panel of B that the code multiplies at a time. The part takes 64 KiB, so the
// part and the same parts of all rows of A stay in the L2 cache. Shorter parts load and store the sums more often. With
// parts of 128 pairs, a product of 1024 x 1024 x 1024 takes 1.1 times as long (Sapphire Rapids).
constexpr int64_t part_pairs = 512;

struct PairTiles {
  template <int Sums, int A, int B>
  static SUANZI_INLINE void add() {
    add_bfloat16_products<Sums, A, B>();
  }
};

void multiply(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs) {
  const int64_t c_step = b_panels * block_row_bytes, a_step = a.packed ? pairs * pair_bytes : a.step;
  const int64_t strips = (rows + block_rows - 1) / block_rows;
  // During the products with a panel of B, all strips of rows of A together prefetch the next panel.
  const int64_t lines = b_panels > 1 ? (tile_words * block_row_bytes / cache_line + strips - 1) / strips : 0;
  int64_t shaped = 0;
  for (int64_t p = 0; p < pairs; p += part_pairs) {
    const int64_t words = std::min(pairs - p, part_pairs);
    for (int64_t j = 0; j < b_panels; ++j) {
      const uint32_t* const panel = b + (j * pairs + p) * block_columns;
      Prefetch next{reinterpret_cast<const std::byte*>(panel + pairs * block_columns), lines * cache_line};
      for (int64_t i = 0; i < rows; i += block_rows, next.first += words / tile_words * next.step) {
        const int64_t count = std::min<int64_t>(rows - i, block_rows);
        if (count != shaped) shape_block(shaped = count);
        multiply_block<PairTiles>(count, {reinterpret_cast<std::byte*>(c) + i * c_step + j * block_row_bytes, c_step},
                                  {a.first + i * a_step + p * pair_bytes, a_step}, panel, words, p > 0, next);
      }
    }
  }
  release_tiles();
}

}  // namespace

extern const Bfloat16Gemm gemm;
const Bfloat16Gemm gemm{block_rows, block_columns, 1, tile_words, true, pack_rows, pack_columns, are_normal, multiply};

}  // namespace suanzi::SUANZI_LEVEL
