#include "ops/product/gemm.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/product/gemm.kernels.h"
#include "ops/product/gemv.h"
#include "ops/product/sharing.h"
#include "runtime/costs.h"
#include "walk/movement.kernels.h"

namespace suanzi::products {

using namespace blas;  // the routines of BLAS and their constants

namespace {

// The number of rows of B in a packed panel. A panel as wide as two of the widest vectors stays in the L1 cache.
constexpr int64_t panel_rows = 256;
constexpr int64_t panel_bytes = panel_rows * 128;

bool contiguous(int64_t size, int64_t step) { return step == 1 || size <= 1; }

// Packs each panel of B and multiplies A by the panel.
void multiply_packed(const GemmKernels& kernel, int size, const Matrix& a, const Matrix& b, const Matrix& c,
                     const std::byte* start) {
  alignas(64) std::byte panel[panel_bytes];
  for (int64_t p = 0; p < b.rows; p += panel_rows) {
    const int64_t height = std::min(panel_rows, b.rows - p);
    for (int64_t j = 0; j < b.columns; j += kernel.panel) {
      const int64_t width = std::min<int64_t>(kernel.panel, b.columns - j);
      copy_panel(panel, b.block(p, j, height, width, size), width, size);
      kernel.block(block_of_panel(kernel, a.block(0, p, a.rows, height, size), panel, width,
                                  c.block(0, j, c.rows, width, size), start ? start + j * size : nullptr, p == 0));
    }
  }
}

// Copies `row` into every row of C, or fills C with zeros if `row` is null.
void fill_rows(const Matrix& c, int size, const std::byte* row) {
  const auto bytes = static_cast<size_t>(c.columns * size);
  for (int64_t i = 0; i < c.rows; ++i) {
    std::byte* const target = c.data + i * c.row_step * size;
    row ? std::memcpy(target, row, bytes) : std::memset(target, 0, bytes);
  }
}

// Computes C = A B or, if `accumulate` is true, C += A B.
template <class T>
void call_blas(const Routines<T>& blas, const Matrix& a, const Matrix& b, const Matrix& c, bool accumulate) {
  static const T one = 1, zero = 0;
  const T& kept = accumulate ? one : zero;
  // BLAS receives row-major matrices. A matrix whose columns are contiguous is the transpose of a row-major matrix.
  const auto flag = [](const Matrix& x) {
    return contiguous(x.columns, x.column_step) ? Transpose::no : Transpose::yes;
  };
  const auto leading = [&](const Matrix& x) {
    const bool plain = flag(x) == Transpose::no;
    return std::max(plain ? x.row_step : x.column_step, plain ? x.columns : x.rows);
  };
  const auto data = [](const Matrix& x) { return reinterpret_cast<T*>(x.data); };
  blas.gemm(Order::row_major, flag(a), flag(b), c.rows, c.columns, a.columns, as_factor(one), data(a), leading(a),
            data(b), leading(b), as_factor(kept), data(c), std::max(c.row_step, c.columns));
}

}  // namespace

const GemmKernels& kernels_for(DType dtype) { return kernels().gemm[static_cast<int>(dtype)]; }

GemmBlock block_of_panel(const GemmKernels& kernel, const Matrix& a, const std::byte* panel, int64_t width,
                         const Matrix& c, const std::byte* start, bool first) {
  return {a.rows,
          c.columns,
          a.columns,
          a.data,
          a.row_step,
          a.column_step,
          kernel.rows * a.row_step,
          panel,
          width,
          c.data,
          c.row_step,
          first ? start : c.data,
          first ? 0 : c.row_step};
}

void multiply_by_panels(const GemmKernels& kernel, int size, const Matrix& a, const std::byte* panels, const Matrix& c,
                        const std::byte* start, int64_t start_row) {
  const int64_t width = kernel.panel, step = a.columns * width;
  const bool one_row = a.rows == 1;
  const int64_t together = one_row ? row_panels * width : width;
  for (int64_t column = 0; column < c.columns; column += together) {
    const Matrix target = c.block(0, column, c.rows, std::min(together, c.columns - column), size);
    for (int64_t p = 0; p < a.columns; p += costs::panel_depth) {
      const int64_t height = std::min(costs::panel_depth, a.columns - p);
      const std::byte* const panel = panels + (column * a.columns + p * width) * size;
      GemmBlock block = block_of_panel(kernel, a.block(0, p, a.rows, height, size), panel, width, target,
                                       start ? start + column * size : nullptr, p == 0);
      if (p == 0) block.start_row = start_row;
      block.b_panel = step;
      (one_row ? kernel.row : kernel.block)(block);
    }
  }
}

void copy_panel(std::byte* panel, const Matrix& b, int64_t width, int size) {
  const MoveKernels& move = kernels().move[std::countr_zero(static_cast<unsigned>(size))];
  const MoveKernel copy = contiguous(b.columns, b.column_step) ? move.copy
                          : contiguous(b.rows, b.row_step)     ? move.transpose
                                                               : move.stride;
  copy(panel, b.data, {b.columns, b.rows, size, width * size, b.column_step * size, b.row_step * size});
}

std::optional<GemmBlock> as_block(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c,
                                  const std::byte* start) {
  const bool rows_contiguous = contiguous(b.columns, b.column_step);
  const int64_t extent = b.rows * std::abs(b.row_step) * size_of(dtype);
  if (a.columns == 0 || !rows_contiguous || (a.rows > costs::packed_rows && extent > costs::unpacked_bytes))
    return std::nullopt;
  return GemmBlock{c.rows,
                   c.columns,
                   a.columns,
                   a.data,
                   a.row_step,
                   a.column_step,
                   kernels_for(dtype).rows * a.row_step,
                   b.data,
                   b.row_step,
                   c.data,
                   c.row_step,
                   start,
                   0};
}

void multiply(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start) {
  const GemmKernels& kernel = kernels_for(dtype);
  const int size = size_of(dtype);
  if (a.columns == 0) return fill_rows(c, size, start);
  if (c.rows == 1 && c.columns == 1 && !start && contiguous(a.columns, a.column_step) && contiguous(b.rows, b.row_step))
    return kernel.dot(c.data, a.data, b.data, a.columns);
  // Only the block kernel can add `start` to a single column.
  if (c.columns == 1 && !start && multiply_vector(dtype, a, {b.data, b.row_step}, {c.data, c.row_step}, nullptr))
    return;
  if (c.rows == 1 && multiply_vector(dtype, b.transposed(), {a.data, a.column_step}, {c.data, 1}, start)) return;
  const auto block = as_block(dtype, a, b, c, start);
  block ? kernel.block(*block) : multiply_packed(kernel, size, a, b, c, start);
}

void multiply_panels_shared(DType dtype, const Matrix& a, const Matrix& c, const std::byte* start,
                            const PackPanel& pack_panel) {
  const GemmKernels& kernel = kernels_for(dtype);
  const int size = size_of(dtype);
  const int64_t width = kernel.panel, strip = kernel.rows, depth = std::min(costs::shared_panel_rows(), a.columns);
  const Sharing sharing{a.rows, c.columns, a.columns, strip, width, depth, depth * width * size, depth * size};
  const auto pack_rows = [&](std::byte* left, int64_t row, int64_t rows, int64_t p, int64_t height) {
    for (int64_t i = 0; i < rows; i += strip)
      copy_panel(left + i * height * size, a.block(row + i, p, std::min(strip, rows - i), height, size).transposed(),
                 strip, size);
  };
  share_out(sharing, pack_panel, pack_rows,
            [&](const std::byte* left, int64_t row, int64_t rows, const std::byte* panel, int64_t column, int64_t p,
                int64_t height) {
              const Matrix target = c.block(row, column, rows, std::min(width, c.columns - column), size);
              const std::byte* const added = start ? start + column * size : nullptr;
              kernel.block({rows, target.columns, height, left, 1, strip, strip * height, panel, width, target.data,
                            target.row_step, p > 0 ? target.data : added, p > 0 ? c.row_step : 0});
            });
}

void multiply_shared(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start) {
  const int size = size_of(dtype);
  const int64_t width = kernels_for(dtype).panel;
  multiply_panels_shared(dtype, a, c, start, [&](std::byte* panel, int64_t column, int64_t p, int64_t height) {
    copy_panel(panel, b.block(p, column, height, std::min(width, c.columns - column), size), width, size);
  });
}

int64_t own_product() {
  const bool wide = kernels_for(DType::float32).wide;
  // The code loads the BLAS library only if the answer depends on the BLAS library.
  if (const int64_t most = costs::own_product(wide, 0); most > 0) return most;
  return costs::own_product(wide, library().small_order);
}

bool owns_products() { return costs::owns_products(kernels_for(DType::float32).wide); }

bool own_factors() { return costs::own_factors(kernels_for(DType::float32).wide); }

bool fits_blas(const Matrix& x) {
  return (contiguous(x.columns, x.column_step) && (x.rows <= 1 || x.row_step >= x.columns)) ||
         (contiguous(x.rows, x.row_step) && (x.columns <= 1 || x.column_step >= x.rows));
}

void multiply_by_blas(const Session& session, DType dtype, const Matrix& a, const Matrix& b, const Matrix& c,
                      const std::byte* start) {
  if (start) fill_rows(c, size_of(dtype), start);
  const auto call = [&]<class T>(const Routines<T>& blas) { call_blas(blas, a, b, c, start != nullptr); };
  switch (dtype) {
    case DType::float32:
      return call(session.routines<float>());
    case DType::float64:
      return call(session.routines<double>());
    case DType::complex64:
      return call(session.routines<std::complex<float>>());
    case DType::complex128:
      return call(session.routines<std::complex<double>>());
    default:
      fail(Status::internal_error, "matmul: BLAS has no products of ", name(dtype));
  }
}

}  // namespace suanzi::products
