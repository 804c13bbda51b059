#include "ops/product/bfloat16.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/product/bfloat16.kernels.h"
#include "ops/product/gemm.h"
#include "ops/product/stack.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

// The size of a tile of C. The sums of a tile, and the parts of A and B that the tile needs, stay in the L2 cache. A
// tile with more rows reads less of B from outside the L2 cache. A tile has more than tile_rows rows only if these rows
// of A take at most left_bytes. If a product has more tiles, threads wait less for the last tile.
constexpr int64_t tile_rows = 192, most_tile_rows = 384, tile_column_panels = 4, tiles_a_thread = 4;
constexpr int64_t left_bytes = 768 * costs::KiB;
// The number of lines of B that are packed together. The number is a multiple of 2 * pair_unit of each kernel.
constexpr int64_t lines_together = 32;

// The rows of a matrix in panels of `width` rows. The matrix is A or the transpose of B.
struct Panels {
  int64_t pairs, width, count;
  ScratchArray<uint32_t> data;

  // Allocates memory for the panels if `packed` is true.
  Panels(int64_t entries, int64_t k, int entries_each, int pair_unit, bool packed)
      : pairs(ceiling(k, 2 * pair_unit) * pair_unit),
        width(entries_each),
        count(ceiling(entries, entries_each)),
        data(packed ? product({count, width, pairs}) : 0) {}
  uint32_t* at(int64_t panel) const { return data.data() + panel * width * pairs; }

  template <class Pack>
  bool fill(Pack pack, const Matrix& x, int64_t panel) const {
    return fill(pack, x, panel, at(panel));
  }
  // Fills the panel at the address `to`.
  template <class Pack>
  bool fill(Pack pack, const Matrix& x, int64_t panel, uint32_t* to) const {
    const auto* const source = reinterpret_cast<const uint16_t*>(x.data) + panel * width * x.row_step;
    // If x has a single column, `column_step` has no meaning.
    const int64_t k_step = x.columns == 1 ? 1 : x.column_step;
    return pack(to, source, std::min(width, x.rows - panel * width), x.columns, x.row_step, k_step);
  }
  // Fills `together` neighbouring panels at the address `to`. If lines of B are contiguous, the function packs a few
  // lines for all of the panels before the next lines, because the processor reads long pieces of lines faster.
  template <class Pack>
  bool fill(Pack pack, const Matrix& x, int64_t panel, int64_t together, uint32_t* to) const {
    const int64_t lines = x.column_step == 1 ? x.columns : lines_together;
    bool normal = true;
    for (int64_t first = 0; first < x.columns; first += lines) {
      const Matrix part = x.block(0, first, x.rows, std::min(lines, x.columns - first), 2);
      for (int64_t p = 0; p < together; ++p)
        normal &= fill(pack, part, panel + p, to + (p * pairs + first / 2) * width);
    }
    return normal;
  }
};

// Returns the number of panels of A in a tile. `across` is the number of tiles side by side.
int64_t tile_height(const Bfloat16Gemm& gemm, int64_t row_panels, int64_t across, int64_t terms) {
  const int64_t most =
      std::clamp<int64_t>(left_bytes / (terms * int64_t{sizeof(uint16_t)}), tile_rows, most_tile_rows) / gemm.rows;
  return std::clamp<int64_t>(row_panels * across / (tiles_a_thread * num_threads()), 1, most);
}

// Writes sums to C, whose elements have the type `type`. `narrow` converts float32 to this type, or is null if the type
// is float32. A row of the sums has `width` elements, and a row of C has `used` elements.
void write_sums(const float* sums, int64_t width, int64_t rows, int64_t used, const Matrix& c, DType type,
                Kernel narrow) {
  for (int64_t r = 0; r < rows; ++r) {
    const void* const in = sums + r * width;
    std::byte* const to = c.data + r * c.row_step * size_of(type);
    if (narrow) {
      narrow(to, &in, used, {});
    } else {
      std::memcpy(to, in, static_cast<size_t>(used) * sizeof(float));
    }
  }
}

