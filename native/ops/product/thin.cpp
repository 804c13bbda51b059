#include "ops/product/thin.h"

#include <algorithm>

#include "kernels/kernel.h"
#include "ops/product/bfloat16.h"
#include "ops/product/gemm.h"
#include "ops/product/gemv.kernels.h"
#include "ops/product/matmul.h"
#include "runtime/share.h"
#include "tensor/scratch.h"

namespace suanzi::products {
namespace {

double bytes_of(const Tensor& x) { return work_of(x.shape[x.rank() - 2], x.shape[x.rank() - 1], size_of(x.dtype)); }

bool is_large(const Tensor& x) {
  return is_floating(x.dtype) && bytes_of(x) >= static_cast<double>(costs::thin_matrix) &&
         (x.strides[x.rank() - 1] == 1 || x.strides[x.rank() - 2] == 1);
}

// Returns the greatest number of rows whose product with a matrix is thin. The matrix has `terms` lines (rows of B),
// and `step` is the distance between neighbouring elements of a line. The limits are lower for bfloat16 matrices that
// the processor's instructions multiply, and for contiguous columns of float64, because packed products of these
// matrices are faster.
int64_t most_rows(const Tensor& matrix, int64_t terms, int64_t step) {
  const bool has_lines = step == 1;
  if (!owns_products() || terms < (has_lines ? costs::thin_terms_of_lines : costs::thin_terms_of_columns))
    return costs::thin_rows;
  const bool in_memory = costs::is_in_memory(bytes_of(matrix));
  const bool packs_well =
      matrix.dtype == DType::bfloat16 ? bfloat16_gemm() != nullptr : matrix.dtype == DType::float64 && !has_lines;
  if (packs_well) return in_memory ? costs::some_thin_rows : costs::thin_rows;
  return has_lines || in_memory ? costs::many_thin_rows : costs::some_thin_rows;
}

// Returns a matrix with the elements of x and with contiguous rows. The matrix is x itself, or a copy in `memory`.
Matrix by_rows(const Matrix& x, int size, Scratch& memory) {
  if (x.column_step == 1) return x;
  const Matrix copy = Matrix{memory.take<std::byte>(x.rows * x.columns * size), x.rows, x.columns, x.columns, 1};
  copy_panel(copy.data, x, x.columns, size);
  return copy;
}

}  // namespace

bool is_thin(const Tensor& a, const Tensor& b, int64_t m, int64_t n) {
  const int64_t few = std::min(m, n);
  const bool tall = m > n;
  const Tensor& matrix = tall ? a : b;
  if (few <= 1 || few > costs::many_thin_rows || !is_large(matrix)) return false;
  const int rank = matrix.rank();
  return few <= costs::thin_rows ||
         few <= most_rows(matrix, matrix.shape[tall ? rank - 1 : rank - 2], matrix.strides[tall ? rank - 2 : rank - 1]);
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
