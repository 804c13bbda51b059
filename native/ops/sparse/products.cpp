#include "ops/sparse/products.h"

#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "kernels/kernel.h"
#include "ops/product/matmul.h"
#include "ops/sparse/arrange.h"
#include "ops/sparse/numbers.h"
#include "ops/sparse/ranges.h"
#include "ops/sparse/sparse.kernels.h"
#include "ops/sparse/values.h"
#include "runtime/costs.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

using products::as_type;
using products::common_type;
using products::working_type;

// Returns true if elements of one place must be summed before a product. The elements are summed in their own type, in
// which integers wrap and the sum of bools is `or`. A product in another type would sum the elements in the other type.
bool sums_first(const Pattern& p, const Tensor& values, DType type) { return !p.canonical && values.dtype != type; }

// The columns of one row of a product, as bits. Between two rows, all bits are clear.
class ColumnSet {
 public:
  static int64_t words(int64_t columns) { return (columns + 63) / 64; }

  ColumnSet(Scratch& memory, int64_t columns) : count_(words(columns)), words_(memory.take<uint64_t>(count_)) {
    std::fill_n(words_, count_, 0);
  }
  // Adds a column to the set. Returns true if the column is new.
  bool insert(int64_t column) {
    uint64_t& word = words_[column / 64];
    const uint64_t bit = uint64_t{1} << (column % 64);
    const bool fresh = !(word & bit);
    word |= bit;
    return fresh;
  }
  void clear() { std::fill_n(words_, count_, 0); }
  // Writes the columns in order, removes the columns from the set, and returns the number of columns. The memory must
  // have room for two more columns after the written columns. The processor cannot predict the number of columns in a
  // word, so the function writes at least two columns for each word.
  template <class Column>
  int64_t drain(Column* out) {
    int64_t at = 0;
    for (int64_t w = 0; w < count_; ++w) {
      uint64_t word = std::exchange(words_[w], 0);
      const auto take = [&] {
        out[at] = static_cast<Column>(64 * w + std::countr_zero(word | uint64_t{1} << 63));
        at += word != 0;
        word &= word - 1;
      };
      take();
      take();
      while (word) take();
    }
    return at;
  }

 private:
  int64_t count_;
  uint64_t* words_;
};

// The patterns of two matrices of compressed rows, a and b, whose product is computed row by row.
template <class Index, class BIndex>
struct RowsTimesRows {
  const int64_t *a_starts, *b_starts;
  const Index* a_columns;
  const BIndex* b_columns;
  int64_t columns;

  // Calls meet(i, j) for each element i in row `row` of a, and each element j in row c of b, where c is the column of
  // element i.
  template <class Meet>
  void walk(int64_t row, const Meet& meet) const {
    for (int64_t i = a_starts[row]; i < a_starts[row + 1]; ++i)
      for (int64_t j = b_starts[a_columns[i]], end = b_starts[a_columns[i] + 1]; j < end; ++j) meet(i, j);
  }
  int64_t products(int64_t row) const {
    int64_t n = 0;
    for (int64_t i = a_starts[row]; i < a_starts[row + 1]; ++i)
      n += b_starts[a_columns[i] + 1] - b_starts[a_columns[i]];
    return n;
  }
  // Returns true if a row has so few products that the code sorts the products. For other rows, the code scans all
  // columns. The scan of all columns is a small part of the work for these rows.
  bool few(int64_t products) const { return products < ColumnSet::words(columns) / 4; }
};

// A product of two elements that contributes to a row of the result. `column` is the product's column, and `number` is
// the product's position in the order in which RowsTimesRows::walk visits the products.
struct Meeting {
  int64_t column, number;
  auto operator<=>(const Meeting&) const = default;
};

template <class Walk>
Meeting* sorted_meetings(const Walk& rows, int64_t row, int64_t n, Scratch& memory) {
  Meeting* const meetings = memory.take<Meeting>(n);
  int64_t at = 0;
  rows.walk(row, [&](int64_t, int64_t j) {
    meetings[at] = {static_cast<int64_t>(rows.b_columns[j]), at};
    ++at;
  });
  std::sort(meetings, meetings + n);
  return meetings;
}