// Computes C = A B for a single matrix A and a single matrix B. The rows of C must be contiguous. Returns false if an
// operand has a subnormal number.
bool multiply_one(const Bfloat16Gemm& gemm, const Matrix& a, const Matrix& b, const Matrix& c, DType type) {
  const int threads = work_of(c.rows, c.columns, a.columns) < costs::shared_bfloat16 ? 1 : max_threads;
  const int64_t row_bytes = a.row_step * static_cast<int64_t>(sizeof(uint16_t));
  const bool in_place = a.column_step == 1 && a.columns % (2 * gemm.pair_unit) == 0 && a.rows % gemm.row_unit == 0 &&
                        row_bytes % costs::same_cache_set != 0;
  const int64_t row_panels = ceiling(c.rows, gemm.rows);
  const int64_t across = ceiling(c.columns, gemm.columns * tile_column_panels);
  const int64_t height = tile_height(gemm, row_panels, across, a.columns);
  // If tiles have all rows, each panel of B belongs to a single tile. The thread that computes the tile packs the panel
  // just before the product, so the panel stays in the L2 cache.
  const bool all_rows = row_panels <= height;
  const Panels left(c.rows, a.columns, gemm.rows, gemm.pair_unit, !in_place),
      right(c.columns, a.columns, gemm.columns, gemm.pair_unit, !all_rows);
  const Matrix columns = b.transposed();
  const auto prepare_left = [&](int64_t panel) {
    const int64_t first = panel * left.width;
    if (!in_place) return left.fill(gemm.pack_rows, a, panel);
    return gemm.are_normal(reinterpret_cast<const uint16_t*>(a.data + first * row_bytes),
                           std::min(left.width, a.rows - first), a.columns, a.row_step);
  };
  std::atomic<bool> normal{true};
  const auto note = [&](bool is_normal) {
    if (!is_normal) normal.store(false, std::memory_order_relaxed);
  };
  const int64_t packed_first = all_rows ? 0 : right.count;
  parallel_for(packed_first + left.count, threads, [&](int64_t i) {
    note(i < packed_first ? right.fill(gemm.pack_columns, columns, i) : prepare_left(i - packed_first));
  });
  if (!normal.load()) return false;

  const Kernel narrow = converter(DType::float32, type);
  parallel_for(ceiling(left.count, height) * across, threads, [&](int64_t task) {
    const int64_t i = task / across * height, j = task % across * tile_column_panels;
    const int64_t rows = std::min(height * gemm.rows, c.rows - i * gemm.rows);
    const Bfloat16Rows from = in_place ? Bfloat16Rows{a.data + i * gemm.rows * row_bytes, false, row_bytes}
                                       : Bfloat16Rows{reinterpret_cast<const std::byte*>(left.at(i)), true, 0};
    const auto multiply = [&](const uint32_t* panels, int64_t first, int64_t count) {
      const int64_t width = count * gemm.columns, used = std::min(width, c.columns - first * gemm.columns);
      const ScratchArray<float> sums(ceiling(rows, gemm.rows) * gemm.rows * width);
      gemm.multiply(sums.data(), from, rows, panels, count, left.pairs);
      write_sums(sums.data(), width, rows, used, c.block(i * gemm.rows, first * gemm.columns, 0, 0, size_of(type)),
                 type, narrow);
    };
    const int64_t count = std::min(tile_column_panels, right.count - j);
    if (!all_rows) return multiply(right.at(j), j, count);
    const int64_t most = columns.column_step == 1 ? 1 : count;
    const ScratchArray<uint32_t> panels(most * right.width * right.pairs);
    for (int64_t first = j; first < j + count; first += most) {
      note(right.fill(gemm.pack_columns, columns, first, most, panels.data()));
      multiply(panels.data(), first, most);
    }
  });
  return normal.load();
}

}  // namespace

bool multiply_bfloat16(const char* op, const Tensor& x, const Tensor& y, const Tensor& c, const Dims& batch) {
  const int64_t m = c.shape[c.rank() - 2], n = c.shape[c.rank() - 1], k = x.shape[x.rank() - 1];
  const Bfloat16Gemm* const gemm = bfloat16_gemm();
  if (!gemm || m < costs::least_bfloat16_rows || n < costs::least_bfloat16_columns ||
      work_of(m, n, k) < costs::packed_bfloat16)
    return false;
  const auto packable = [op](const Tensor& t) { return fits_blas(Matrix::of(t)) ? t : to_contiguous(op, t); };
  const Tensor a = packable(x), b = packable(y);
  const Dims order = walk::walking_order(batch, {c.data, c.dtype, Dims(batch.size(), 1)});
  const Stack as(a, batch, order), bs(b, batch, order), cs(c, batch, order);
  const int64_t count = product(batch);
  std::atomic<bool> done{true};
  parallel_for(count, count < costs::whole_bfloat16_products ? 1 : max_threads, [&](int64_t i) {
    if (!multiply_one(*gemm, as.at(a, i), bs.at(b, i), cs.at(c, i), c.dtype))
      done.store(false, std::memory_order_relaxed);
  });
  return done.load();
}

}  // namespace suanzi::products
