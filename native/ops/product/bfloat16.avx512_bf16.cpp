// The kernels of ops/product/bfloat16.kernels.h, compiled only for the level that has the instruction for bfloat16.
#include "simd/bfloat16.h"
#include "ops/product/bfloat16.pack.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

using Sums = Vec<float, lanes>;

// All sums of a tile stay in registers, and fill 12 × 2 of the 32 registers. A tile reads 32 KiB of a panel of B. This
// part of the panel stays in the L1 cache, or arrives from the L2 cache as fast as the instructions read the part. The
// code multiplies the remaining rows in smaller tiles.
constexpr int tile_rows = 12;
constexpr int row_unit = 4;
constexpr int tile_vectors = 2;
constexpr int tile_columns = tile_vectors * lanes;
static_assert(tile_columns == 2 * lanes && tile_rows < lanes);
constexpr int64_t block_pairs = 256;

// Returns a vector whose lanes all hold the next pair of row `row` of A. Unless A is packed, `step` is the distance in
// bytes from row to row.
template <bool packed>
SUANZI_INLINE Pairs pair_of_row(const std::byte* a, int row, int64_t step) {
  uint32_t pair;
  __builtin_memcpy(&pair, a + row * (packed ? static_cast<int64_t>(sizeof(pair)) : step), sizeof(pair));
  return Pairs(pair);
}

template <int Rows, bool packed>
SUANZI_INLINE void multiply_tile(float* c, int64_t c_row, const std::byte* a, int64_t a_step, const uint32_t* b,
                                 int64_t pairs, bool accumulate) {
  constexpr int64_t next_pair = (packed ? tile_rows : 1) * static_cast<int64_t>(sizeof(uint32_t));
  Sums sums[Rows][tile_vectors];
  for (auto& row : sums)
    for (Sums& sum : row) sum = Sums(0.0f);
  for (int64_t p = 0; p < pairs; ++p, a += next_pair, b += tile_columns) {
    Pairs column[tile_vectors];
    for (int v = 0; v < tile_vectors; ++v) column[v] = Pairs::load(b + v * lanes);
    for (int r = 0; r < Rows; ++r) {
      const Pairs row = pair_of_row<packed>(a, r, a_step);
      for (int v = 0; v < tile_vectors; ++v) sums[r][v] = add_pair_products(sums[r][v], row, column[v]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < tile_vectors; ++v) {
      float* const out = c + r * c_row + v * lanes;
      (accumulate ? Sums::load(out) + sums[r][v] : sums[r][v]).store(out);
    }
  }
}

template <bool packed>
SUANZI_INLINE void multiply_as(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels,
                               int64_t pairs) {
  constexpr int64_t bytes = sizeof(uint32_t);
  const int64_t c_row = b_panels * tile_columns;
  for (int64_t p = 0; p < pairs; p += block_pairs) {
    const int64_t depth = pairs - p < block_pairs ? pairs - p : block_pairs;
    for (int64_t j = 0; j < b_panels; ++j) {
      for (int64_t i = 0; i < rows; i += tile_rows) {
        const std::byte* const from =
            packed ? a.first + (i * pairs + p * tile_rows) * bytes : a.first + i * a.step + p * bytes;
        const uint32_t* const panel = b + (j * pairs + p) * tile_columns;
        float* const to = c + i * c_row + j * tile_columns;
        if (rows - i > 2 * row_unit) {
          multiply_tile<tile_rows, packed>(to, c_row, from, a.step, panel, depth, p > 0);
        } else if (rows - i > row_unit) {
          multiply_tile<2 * row_unit, packed>(to, c_row, from, a.step, panel, depth, p > 0);
        } else {
          multiply_tile<row_unit, packed>(to, c_row, from, a.step, panel, depth, p > 0);
        }
      }
    }
  }
}

void multiply(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs) {
  if (a.packed) {
    multiply_as<true>(c, a, rows, b, b_panels, pairs);
  } else {
    multiply_as<false>(c, a, rows, b, b_panels, pairs);
  }
}

}  // namespace

extern const Bfloat16Gemm gemm;
const Bfloat16Gemm gemm{tile_rows,       tile_columns,       row_unit,   1,       false,
                        pack<tile_rows>, pack<tile_columns>, are_normal, multiply};

}  // namespace suanzi::SUANZI_LEVEL
