// The kernels of ops/product/bfloat16.kernels.h with tile instructions.
#include <cstring>

#include "ops/product/bfloat16.pack.h"
#include "ops/product/tile_block.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

static_assert(lanes == tile_words);
constexpr int64_t pair_bytes = sizeof(uint32_t);

// The part of a panel of B that is multiplied at a time. It takes 16 KiB, as do the rows of A, so it stays in the L1
// cache while all rows pass.
constexpr int64_t part_pairs = 128;

// Packs contiguous rows one after the other; each row is filled up with zeros.
bool pack_rows_along(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t step) {
  Subnormals<2 * lanes> subnormals;
  for (int64_t r = 0; r < count; ++r, source += step) {
    for (int64_t first = 0; first < k; first += 2 * lanes, words += lanes) {
      const auto elements = static_cast<int>(std::min<int64_t>(k - first, 2 * lanes));
      const Halves halves = Halves::load_first(source + first, elements, uint16_t{0});
      subnormals.note(halves);
      bit_cast<uint32_t>(halves).store(words);
    }
  }
  return !subnormals.found();
}

// Packs rows whose elements with the same index are neighbours in memory. Pairs of two lines are transposed, as many as
// a tile row holds.
bool pack_rows_across(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t k_step) {
  const int64_t row = (k + 2 * lanes - 1) / (2 * lanes) * lanes;
  const auto columns = static_cast<int>(count);
  Subnormals<2 * lanes> subnormals;
  for (int64_t first = 0; first < k; first += 2 * lanes, words += lanes) {
    Pairs upper[lanes], lower[lanes];
    const auto line = [&](int64_t term) {
      const Halves halves = term < k ? Halves::load_first(source + term * k_step, columns, uint16_t{0}) : Halves(0);
      subnormals.note(halves);
      return halves;
    };
    for (int p = 0; p < lanes; ++p) {
      const Halves even = line(first + 2 * p), odd = line(first + 2 * p + 1);
      upper[p] = bit_cast<uint32_t>(interleave<0>(even, odd));
      lower[p] = bit_cast<uint32_t>(interleave<1>(even, odd));
    }
    interleave_all(upper);
    interleave_all(lower);
    for (int r = 0; r < tile_rows; ++r) upper[r].store(words + r * row);
    for (int r = 0; r < tile_rows; ++r) lower[r].store(words + (tile_rows + r) * row);
  }
  return !subnormals.found();
}

bool pack_rows(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step) {
  return k_step == 1 ? pack_rows_along(words, source, count, k, step)
                     : pack_rows_across(words, source, count, k, k_step);
}

bool pack_columns(uint32_t* words, const uint16_t* source, int64_t count, int64_t k, int64_t step, int64_t k_step) {
  const int64_t pairs = (k + 1) / 2, filled = (pairs + lanes - 1) / lanes * lanes;
  std::memset(words + pairs * block_columns, 0, static_cast<size_t>((filled - pairs) * block_row_bytes));
  return pack<block_columns>(words, source, count, k, step, k_step);
}

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