template <class Walk>
void count_columns(const Walk& rows, int64_t first, int64_t last, int64_t* counts) {
  Scratch bits, sorting;
  std::optional<ColumnSet> set;
  for (int64_t row = first; row < last; ++row) {
    const int64_t n = rows.products(row);
    int64_t count = 0;
    if (n == 0) {
    } else if (rows.few(n)) {
      const Meeting* meetings = sorted_meetings(rows, row, n, sorting);
      for (int64_t k = 0; k < n; ++k) count += k == 0 || meetings[k].column != meetings[k - 1].column;
    } else {
      if (!set) set.emplace(bits, rows.columns);
      rows.walk(row, [&](int64_t, int64_t j) { count += set->insert(rows.b_columns[j]); });
      set->clear();
    }
    counts[row] = count;
  }
}

// Computes the rows [first, last) of a product. The function writes the elements of row r to the places starts[r],
// starts[r] + 1, …, and writes the number of these elements to counts[r].
template <class Number, class Walk, class Out>
void compute_rows(const Walk& rows, int64_t first, int64_t last, const void* a, const void* b, const int64_t* starts,
                  int64_t* counts, Out* columns, void* out) {
  using T = typename Number::type;
  const auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  auto* const values = static_cast<T*>(out);
  Scratch bits, sums_memory, drained_memory, sorting, products_memory;
  std::optional<ColumnSet> set;
  T* sums = nullptr;
  Out* drained = nullptr;
  for (int64_t row = first; row < last; ++row) {
    int64_t at = starts[row];
    const int64_t n = rows.products(row);
    if (n == 0) {
    } else if (rows.few(n)) {
      const Meeting* meetings = sorted_meetings(rows, row, n, sorting);
      T* const products = products_memory.take<T>(n);
      int64_t number = 0;
      rows.walk(row, [&](int64_t i, int64_t j) { products[number++] = Number::multiply(x[i], y[j]); });
      for (int64_t k = 0; k < n; ++k) {
        const T product = products[meetings[k].number];
        if (k > 0 && meetings[k].column == meetings[k - 1].column) {
          values[at - 1] = Number::add(values[at - 1], product);
        } else {
          columns[at] = static_cast<Out>(meetings[k].column);
          values[at++] = Number::add(T{}, product);
        }
      }
    } else {
      if (!set) {
        set.emplace(bits, rows.columns);
        sums = sums_memory.take<T>(rows.columns);
        drained = drained_memory.take<Out>(rows.columns + 2);
        std::fill_n(sums, rows.columns, T{});
      }
      rows.walk(row, [&](int64_t i, int64_t j) {
        const int64_t column = rows.b_columns[j];
        set->insert(column);
        sums[column] = Number::add(sums[column], Number::multiply(x[i], y[j]));
      });
      const int64_t count = set->drain(drained);
      for (int64_t k = 0; k < count; ++k) {
        columns[at + k] = drained[k];
        values[at + k] = std::exchange(sums[drained[k]], T{});
      }
      at += count;
    }
    counts[row] = at - starts[row];
  }
}

// Copies rows from their places in one tensor to their places in another tensor.
void copy_rows(const Tensor& to, const int64_t* to_starts, const Tensor& from, const int64_t* from_starts,
               int64_t first, int64_t last) {
  const int size = size_of(to.dtype);
  for (int64_t row = first; row < last; ++row)
    std::memcpy(to.data + to_starts[row] * size, from.data + from_starts[row] * size,
                static_cast<size_t>((to_starts[row + 1] - to_starts[row]) * size));
}

}  // namespace

namespace {

void check_rows(const char* op, const Pattern& p, const Tensor& values) {
  if (p.format != Format::csr) fail(Status::type_mismatch, op, ": the pattern is not one of compressed rows");
  check_values(op, p, values);
  if (values.rank() != 1)
    fail(Status::dimensions_mismatch, op, ": elements are blocks, of values of shape ", values.shape, ", not numbers");
}

void check_product(const char* op, const Pattern& a, const Dims& b) {
  if (b.size() < 1 || b.size() > 2 || a.shape[1] != b[0])
    fail(Status::dimensions_mismatch, op, ": shapes ", a.shape, " and ", b, " do not fit: the second must have ",
         a.shape[1], " rows and one or two dimensions");
}

}  // namespace

