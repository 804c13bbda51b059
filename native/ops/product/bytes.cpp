#include "ops/product/bytes.h"

#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/product/bytes.kernels.h"
#include "ops/product/few_bytes.h"
#include "ops/product/gemm.h"
#include "ops/product/sharing.h"
#include "ops/product/stack.h"

namespace suanzi::products {
namespace {

constexpr int64_t depth = costs::panel_depth;
static_assert(depth <= most_byte_terms);
constexpr int64_t widest_panel = 32, most_rows = 32;
constexpr int64_t word_bytes = sizeof(uint32_t);

ByteCodes codes_of(const Tensor& x, int zero) { return {x.dtype == DType::int8, zero}; }

// Multiplies a few rows of A by the unpacked B.
template <class C>
void multiply_few(const Matrix& a, ByteCodes of_a, const Matrix& b, ByteCodes of_b, const Matrix& c) {
  const int threads = work_of(c.rows, c.columns, a.columns) < costs::shared_bytes ? 1 : max_threads;
  for (int64_t term = 0; term < a.columns; term += most_byte_terms) {
    const int64_t terms = std::min(most_byte_terms, a.columns - term);
    FewByteRows rows(a.rows, terms, of_a, of_b);
    for (int64_t r = 0; r < a.rows; ++r)
      rows.pack(r, a.data + r * a.row_step + term * a.column_step, a.columns == 1 ? 1 : a.column_step);
    // The sums of this many columns stay in the cache.
    const int64_t widest = costs::most_row_sums / std::max(rows.sum_rows(), costs::least_sum_rows);
    const int64_t most =
        std::clamp(ceiling(c.columns, std::min<int64_t>(threads, num_threads())), costs::few_row_columns, widest);
    parallel_for(ceiling(c.columns, most), threads, [&](int64_t task) {
      const int64_t column = task * most, columns = std::min(most, c.columns - column);
      const ScratchArray<int32_t> sums(rows.sum_rows() * columns);
      rows.multiply(b.block(term, column, terms, columns, 1), sums.data());
      for (int64_t r = 0; r < c.rows; ++r) {
        C* const out = reinterpret_cast<C*>(c.data) + r * c.row_step + column;
        const int32_t* const from = sums.data() + r * columns;
        for (int64_t j = 0; j < columns; ++j) out[j] = static_cast<C>((term > 0 ? out[j] : 0) + int64_t{from[j]});
      }
    });
  }
}

// Returns whether B is read unpacked: always if the kernels multiply all rows at once, and for a few more rows if B is
// large.
bool reads_in_place(const Matrix& b, int64_t rows) {
  return (rows <= byte_kernels().few.rows ||
          (rows <= costs::thin_rows && work_of(1, b.rows, b.columns) >= static_cast<double>(costs::thin_matrix))) &&
         (b.row_step == 1 || b.column_step == 1);
}

void multiply_one(const Matrix& a, ByteCodes of_a, const Matrix& b, ByteCodes of_b, const Matrix& c, DType sums) {
  if (reads_in_place(b, c.rows))
    return (sums == DType::int32 ? multiply_few<int32_t> : multiply_few<int64_t>)(a, of_a, b, of_b, c);
  const ByteKernels& kernels = byte_kernels();
  const int64_t width = kernels.panel, strip = kernels.rows, terms = std::min(depth, a.columns);
  // One more line in each panel corrects the sums for the zero points.
  const int64_t lines = kernels.words_of(terms) + 1;
  const bool rows_contiguous = a.column_step == 1 || a.columns == 1;
  const bool lines_contiguous = b.column_step == 1 || b.columns == 1;
  const int threads = work_of(c.rows, c.columns, a.columns) < costs::shared_bytes ? 1 : max_threads;
  const Sharing sharing{c.rows,
                        c.columns,
                        a.columns,
                        strip,
                        width,
                        terms,
                        lines * width * word_bytes,
                        kernels.row_words(terms) * word_bytes,
                        threads};
  const auto pack_panel = [&](std::byte* panel, int64_t column, int64_t term, int64_t height) {
    const Matrix lines = b.block(term, column, height, std::min(width, c.columns - column), 1);
    auto* const to = reinterpret_cast<uint32_t*>(panel);
    if (lines_contiguous && lines.columns == width)
      return kernels.pack_panel(to, lines.data, height, b.row_step, of_b, of_a);
    alignas(64) std::byte copy[depth * widest_panel];
    if (lines.columns < width) std::memset(copy, 0, static_cast<size_t>(height * width));
    copy_panel(copy, lines, width, 1);
    kernels.pack_panel(to, copy, height, width, of_b, of_a);
  };
  const auto pack_rows = [&](std::byte* left, int64_t row, int64_t rows, int64_t term, int64_t height) {
    const int64_t step = kernels.row_words(height);
    auto* to = reinterpret_cast<uint32_t*>(left);
    for (int64_t i = 0; i < rows; i += strip) {
      const Matrix part = a.block(row + i, term, std::min(strip, rows - i), height, 1);
      alignas(64) std::byte copy[depth * most_rows];
      if (!rows_contiguous) copy_panel(copy, part, height, 1);
      for (int64_t r = 0; r < part.rows; ++r, to += step)
        kernels.pack_row(to, rows_contiguous ? part.data + r * a.row_step : copy + r * height, height, of_a, of_b);
    }
  };
  share_out(sharing, pack_panel, pack_rows,
            [&](const std::byte* left, int64_t row, int64_t rows, const std::byte* panel, int64_t column, int64_t term,
                int64_t height) {
              const Matrix target = c.block(row, column, rows, std::min(width, c.columns - column), size_of(sums));
              const ByteBlock block{rows,
                                    target.columns,
                                    kernels.words_of(height),
                                    reinterpret_cast<const uint32_t*>(left),
                                    kernels.row_words(height),
                                    reinterpret_cast<const uint32_t*>(panel),
                                    target.data,
                                    target.row_step,
                                    term > 0,
                                    of_a,
                                    of_b};
              (sums == DType::int32 ? kernels.multiply_to_int32 : kernels.multiply_to_int64)(block);
            });
}

}  // namespace

void multiply_bytes(const char* op, const Tensor& a, int zero_a, const Tensor& b, int zero_b, const Tensor& c,
                    const Dims& batch) {
  check_alive(op, a);
  check_alive(op, b);
  if (c.size == 0) return;
  if (a.size == 0) {
    std::memset(c.data, 0, static_cast<size_t>(c.size * size_of(c.dtype)));
    return;
  }
  const ByteCodes of_a = codes_of(a, zero_a), of_b = codes_of(b, zero_b);
  const Dims order = walk::walking_order(batch, {c.data, c.dtype, Dims(batch.size(), 1)});
  const Stack as(a, batch, order), bs(b, batch, order), cs(c, batch, order);
  const int64_t count = product(batch);
  parallel_for(count, count < costs::whole_bfloat16_products ? 1 : max_threads,
               [&](int64_t i) { multiply_one(as.at(a, i), of_a, bs.at(b, i), of_b, cs.at(c, i), c.dtype); });
}

}  // namespace suanzi::products
