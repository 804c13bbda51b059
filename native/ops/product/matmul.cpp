#include "ops/product/matmul.h"

#include <algorithm>
#include <optional>

#include "kernels/kernel.h"
#include "ops/elementwise/elementwise.h"
#include "ops/product/bfloat16.h"
#include "ops/product/bfloat16.kernels.h"
#include "ops/product/bytes.h"
#include "ops/product/bytes.kernels.h"
#include "ops/product/gemm.h"
#include "ops/product/gemm.kernels.h"
#include "ops/product/gemv.h"
#include "ops/product/stack.h"
#include "ops/product/thin.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "walk/copy.h"
#include "walk/iteration.h"

namespace suanzi::products {
namespace {

constexpr int64_t task_work = costs::product_task;

int64_t saturating(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

// An operand of a product, or the tensor that replaces this operand.
class Factor {
 public:
  explicit Factor(const Tensor& given) : given_(given) {}
  void operator=(Tensor other) { other_ = std::move(other); }
  const Tensor& operator*() const { return other_ ? *other_ : given_; }
  const Tensor* operator->() const { return &**this; }

 private:
  const Tensor& given_;
  std::optional<Tensor> other_;
};

// The division of one product's result into tiles. The division depends only on the shape, so no bit of the result
// depends on the number of threads.
struct Grid {
  int64_t rows, columns;  // the size of a tile
  int64_t down, across;   // the numbers of tiles

  Grid(int64_t m, int64_t n, int64_t k, bool whole, bool by_blas) : rows(m), columns(n), down(1), across(1) {
    constexpr int64_t strip = 4, vector = 16, least = 24;
    if (whole) return;
    // Products with fewer columns than a vector holds take as long as products with a whole vector of columns.
    const int64_t work = saturating(saturating(m, std::max(n, vector)), k), most = costs::product_tiles(work, by_blas);
    while (down * across < most && std::max(rows, columns) >= 2 * least) {
      if (rows >= columns) {
        rows = ceiling(ceiling(rows, 2), strip) * strip;
      } else {
        columns = ceiling(ceiling(columns, 2), vector) * vector;
      }
      down = (m + rows - 1) / rows;
      across = (n + columns - 1) / columns;
    }
  }
};

// The method of one product. The method uses our kernels, which may use several threads, or BLAS.
struct Method {
  DType dtype;
  const std::byte* start;  // a row that is added to each row of C, or null
  bool shared;
  const Session* blas;

  // Computes C = A B. `column` is the first column of C within the whole product.
  void multiply(const Matrix& a, const Matrix& b, const Matrix& c, int64_t column) const {
    const std::byte* const first = start ? start + column * size_of(dtype) : nullptr;
    if (blas) {
      blas->enter_task();
      multiply_by_blas(*blas, dtype, a, b, c, first);
    } else {
      (shared ? multiply_shared : products::multiply)(dtype, a, b, c, first);
    }
  }
  // Returns the operands of the block kernel for C = A B. Returns nothing if a single call of the kernel cannot compute
  // the product.
  std::optional<GemmBlock> as_block(const Matrix& a, const Matrix& b, const Matrix& c) const {
    const bool vector = c.rows == 1 || c.columns == 1;
    return blas || shared || vector ? std::nullopt : products::as_block(dtype, a, b, c, start);
  }
  void multiply_tile(const Grid& grid, int64_t number, const Matrix& a, const Matrix& b, const Matrix& c) const {
    const int size = size_of(dtype);
    const int64_t row = number / grid.across * grid.rows, column = number % grid.across * grid.columns;
    const int64_t height = std::min(grid.rows, c.rows - row), width = std::min(grid.columns, c.columns - column);
    multiply(a.block(row, 0, height, a.columns, size), b.block(0, column, b.rows, width, size),
             c.block(row, column, height, width, size), column);
  }
};

// The operands and the results of a stack of products.
class Products {
 public:
  Products(const Tensor& a, const Tensor& b, const Tensor& c, const Dims& batch)
      : Products(a, b, c, batch, walk::walking_order(batch, {c.data, c.dtype, Dims(batch.size(), 1)})) {}

  // Calls body(a, b, c) for each product whose index is in [begin, end).
  template <class Body>
  void each(int64_t begin, int64_t end, Body body) const {
    walk::Cursor at_a(a_.path, begin), at_b(b_.path, begin), at_c(c_.path, begin);
    for (int64_t i = begin; i < end; ++i) {
      body(a_.first.at(a_.first.data + at_a.offset()), b_.first.at(b_.first.data + at_b.offset()),
           c_.first.at(c_.first.data + at_c.offset()));
      at_a.advance(1);
      at_b.advance(1);
      at_c.advance(1);
    }
  }

  void multiply(const Method& method, int64_t begin, int64_t end) const {
    auto block = method.as_block(a_.first, b_.first, c_.first);
    if (!block) {
      each(begin, end, [&](const Matrix& a, const Matrix& b, const Matrix& c) { method.multiply(a, b, c, 0); });
      return;
    }
    const GemmKernel kernel = kernels().gemm[static_cast<int>(method.dtype)].block;
    each(begin, end, [&](const Matrix& a, const Matrix& b, const Matrix& c) {
      block->a = a.data;
      block->b = b.data;
      block->c = c.data;
      kernel(*block);
    });
  }

 private:
  Products(const Tensor& a, const Tensor& b, const Tensor& c, const Dims& batch, const Dims& order)
      : a_(a, batch, order), b_(b, batch, order), c_(c, batch, order) {}

  Stack a_, b_, c_;
};

// Multiplies two operands with our kernels or with BLAS. `start` is null or a contiguous row that is added to each row
// of C.
void run(const char* op, const Tensor& x1, const Tensor& x2, const Tensor& c, const Dims& batch,
         const std::byte* start) {
  Factor a(x1), b(x2);
  // If the operands have different types, the larger operand is float16 or bfloat16, and the kernels widen its
  // elements.
  const DType dtype = is_half(a->dtype) ? a->dtype : b->dtype;
  const int64_t m = c.shape[c.rank() - 2], n = c.shape[c.rank() - 1], k = a->shape[a->rank() - 1];
  const int64_t count = product(batch), work = saturating(saturating(m, n), k);
  if (c.size == 0) return;
  if (count == 1 && m == 1 && n == 1 && k > 0) {
    inner_product(op, make_view(*a, {k}, {a->strides[a->rank() - 1]}), make_view(*b, {k}, {b->strides[b->rank() - 2]}),
                  c.data);
    return;
  }
  if (is_thin(*a, *b, m, n)) {
    const Products products(*a, *b, c, batch);
    return products.each(
        0, count, [&](const Matrix& x, const Matrix& y, const Matrix& z) { multiply_thin(dtype, x, y, z, start); });
  }
  const bool vector = m == 1 || n == 1;
  const bool by_blas = (is_floating(dtype) || is_complex(dtype)) && !vector && work > costs::own_smallest_product &&
                       work > own_product();
  if (by_blas || vector) {
    for (Factor* factor : {&a, &b})
      if (!fits_blas(Matrix::of(**factor))) *factor = to_contiguous(op, **factor);
  }
  std::optional<Session> session;
  if (by_blas) session.emplace(1);
  const bool shared = !by_blas && !vector && work >= costs::shared_product;
  // A product of two complex numbers consists of four real products.
  const int64_t parts = is_complex(dtype) ? 4 : 1, each_work = std::max(saturating(work, parts), costs::product_call);
  const Grid grid(m, n, saturating(k, parts), count >= 16 || shared || vector, by_blas);
  const int64_t tiles = grid.down * grid.across, all_work = saturating(each_work, count);
  const Length length = all_work < costs::brief_product ? Length::brief : Length::any;
  const Method method{dtype, start, shared, session ? &*session : nullptr};
  if (count == 1) {
    const Matrix x = Matrix::of(*a), y = Matrix::of(*b), z = Matrix::of(c);
    if (tiles == 1) return method.multiply(x, y, z, 0);
    // The lambda captures by value, so that all data that other threads read are neighbours in memory.
    return parallel_for(tiles, length, [=](int64_t tile) { method.multiply_tile(grid, tile, x, y, z); });
  }
  const Products products(*a, *b, c, batch);
  const int64_t group = tiles > 1 ? 1 : std::max<int64_t>(1, task_work / each_work);
  const int64_t tasks = ceiling(count, group) * tiles;
  const auto task = [&](int64_t number) {
    const int64_t begin = number / tiles * group, end = std::min(begin + group, count);
    if (tiles == 1) {
      products.multiply(method, begin, end);
    } else {
      products.each(begin, end, [&](const Matrix& x, const Matrix& y, const Matrix& z) {
        method.multiply_tile(grid, number % tiles, x, y, z);
      });
    }
  };
  if (shared || all_work < 2 * task_work) {
    for (int64_t t = 0; t < tasks; ++t) task(t);
  } else {
    parallel_for(tasks, length, task);
  }
}

// Merges a stack of matrices A into one matrix with all rows. The products of the stack and one matrix B then are a
// single product. The merge is possible if the rows of the stack have a constant step.
void merge_rows(Factor& a, const Tensor& b, Factor& c, Dims& batch) {
  if (b.rank() != 2 || a->rank() == 2 || c->size == 0) return;
  const int64_t rows = product(batch) * a->shape[a->rank() - 2];
  const auto merged = reshape_view(*a, {rows, a->shape[a->rank() - 1]});
  if (!merged) return;
  a = *merged;
  c = *reshape_view(*c, {rows, c->shape[c->rank() - 1]});
  batch = {};
}

// Returns true if the code may compute the result directly in `out`. `out` must be contiguous and have the type
// `dtype`, and no operand may share memory with `out`.
bool takes_result(const Tensor& out, DType dtype, const Tensor& x1, const Tensor& x2) {
  const auto apart = [&](const Tensor& x) {
    return x.storage.get() != out.storage.get() && !overlaps_partially(x, out) && x.data != out.data;
  };
  return out.contiguous && out.dtype == dtype && apart(x1) && apart(x2);
}

// Returns true if bfloat16 holds all numbers of the type. For other types, a cast would round integers of more than 8
// bits before the product.
bool fits_bfloat16(DType t) { return t == DType::bfloat16 || size_of(t) == 1; }

Dims leading(const Tensor& x) {
  Dims result = x.shape;
  result.resize(x.rank() - 2, 0);
  return result;
}

// The operands as stacks of matrices, and the shapes of the product.
struct Arrangement {
  Factor a, b;
  // `vectors` is true if at least one operand is a vector.
  bool vectors = false;
  Dims batch, full, shape;  // the sizes of the stack, of the product as a stack of matrices, and of the result

  Arrangement(const char* op, const Tensor& x1, const Tensor& x2) : a(x1), b(x2) {
    const bool row = x1.rank() == 1, column = x2.rank() == 1;
    vectors = row || column;
    if (row) a = make_view(x1, {1, x1.shape[0]}, {0, x1.strides[0]});
    if (column) b = make_view(x2, {x2.shape[0], 1}, {x2.strides[0], 0});
    batch = broadcast(op, leading(*a), leading(*b));
    full = shape = batch;
    full.push_back(a->shape[a->rank() - 2]);
    full.push_back(b->shape[b->rank() - 1]);
    if (!row) shape.push_back(full[full.size() - 2]);
    if (!column) shape.push_back(full.back());
  }
  // Returns `result` as a stack of matrices.
  Factor stack_of(const Tensor& result) const {
    Factor c(result);
    if (vectors) c = *reshape_view(result, full);
    return c;
  }
};

// Checks that the operands have axes, and that the summed axes have equal sizes.
void check_axes(const char* op, const Tensor& x1, const Tensor& x2) {
  check_alive(op, x1);
  check_alive(op, x2);
  if (x1.rank() == 0 || x2.rank() == 0)
    fail(Status::dimensions_mismatch, op, ": shapes ", x1.shape, " and ", x2.shape,
         " do not fit: each operand needs a dimension");
  const int64_t summed = x2.shape[x2.rank() == 1 ? 0 : x2.rank() - 2];
  if (x1.shape[x1.rank() - 1] != summed)
    fail(Status::dimensions_mismatch, op, ": shapes ", x1.shape, " and ", x2.shape,
         " do not fit: the last size of the first, ", x1.shape[x1.rank() - 1], ", must be ", summed);
}

// Returns true if int32 sums are faster than sums in the operands' type, and have the same low bits.
bool gains_by_bytes(const Tensor& x1, const Tensor& x2) {
  if (!is_byte(x1.dtype) || !is_byte(x2.dtype) || x1.rank() < 2 || x2.rank() < 2) return false;
  const int64_t m = x1.shape[x1.rank() - 2], k = x1.shape[x1.rank() - 1], n = x2.shape[x2.rank() - 1];
  if (m <= costs::few_byte_rows) return m > 1 && work_of(1, k, n) >= costs::large_byte_matrix;
  return n >= costs::least_byte_columns && work_of(m, k, n) >= costs::packed_bytes;
}

// Returns true if the kernels for bfloat16 compute a thin product in less time than the thin kernels.
bool gains_by_bfloat16(const Tensor& c) {
  const Bfloat16Gemm* const gemm = bfloat16_gemm();
  return gemm && gemm->has_tiles && c.shape[c.rank() - 2] <= c.shape[c.rank() - 1];
}

}  // namespace

bool is_byte(DType t) { return t == DType::int8 || t == DType::uint8; }

DType common_type(const char* op, const Tensor& x1, const Tensor& x2) {
  DType result;
  if (!promote(x1.dtype, x2.dtype, result))
    fail(Status::type_mismatch, op, ": ", name(x1.dtype), " and ", name(x2.dtype),
         " have no common type; cast one of them");
  if (!kernels().gemm[static_cast<int>(working_type(result))].block)
    fail(Status::type_mismatch, op, ": elements of type ", name(result), " cannot be multiplied");
  return result;
}

DType working_type(DType t) { return is_half(t) ? DType::float32 : t; }

DType rounded_type(DType common, const Tensor* out) {
  return out && wider_type(common, *out) ? working_type(common) : common;
}

Tensor as_type(const char* op, Tensor x, DType dtype) { return x.dtype == dtype ? std::move(x) : cast(op, x, dtype); }

Tensor swap_last(const Tensor& x) {
  Dims shape = x.shape, strides = x.strides;
  const int r = x.rank();
  std::swap(shape[r - 2], shape[r - 1]);
  std::swap(strides[r - 2], strides[r - 1]);
  return make_view(x, std::move(shape), std::move(strides));
}

void add_in_place(const Tensor& sums, const Tensor& addend) {
  const Operand operands[] = {{&sums, {}}, {&addend, {}}};
  (void)elementwise(Operation::add, operands, &sums);
}

Tensor deliver(const char* op, Tensor result, DType dtype, const Tensor* out) {
  if (!out || out->dtype != dtype) result = as_type(op, std::move(result), dtype);
  if (!out) return result;
  copy_into(op, *out, result);
  return *out;
}

Tensor matmul(const char* op, const Tensor& x1, const Tensor& x2, const Tensor* out, Rounding rounding,
              const Tensor* start) {
  check_axes(op, x1, x2);
  const DType common = common_type(op, x1, x2), dtype = working_type(common);
  const DType result_type = rounding == Rounding::to_operands ? rounded_type(common, out) : dtype;
  if (!start && gains_by_bytes(x1, x2)) {
    if (out) check_out(op, *out, Arrangement(op, x1, x2).shape, common);
    return deliver(op, multiply_integers(op, x1, 0, x2, 0, DType::int32), result_type, out);
  }
  // This path is for the most common product. The operands are two matrices of one type, which is also the type of the
  // sums.
  if (x1.rank() == 2 && x2.rank() == 2 && x1.dtype == x2.dtype && dtype == common && !out && !start) {
    Tensor result = make_empty(op, {x1.shape[0], x2.shape[1]}, dtype);
    run(op, x1, x2, result, {}, nullptr);
    return result;
  }
  const Arrangement arranged(op, x1, x2);
  const Dims& shape = arranged.shape;
  if (out) check_out(op, *out, shape, common);

  // Casts the operands to the type `operand` if necessary, and calls `compute`, whose sums have the type `sums`.
  // Returns nothing if `compute` returns false.
  const auto attempt = [&](DType operand, DType sums, auto compute) -> std::optional<Tensor> {
    const bool direct = out && takes_result(*out, sums, x1, x2);
    Tensor result = direct ? *out : make_empty(op, shape, sums);
    Factor left(*arranged.a), right(*arranged.b), c = arranged.stack_of(result);
    Dims stack = arranged.batch;
    merge_rows(left, *right, c, stack);
    const int64_t m = c->shape[c->rank() - 2], n = c->shape[c->rank() - 1];
    // The kernels for inner products widen float16 and bfloat16 operands in registers. The kernels for a matrix times a
    // vector widen only the matrix in registers.
    const bool inner = m == 1 && n == 1 && left->dtype == right->dtype && !start && left->strides.back() == 1 &&
                       right->strides[right->rank() - 2] == 1;
    const bool thin = is_thin(*left, *right, m, n);
    for (Factor* factor : {&left, &right}) {
      const DType type = (*factor)->dtype;
      const bool narrow = thin ? (factor == &left) == (m > n) : (factor == &left ? n : m) == 1 && m != n;
      const bool widened = is_half(type) && operand == DType::float32 && left->size > 0 && (inner || narrow);
      if (type != operand && !widened) *factor = cast(op, **factor, operand);
    }
    if (!compute(*left, *right, *c, stack)) return std::nullopt;
    return direct ? std::move(result) : deliver(op, std::move(result), result_type, out);
  };
  const auto by_bfloat16 = [&](const Tensor& left, const Tensor& right, const Tensor& c, const Dims& stack) {
    if (is_thin(left, right, c.shape[c.rank() - 2], c.shape[c.rank() - 1]) && !gains_by_bfloat16(c)) return false;
    const bool done = multiply_bfloat16(op, left, right, c, stack);
    if (done && start) add_in_place(c, *start);
    return done;
  };
  const auto by_numbers = [&](const Tensor& left, const Tensor& right, const Tensor& c, const Dims& stack) {
    std::optional<Tensor> first;  // a contiguous `start`
    const int64_t m = c.shape[c.rank() - 2], n = c.shape[c.rank() - 1];
    const bool takes_row = n > 1 && !(m > n && is_thin(left, right, m, n));
    if (start && takes_row) first = to_contiguous(op, *start);
    run(op, left, right, c, stack, first ? first->data : nullptr);
    if (start && !first) add_in_place(c, *start);
    return true;
  };
  if (common == DType::bfloat16 && fits_bfloat16(x1.dtype) && fits_bfloat16(x2.dtype))
    if (const auto result = attempt(common, result_type, by_bfloat16)) return *result;
  return *attempt(dtype, dtype, by_numbers);
}

Tensor multiply_integers(const char* op, const Tensor& x1, int zero1, const Tensor& x2, int zero2, DType sums) {
  check_axes(op, x1, x2);
  const Arrangement arranged(op, x1, x2);
  Tensor result = make_empty(op, arranged.shape, sums);
  Factor left(*arranged.a), c = arranged.stack_of(result);
  Dims stack = arranged.batch;
  merge_rows(left, *arranged.b, c, stack);
  multiply_bytes(op, *left, zero1, *arranged.b, zero2, *c, stack);
  return result;
}

DType sums_type(const char* op, DType common, DType dtype) {
  DType wider;
  if (!promote(common, dtype, wider) || wider != dtype)
    fail(Status::type_mismatch, op, ": dtype ", name(dtype), " cannot hold products of type ", name(common));
  if (is_floating(common) || is_complex(common)) return dtype;
  return is_complex(dtype) ? DType::complex128 : is_floating(dtype) ? DType::float64 : dtype;
}

Tensor matmul_as(const char* op, const Tensor& x1, const Tensor& x2, DType dtype, const Tensor* out,
                 const Tensor* start) {
  check_axes(op, x1, x2);
  const DType common = common_type(op, x1, x2), sums = sums_type(op, common, dtype);
  if (out) check_out(op, *out, Arrangement(op, x1, x2).shape, dtype);
  if (is_byte(x1.dtype) && is_byte(x2.dtype) && size_of(dtype) > 1) {
    const DType exact = is_integer(dtype) && size_of(dtype) <= 4 ? DType::int32 : DType::int64;
    const Tensor found = as_type(op, multiply_integers(op, x1, 0, x2, 0, exact), sums);
    if (start) add_in_place(found, as_type(op, *start, sums));
    return deliver(op, found, dtype, out);
  }
  const bool as_given = dtype == working_type(common);
  const auto factor = [&](const Tensor& x) { return as_given ? x : as_type(op, x, sums); };
  const Tensor first = start ? as_type(op, *start, working_type(sums)) : Tensor{};
  const Rounding rounding = as_given || start ? Rounding::none : Rounding::to_operands;
  return deliver(op, matmul(op, factor(x1), factor(x2), nullptr, rounding, start ? &first : nullptr), dtype, out);
}

}  // namespace suanzi::products
