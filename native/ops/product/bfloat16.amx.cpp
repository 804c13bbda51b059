// The kernels of ops/product/bfloat16.kernels.h with tile instructions.
#include "ops/product/bfloat16.pack.h"
#include "ops/product/tile_block.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

static_assert(lanes == tile_words && panel_entries == block_rows && panel_entries == block_columns);
constexpr int64_t pair_bytes = sizeof(uint32_t);

// The number of pairs in the part of a panel of B that the code multiplies at a time. The part takes 16 KiB, and the
// same part of a panel of A takes another 16 KiB. The part of B therefore stays in the L1 cache during the products
// with all rows.
constexpr int64_t part_pairs = 128;

struct PairTiles {
  template <int Sums, int A, int B>
  static SUANZI_INLINE void add() {
    add_bfloat16_products<Sums, A, B>();
  }
};

void multiply(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs) {
  const int64_t c_step = b_panels * block_row_bytes, a_step = a.packed ? pairs * pair_bytes : a.step;
  int64_t shaped = 0;
  for (int64_t p = 0; p < pairs; p += part_pairs) {
    for (int64_t j = 0; j < b_panels; ++j) {
      for (int64_t i = 0; i < rows; i += block_rows) {
        const int64_t count = std::min<int64_t>(rows - i, block_rows);
        if (count != shaped) shape_block(shaped = count);
        multiply_block<PairTiles>(count, {reinterpret_cast<std::byte*>(c) + i * c_step + j * block_row_bytes, c_step},
                                  {a.first + i * a_step + p * pair_bytes, a_step}, b + (j * pairs + p) * block_columns,
                                  std::min(pairs - p, part_pairs), p > 0);
      }
    }
  }
  release_tiles();
}

}  // namespace

extern const Bfloat16Gemm gemm;
const Bfloat16Gemm gemm{block_rows, block_columns, 1, tile_words, pack_rows, pack_columns, are_normal, multiply};

}  // namespace suanzi::SUANZI_LEVEL
