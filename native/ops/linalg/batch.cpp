#include "ops/linalg/batch.h"

#include <cstring>
#include <sstream>

#include "walk/copy.h"

namespace suanzi::linalg {
namespace {

DType result_type(DType t) { return is_floating(t) || is_complex(t) ? t : DType::float32; }

// Returns the order of the dimensions in memory for matrices that are stored by columns. The dimension with the
// smallest stride comes first.
Dims column_order(int rank) {
  Dims order{rank - 2, rank - 1};
  for (int axis = rank - 3; axis >= 0; --axis) order.push_back(axis);
  return order;
}

// Calls row(data, i) for every row of the matrices of a tensor stored by rows.
template <class Row>
void for_each_row(const Tensor& x, Row row) {
  const int64_t columns = x.shape[x.rank() - 1];
  if (x.size == 0) return;
  const int64_t rows = x.shape[x.rank() - 2], all = x.size / columns;
  std::byte* data = x.data;
  for (int64_t i = 0; i < all; ++i, data += columns * size_of(x.dtype)) row(data, i % rows);
}

void clear(const Tensor& x, bool below) {
  const int64_t columns = x.shape[x.rank() - 1], size = size_of(x.dtype);
  for_each_row(x, [&](std::byte* row, int64_t i) {
    const int64_t first = below ? 0 : std::min(i + 1, columns), last = below ? std::min(i, columns) : columns;
    std::memset(row + first * size, 0, static_cast<size_t>((last - first) * size));
  });
}

}  // namespace

DType computing_type(DType t) {
  if (is_complex(t)) return t;
  return is_half(t) || t == DType::float32 ? DType::float32 : DType::float64;
}

Dims Matrices::shape(std::initializer_list<int64_t> last) const {
  Dims result = batch;
  for (int64_t n : last) result.push_back(n);
  return result;
}

Tensor Matrices::rows_to_read() const { return source.contiguous && source.dtype == type ? source : copy_rows(); }

Tensor Matrices::copy_rows() const {
  const Tensor copy = make_empty(op, source.shape, type);
  if (source.contiguous && source.dtype == type) {
    if (copy.size > 0) std::memcpy(copy.data, source.data, static_cast<size_t>(copy.nbytes()));
  } else {
    copy_into(op, copy, source);
  }
  return copy;
}

Tensor Matrices::copy_columns() const {
  const Tensor copy = empty_columns(rows, columns);
  copy_into(op, copy, source);
  return copy;
}

Tensor Matrices::empty_columns(int64_t m, int64_t n) const {
  const Dims sizes = shape({m, n}), order = column_order(sizes.size());
  return make_empty(op, sizes, type, &order);
}

Tensor Matrices::rounded(const Tensor& x) const {
  return rounded(x, is_complex(x.dtype) ? complex_of(real_part(result)) : real_part(result));
}

Tensor Matrices::rounded(const Tensor& x, DType to) const {
  if (x.dtype == to) return x.contiguous ? x : to_contiguous(op, x);
  const Tensor result = make_empty(op, x.shape, to);
  copy_into(op, result, x);
  return result;
}

Matrices matrices_of(const char* op, const Tensor& x) {
  const int rank = x.rank();
  if (rank < 2)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape,
         " is not a matrix or a stack of them: it has fewer than 2 dimensions");
  Matrices result{op, x, {}, 1, x.shape[rank - 2], x.shape[rank - 1], computing_type(x.dtype), result_type(x.dtype)};
  for (int axis = 0; axis < rank - 2; ++axis) result.batch.push_back(x.shape[axis]);
  result.count = checked_size(op, result.batch, DType::int8);
  return result;
}

Matrices square_matrices_of(const char* op, const Tensor& x) {
  const Matrices result = matrices_of(op, x);
  if (result.rows != result.columns)
    fail(Status::dimensions_mismatch, op, ": matrices of shape (", result.rows, ", ", result.columns,
         ") are not square");
  return result;
}

void unify(Matrices& a, Matrices& b) {
  DType common, type;
  if (!promote(a.source.dtype, b.source.dtype, common) || !promote(a.type, b.type, type))
    fail(Status::type_mismatch, a.op, ": ", name(a.source.dtype), " and ", name(b.source.dtype),
         " have no common type");
  a.result = b.result = result_type(common);
  a.type = b.type = type;
}

namespace {

// Returns true if one of the n numbers at `data` is infinite or NaN. The exponents of these numbers have all bits set.
template <class Bits, Bits exponent>
bool has_special(const std::byte* data, int64_t n) {
  uint8_t found = 0;
  for (int64_t i = 0; i < n; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    found |= (bits & exponent) == exponent;
  }
  return found != 0;
}

bool is_finite(const std::byte* data, int64_t numbers, DType type) {
  const int64_t n = is_complex(type) ? 2 * numbers : numbers;
  return real_part(type) == DType::float64 ? !has_special<uint64_t, uint64_t{0x7ff} << 52>(data, n)
                                           : !has_special<uint32_t, uint32_t{0xff} << 23>(data, n);
}

}  // namespace

void check_finite(const Matrices& x, const Tensor& rows) {
  if (rows.size == 0 || is_finite(rows.data, rows.size, x.type)) return;
  // If the rows share the operand's memory, another thread may have written a finite number to the operand after the
  // first test. The function then reports the last matrix.
  int64_t matrix = 0;
  while (matrix + 1 < x.count && is_finite(rows.data + matrix * x.each() * size_of(x.type), x.each(), x.type)) ++matrix;
  fail(Status::invalid_argument, x.op, ": matrix", which_matrix(x, {matrix, 1}),
       " has an element that is NaN or infinite");
}

void clear_below(const Tensor& x) { clear(x, true); }
void clear_above(const Tensor& x) { clear(x, false); }

void fill_identity(const Tensor& x) {
  fill("identity", x, Scalar::of(int64_t{0}));
  with_type(x.dtype, [&]<class T>(T) {
    for_each_row(x, [&](std::byte* row, int64_t i) {
      if (i < x.shape[x.rank() - 1]) reinterpret_cast<T*>(row)[i] = T(1);
    });
  });
}

Failure first_failure(const ScratchArray<int64_t>& info, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (info.data()[i] != 0) return {i, info.data()[i]};
  return {};
}

std::string which_matrix(const Matrices& x, const Failure& failure) {
  std::ostringstream words;
  if (!x.batch.empty()) words << ' ' << failure.matrix << " of the batch";
  return std::move(words).str();
}

}  // namespace suanzi::linalg
