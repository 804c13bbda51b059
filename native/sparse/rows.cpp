#include "sparse/rows.h"

#include <numeric>

#include "sparse/ranges.h"

namespace suanzi::sparse {
namespace {

// Rows of which visit(row, put) says what is in them: it calls put(column, element) for each element. It is called
// twice: elements are counted before there is room for them.
template <class Visit>
Derived build_rows(const char* op, const Pattern& p, const Dims& shape, const Visit& visit) {
  const int64_t rows = shape[0];
  checked_size(op, {rows, 2}, DType::int64);
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64);
  auto* const begin = starts.as<int64_t>();
  begin[0] = 0;
  for_ranges(rows, p.count(), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      int64_t count = 0;
      visit(row, [&](int64_t, int64_t) { ++count; });
      begin[row + 1] = count;
    }
  });
  for (int64_t row = 0; row < rows; ++row)
    if (__builtin_add_overflow(begin[row], begin[row + 1], &begin[row + 1]))
      fail(Status::alloc_failed, op, ": more elements than 64 bits count");
  const int64_t n = begin[rows];
  checked_size(op, {n}, DType::int64);
  Pattern result = p;
  result.shape = shape;
  result.starts = starts;
  result.indices = make_empty(op, {n}, index_type_for({shape[1]}));
  if (n > INT32_MAX) result.starts_type = DType::int64;
  const Tensor elements = make_empty(op, {n}, DType::int64);
  with_index(result, [&]<class Index>() {
    auto* const columns = result.indices.as<Index>();
    auto* const from = elements.as<int64_t>();
    for_ranges(rows, n, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        int64_t place = begin[row];
        visit(row, [&](int64_t column, int64_t element) {
          columns[place] = static_cast<Index>(column);
          from[place++] = element;
        });
      }
    });
  });
  return {std::move(result), {elements, {}}};
}

}  // namespace

Derived slice_rows(const char* op, const Pattern& p, const Slice& rows, const Slice& columns) {
  const auto* starts = p.starts.as<int64_t>();
  return with_index(p, [&]<class Index>() {
    const Index* column = p.row<Index>(0);
    return build_rows(op, p, {rows.count, columns.count}, [&](int64_t row, const auto& put) {
      const int64_t from = rows.start + row * rows.step, begin = starts[from], end = starts[from + 1];
      const auto offer = [&](int64_t i) {
        const int64_t distance = int64_t{column[i]} - columns.start;
        const bool hit = columns.step == 1 || distance % columns.step == 0;
        const int64_t at = columns.step == 1 ? distance : distance / columns.step;
        if (hit && at >= 0 && at < columns.count) put(at, i);
      };
      // Columns in order remain so.
      if (columns.step > 0) {
        for (int64_t i = begin; i < end; ++i) offer(i);
      } else {
        for (int64_t i = end; i-- > begin;) offer(i);
      }
    });
  });
}

Derived select_rows(const char* op, const Pattern& p, const int64_t* rows, int64_t count) {
  const auto* starts = p.starts.as<int64_t>();
  return with_index(p, [&]<class Index>() {
    const Index* column = p.row<Index>(0);
    return build_rows(op, p, {count, p.shape[1]}, [&](int64_t row, const auto& put) {
      for (int64_t i = starts[rows[row]]; i < starts[rows[row] + 1]; ++i) put(int64_t{column[i]}, i);
    });
  });
}

}  // namespace suanzi::sparse
