// The kernels of ops/product/bfloat16.kernels.h with an instruction that multiplies blocks of two rows and two columns.
#include "ops/product/bfloat16.pack.h"
#include "ops/product/row_pairs.tile.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

static_assert(lanes == block_lanes && panel_entries == line_columns);
using Sums = Vec<float, lanes>;

// The number of pairs in a part of a panel of B. The part takes 8 KiB, and stays in the L1 cache together with the same
// part of the rows of A.
constexpr int64_t part_pairs = 256;
static_assert(part_pairs % lanes == 0);

void multiply(float* c, const Bfloat16Rows& a, int64_t rows, const uint32_t* b, int64_t b_panels, int64_t pairs) {
  constexpr int64_t pair_bytes = sizeof(uint32_t);
  const int64_t c_row = b_panels * line_columns, a_step = a.packed ? pairs * pair_bytes : a.step;
  for (int64_t p = 0; p < pairs; p += part_pairs) {
    const int64_t depth = std::min(pairs - p, part_pairs);
    for (int64_t j = 0; j < b_panels; ++j) {
      float* const first = c + j * line_columns;
      const auto write = [&](int64_t row, const Sums(&sums)[2]) __attribute__((always_inline)) {
        for (int v = 0; v < 2; ++v) {
          float* const out = first + row * c_row + v * lanes;
          (p > 0 ? Sums::load(out) + sums[v] : sums[v]).store(out);
        }
      };
      const BlockRows part{a.first + p * pair_bytes, a_step, rows};
      multiply_row_pairs<float>(part, b + (j * pairs + p) * line_columns, depth, write);
    }
  }
}

}  // namespace

extern const Bfloat16Gemm gemm;
const Bfloat16Gemm gemm{panel_entries, line_columns, 1, lanes, false, pack_rows, pack_columns, are_normal, multiply};

}  // namespace suanzi::SUANZI_LEVEL
