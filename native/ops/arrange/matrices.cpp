// Operators on the diagonals of matrices. The functions move elements of every type as bytes.
#include "ops/arrange/matrices.h"

#include <algorithm>
#include <cstring>

#include "runtime/costs.h"
#include "runtime/threads.h"
#include "walk/copy.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

// Calls body(first, last) for ranges that together contain all rows. Each range is one task.
template <class Body>
void for_rows(int64_t rows, int64_t row_bytes, Body&& body) {
  const int64_t each = std::max<int64_t>(1, costs::matrix_bytes / std::max<int64_t>(row_bytes, 1));
  parallel_for((rows + each - 1) / each,
               [&](int64_t piece) { body(piece * each, std::min(rows, (piece + 1) * each)); });
}

// Returns a new tensor whose bytes are zero. An element whose bytes are zero is 0, False or the empty string.
Tensor make_zeros(const char* op, const Dims& shape, DType dtype, const Dims* order = nullptr) {
  const Tensor result = make_empty(op, shape, dtype, order);
  for_rows(result.nbytes(), 1, [&](int64_t first, int64_t last) {
    std::memset(result.data + first, 0, static_cast<size_t>(last - first));
  });
  return result;
}

// Returns a view of x with the last two axes exchanged.
Tensor matrix_transpose(const Tensor& x) {
  Dims shape = x.shape, strides = x.strides;
  std::swap(shape[x.rank() - 1], shape[x.rank() - 2]);
  std::swap(strides[x.rank() - 1], strides[x.rank() - 2]);
  return make_view(x, std::move(shape), std::move(strides));
}

// Writes the rows [first, last) of the result. The first row of each matrix has the index after the last row of the
// previous matrix. If the rows are short, the function copies all rows at once, and then clears the elements outside
// the triangle.
void write_rows(const Tensor& result, const Tensor& x, const walk::Path& path, int64_t offset, Triangle which,
                int64_t first, int64_t last) {
  const int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  const int size = size_of(x.dtype);
  const bool is_short = columns * size <= costs::short_row_bytes;
  if (is_short)
    walk::gather(result.data + first * columns * size, x.data, path, size, first * columns, (last - first) * columns);
  offset = std::clamp(offset, -rows, columns);  // offsets beyond a bound have the same result as the bound
  for (int64_t i = first, row = first % rows; i < last; ++i, row = row + 1 < rows ? row + 1 : 0) {
    const int64_t diagonal = row + offset;
    const int64_t begin = which == Triangle::lower ? 0 : std::clamp<int64_t>(diagonal, 0, columns);
    const int64_t end = which == Triangle::lower ? std::clamp<int64_t>(diagonal + 1, 0, columns) : columns;
    std::byte* const target = result.data + i * columns * size;
    if (!is_short) walk::gather(target + begin * size, x.data, path, size, i * columns + begin, end - begin);
    if (begin > 0) std::memset(target, 0, static_cast<size_t>(begin * size));
    if (end < columns) std::memset(target + end * size, 0, static_cast<size_t>((columns - end) * size));
  }
}

}  // namespace

Tensor eye(int64_t rows, int64_t columns, int64_t offset, DType dtype, const Dims* order) {
  const Tensor result = make_zeros("eye", {rows, columns}, dtype, order);
  fill("eye", diagonal("eye", result, offset, 0, 1), Scalar::of(true));
  return result;
}

Tensor diag(const Tensor& x, int64_t offset) {
  check_alive("diag", x);
  if (x.rank() == 2) return to_contiguous("diag", diagonal("diag", x, offset, 0, 1));
  if (x.rank() != 1) fail(Status::dimensions_mismatch, "diag: shape ", x.shape, " is neither a vector nor a matrix");
  int64_t n = 0;
  if (__builtin_sub_overflow(int64_t{0}, offset, &n) || __builtin_add_overflow(x.size, std::max(offset, n), &n))
    fail(Status::alloc_failed, "diag: diagonal ", offset, " makes a matrix larger than can be addressed");
  const Tensor result = make_zeros("diag", {n, n}, x.dtype);
  copy_into("diag", diagonal("diag", result, offset, 0, 1), x);
  keep_referents(result, x);
  return result;
}

Tensor triangle(const char* op, const Tensor& x, int64_t offset, Triangle which) {
  check_alive(op, x);
  if (x.rank() < 2) fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not a matrix or a stack of them");
  const int row_axis = x.rank() - 2, column_axis = x.rank() - 1;
  if (std::abs(x.strides[row_axis]) < std::abs(x.strides[column_axis]) && x.shape[row_axis] > 1 &&
      x.shape[column_axis] > 1) {
    const Triangle other = which == Triangle::lower ? Triangle::upper : Triangle::lower;
    return matrix_transpose(triangle(op, matrix_transpose(x), offset == INT64_MIN ? INT64_MAX : -offset, other));
  }
  const Tensor result = make_empty(op, x.shape, x.dtype);
  keep_referents(result, x);
  Dims order;
  for (int i = x.rank() - 1; i >= 0; --i) order.push_back(i);
  const walk::Path path = walk::make_path(x.shape, order, walk::View::of(x));
  const int64_t columns = x.shape[column_axis];
  if (result.size > 0)
    for_rows(result.size / columns, columns * size_of(x.dtype),
             [&](int64_t first, int64_t last) { write_rows(result, x, path, offset, which, first, last); });
  return result;
}

}  // namespace suanzi
