#include "ops/product/thin.h"

#include <algorithm>

#include "kernels/kernel.h"
#include "ops/product/gemm.h"
#include "ops/product/gemv.kernels.h"
#include "ops/product/matmul.h"
#include "runtime/share.h"
#include "tensor/scratch.h"

namespace suanzi::products {
namespace {

static_assert(costs::thin_rows <= most_thin_rows);

bool is_large(const Tensor& x) {
  const int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  return is_floating(x.dtype) && work_of(rows, columns, size_of(x.dtype)) >= static_cast<double>(costs::thin_matrix) &&
         (x.strides[x.rank() - 1] == 1 || x.strides[x.rank() - 2] == 1);
}

// Returns a matrix of the same elements with contiguous rows, which is x itself or a copy in `memory`.
Matrix by_rows(const Matrix& x, int size, Scratch& memory) {
  if (x.column_step == 1) return x;
  const Matrix copy = Matrix{memory.take<std::byte>(x.rows * x.columns * size), x.rows, x.columns, x.columns, 1};
  copy_panel(copy.data, x, x.columns, size);
  return copy;
}

}  // namespace

bool is_thin(const Tensor& a, const Tensor& b, int64_t m, int64_t n) {
  const int64_t few = std::min(m, n);
  return few > 1 && few <= costs::thin_rows && is_large(m > n ? a : b);
}

void multiply_thin(DType dtype, const Matrix& a, const Matrix& b, const Matrix& c, const std::byte* start) {
  const DType number = working_type(dtype);
  const int size = size_of(number), stored = size_of(dtype);
  // If C is tall, the code computes the transpose of C.
  const bool tall = c.rows > c.columns;
  const Matrix &rows = tall ? b.transposed() : a, &matrix = tall ? a.transposed() : b;
  const int64_t count = rows.rows, columns = matrix.columns, terms = matrix.rows;
  Scratch of_rows, of_sums;
  const Matrix few = by_rows(rows, size, of_rows);
  const Matrix sums = tall ? Matrix{of_sums.take<std::byte>(count * columns * size), count, columns, columns, 1} : c;
  const bool across = matrix.column_step == 1;
  const GemvKernels& kernels_of_type = kernels().gemv[static_cast<int>(dtype)];
  const ThinKernel multiply = across ? kernels_of_type.thin_across : kernels_of_type.thin_along;
  const int64_t step = across ? matrix.row_step : matrix.column_step, bytes = terms * columns * stored;
  // The division keeps cache lines of B and C whole.
  const int64_t units = ceiling(columns, cache_line), ranges = range_count(bytes, units);
  for_ranges(ranges, bytes, units, [&](int64_t, int64_t first, int64_t last) {
    const int64_t column = first * cache_line, width = std::min(last * cache_line, columns) - column;
    multiply({count, width, terms, few.data, few.row_step,
              matrix.data + column * (across ? 1 : matrix.column_step) * stored, step, sums.data + column * size,
              sums.row_step, start ? start + column * size : nullptr});
  });
  if (tall) copy_panel(c.data, sums.transposed(), c.row_step, size);
}

}  // namespace suanzi::products
