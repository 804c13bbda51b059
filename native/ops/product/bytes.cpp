#include "ops/product/bytes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/kernel.h"
#include "ops/product/bytes.kernels.h"
#include "ops/product/few_bytes.h"
#include "ops/product/gemm.h"
#include "ops/product/sharing.h"
#include "ops/product/stack.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

constexpr int64_t depth = costs::panel_depth;
static_assert(depth <= most_byte_terms);
constexpr int64_t widest_panel = 32, most_rows = 32;
constexpr int64_t word_bytes = sizeof(uint32_t);

ByteCodes codes_of(const Tensor& x, int zero) { return {x.dtype == DType::int8, zero}; }

// Computes C = A B for a few rows of A. The code does not pack B.
template <class C>
void multiply_few(const Matrix& a, ByteCodes of_a, const Matrix& b, ByteCodes of_b, const Matrix& c) {
  const int threads = work_of(c.rows, c.columns, a.columns) < costs::shared_bytes ? 1 : max_threads;
  for (int64_t term = 0; term < a.columns; term += most_byte_terms) {
    const int64_t terms = std::min(most_byte_terms, a.columns - term);
    FewByteRows rows(a.rows, terms, of_a, of_b);
    for (int64_t r = 0; r < a.rows; ++r)
      rows.pack(r, a.data + r * a.row_step + term * a.column_step, a.columns == 1 ? 1 : a.column_step);
    // The greatest number of columns whose sums (at most 64 KiB) stay in the L2 cache.
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

// Returns true if the kernels read B without packing. The rows or the columns of B must be contiguous. The number of
// rows of A must be at most the number that the kernels multiply at once, or at most costs::thin_rows if B is large.
bool reads_in_place(const Matrix& b, int64_t rows) {
  return (rows <= byte_kernels().few.rows ||
          (rows <= costs::thin_rows && work_of(1, b.rows, b.columns) >= static_cast<double>(costs::thin_matrix))) &&
         (b.row_step == 1 || b.column_step == 1);
}

// Returns the number of bytes in a panel of B that has `terms` terms.
int64_t panel_bytes(const ByteKernels& kernels, int64_t terms) {
  return (kernels.words_of(terms) + 1) * kernels.panel * word_bytes;
}

// Packs the lines [term, term + terms) of B into a panel. The panel begins with column `column`.
void pack_panel(std::byte* to, const Matrix& b, ByteCodes of_b, int64_t column, int64_t term, int64_t terms) {
  const ByteKernels& kernels = byte_kernels();
  const int64_t width = kernels.panel;
  const Matrix lines = b.block(term, column, terms, std::min(width, b.columns - column), 1);
  auto* const words = reinterpret_cast<uint32_t*>(to);
  if ((b.column_step == 1 || b.columns == 1) && lines.columns == width)
    return kernels.pack_panel(words, lines.data, terms, b.row_step, of_b);
  alignas(64) std::byte copy[depth * widest_panel];
  if (lines.columns < width) std::memset(copy, 0, static_cast<size_t>(terms * width));
  copy_panel(copy, lines, width, 1);
  kernels.pack_panel(words, copy, terms, width, of_b);
}

// Computes C = A B for a B in panels, on several threads. `pack` packs a panel, or is nullptr if B is already packed.
// panel_at(memory, column, term) returns the address of a panel, where `memory` is the memory into which `pack` packed
// the panel.
template <class Pack, class PanelAt>
void multiply_by_panels(const Matrix& a, ByteCodes of_a, ByteCodes of_b, const Matrix& c, DType sums, Pack pack,
                        PanelAt panel_at) {
  const ByteKernels& kernels = byte_kernels();
  const int64_t width = kernels.panel, strip = kernels.rows, terms = std::min(depth, a.columns);
  const bool rows_contiguous = a.column_step == 1 || a.columns == 1;
  const int threads = work_of(c.rows, c.columns, a.columns) < costs::shared_bytes ? 1 : max_threads;
  constexpr bool packs = !std::is_null_pointer_v<Pack>;
  const Sharing sharing{c.rows,
                        c.columns,
                        a.columns,
                        strip,
                        width,
                        terms,
                        packs ? panel_bytes(kernels, terms) : 1,
                        kernels.row_words(terms) * word_bytes,
                        threads};
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
  share_out(sharing, pack, pack_rows,
            [&](const std::byte* left, int64_t row, int64_t rows, const std::byte* memory, int64_t column, int64_t term,
                int64_t height) {
              const Matrix target = c.block(row, column, rows, std::min(width, c.columns - column), size_of(sums));
              const ByteBlock block{rows,
                                    target.columns,
                                    kernels.words_of(height),
                                    reinterpret_cast<const uint32_t*>(left),
                                    kernels.row_words(height),
                                    reinterpret_cast<const uint32_t*>(panel_at(memory, column, term)),
                                    target.data,
                                    target.row_step,
                                    term > 0,
                                    of_a,
                                    of_b};
              (sums == DType::int32 ? kernels.multiply_to_int32 : kernels.multiply_to_int64)(block);
            });
}

void multiply_one(const Matrix& a, ByteCodes of_a, const Matrix& b, ByteCodes of_b, const Matrix& c, DType sums) {
  if (reads_in_place(b, c.rows))
    return (sums == DType::int32 ? multiply_few<int32_t> : multiply_few<int64_t>)(a, of_a, b, of_b, c);
  const auto pack = [&](std::byte* panel, int64_t column, int64_t term, int64_t terms) {
    pack_panel(panel, b, of_b, column, term, terms);
  };
  multiply_by_panels(a, of_a, of_b, c, sums, pack, [](const std::byte* memory, int64_t, int64_t) { return memory; });
}

// The positions of the panels in the memory of a packed matrix. All panels of the first `depth` terms precede the
// panels of the next terms.
struct PanelPlaces {
  const ByteKernels& kernels;
  int64_t terms, count;

  PanelPlaces(int64_t matrix_terms, int64_t columns)
      : kernels(byte_kernels()), terms(matrix_terms), count(ceiling(columns, kernels.panel)) {}
  int64_t at(int64_t column, int64_t term) const {
    const int64_t height = std::min(depth, terms - term);
    return term / depth * count * panel_bytes(kernels, depth) + column / kernels.panel * panel_bytes(kernels, height);
  }
  // Returns the number of bytes in all panels, or -1 if this number exceeds 64 bits.
  int64_t bytes() const {
    const int64_t last = (terms - 1) / depth * depth;
    int64_t result = 0;
    const int64_t of_column = last / depth * panel_bytes(kernels, depth) + panel_bytes(kernels, terms - last);
    return __builtin_mul_overflow(count, of_column, &result) ? -1 : result;
  }
};

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

Tensor to_byte_panels(const char* op, const Tensor& matrix, int zero) {
  check_alive(op, matrix);
  if (matrix.rank() != 2 || matrix.size == 0)
    fail(Status::dimensions_mismatch, op, ": an operand of shape ", matrix.shape, " is not a matrix with elements");
  const Matrix b = Matrix::of(matrix);
  const PanelPlaces places(b.rows, b.columns);
  const Tensor result = make_empty(op, {places.bytes()}, matrix.dtype);
  const int64_t chunks = ceiling(b.rows, depth);
  parallel_for(places.count * chunks, matrix.size < costs::panel_copy_bytes ? 1 : max_threads, [&](int64_t task) {
    const int64_t column = task / chunks * places.kernels.panel, term = task % chunks * depth;
    pack_panel(result.data + places.at(column, term), b, codes_of(matrix, zero), column, term,
               std::min(depth, b.rows - term));
  });
  return result;
}

Tensor multiply_byte_panels(const char* op, const Tensor& given, int zero_x, const BytePanels& b) {
  check_alive(op, given);
  check_alive(op, b.panels);
  const Tensor& panels = b.panels;
  if (b.terms <= 0 || b.columns <= 0 || b.terms > panels.size || b.columns > panels.size || panels.rank() != 1 ||
      !panels.contiguous || panels.size != PanelPlaces(b.terms, b.columns).bytes())
    fail(Status::invalid_argument, op, ": ", panels.size, " bytes are not the panels of a matrix of shape (", b.terms,
         ", ", b.columns, ")");
  const int rank = given.rank();
  if (rank == 0 || given.shape[rank - 1] != b.terms)
    fail(Status::dimensions_mismatch, op, ": shapes ", given.shape, " and (", b.terms, ", ", b.columns, ") do not fit");
  Dims shape = given.shape;
  shape.back() = b.columns;
  Tensor result = make_empty(op, shape, DType::int32);
  if (result.size == 0) return result;
  const Tensor x = to_contiguous(op, given);
  const PanelPlaces places(b.terms, b.columns);
  const int64_t rows = result.size / b.columns;
  multiply_by_panels(
      {x.data, rows, b.terms, b.terms, 1}, codes_of(x, zero_x), codes_of(panels, b.zero),
      {result.data, rows, b.columns, b.columns, 1}, DType::int32, nullptr,
      [&](const std::byte*, int64_t column, int64_t term) { return panels.data + places.at(column, term); });
  return result;
}

}  // namespace suanzi::products