Tensor multiply_dense(const char* op, const Pattern& a, const Tensor& values, const Tensor& dense) {
  check_rows(op, a, values);
  check_product(op, a, dense.shape);
  const DType result_type = common_type(op, values, dense), type = working_type(result_type);
  if (sums_first(a, values, type)) {
    const Derived summed = coalesce(op, a);
    return multiply_dense(op, summed.pattern, carry(op, values, summed.origin), dense);
  }
  const int64_t rows = a.shape[0], width = dense.rank() == 2 ? dense.shape[1] : 1;
  const Tensor result = make_empty(op, dense.rank() == 2 ? Dims{rows, width} : Dims{rows}, type);
  if (result.size == 0) return as_type(op, result, result_type);
  const Tensor x = to_contiguous(op, as_type(op, values, type)), y = to_contiguous(op, as_type(op, dense, type));
  const SparseKernels& table = *kernels().sparse;
  const auto& kernel = width == 1 ? table.vector : table.matrix;
  const RowProductsKernel run = kernel[a.indices.dtype == DType::int64][static_cast<int>(type)];
  const auto* starts = a.starts.as<int64_t>();
  share_rows(starts, rows, a.count() * std::min<int64_t>(width, 1024), [&](int64_t first, int64_t last) {
    run({starts, a.indices.data, x.data, y.data, width, result.data, first, last});
  });
  return as_type(op, result, result_type);
}

Product multiply_rows(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b,
                      const Tensor& b_values) {
  check_rows(op, a, a_values);
  check_rows(op, b, b_values);
  check_product(op, a, b.shape);
  const DType result_type = common_type(op, a_values, b_values), type = working_type(result_type);
  if (sums_first(a, a_values, type)) {
    const Derived summed = coalesce(op, a);
    return multiply_rows(op, summed.pattern, carry(op, a_values, summed.origin), b, b_values);
  }
  if (sums_first(b, b_values, type)) {
    const Derived summed = coalesce(op, b);
    return multiply_rows(op, a, a_values, summed.pattern, carry(op, b_values, summed.origin));
  }
  const Tensor x = to_contiguous(op, as_type(op, a_values, type)), y = to_contiguous(op, as_type(op, b_values, type));
  const int64_t rows = a.shape[0], columns = b.shape[1];
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64);
  auto* const begin = starts.as<int64_t>();
  begin[0] = 0;
  Tensor indices, values;
  with_index(a, [&]<class Index>() {
    with_index(b, [&]<class BIndex>() {
      const RowsTimesRows<Index, BIndex> walk{a.starts.as<int64_t>(), b.starts.as<int64_t>(), a.row<Index>(0),
                                              b.row<BIndex>(0), columns};
      Scratch bounds_memory;
      auto* const bounds = bounds_memory.take<int64_t>(rows + 1);
      bounds[0] = 0;
      for (int64_t row = 0; row < rows; ++row)
        if (__builtin_add_overflow(bounds[row], walk.products(row), &bounds[row + 1]))
          fail(Status::alloc_failed, op, ": there are more products than 64 bits can count");
      const int64_t work = bounds[rows];
      const auto allocate = [&](int64_t count) {
        indices = make_empty(op, {count}, b.indices.dtype);
        values = make_empty(op, {count}, type);
      };
      const auto compute = [&](const int64_t* places, int64_t* counts) {
        with_number(type, [&]<class Number>() {
          share_rows(bounds, rows, work, [&](int64_t first, int64_t last) {
            compute_rows<Number>(walk, first, last, x.data, y.data, places, counts, indices.as<BIndex>(), values.data);
          });
        });
      };
      if (work <= costs::roomy_products) {
        allocate(work);
        compute(bounds, begin + 1);
        std::partial_sum(begin, begin + rows + 1, begin);
        const Tensor wide_indices = indices, wide_values = values;
        allocate(begin[rows]);
        share_elements(rows, work, [&](int64_t first, int64_t last) {
          copy_rows(indices, begin, wide_indices, bounds, first, last);
          copy_rows(values, begin, wide_values, bounds, first, last);
        });
      } else {
        share_rows(bounds, rows, work,
                   [&](int64_t first, int64_t last) { count_columns(walk, first, last, begin + 1); });
        std::partial_sum(begin, begin + rows + 1, begin);
        allocate(begin[rows]);
        Scratch counts;
        compute(begin, counts.take<int64_t>(rows));
      }
    });
  });
  Pattern p{Format::csr, {rows, columns}, indices, starts, b.index_type, a.starts_type, true};
  if (p.count() > std::numeric_limits<int32_t>::max()) p.starts_type = DType::int64;
  return {std::move(p), as_type(op, values, result_type)};
}

}  // namespace suanzi::sparse
