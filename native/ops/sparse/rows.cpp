#include "ops/sparse/rows.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "ops/sparse/occurrences.h"
#include "ops/sparse/ranges.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

// Builds rows. count_of(row) returns the number of elements in a row, and fill(columns, from, first, last, begin)
// writes the elements of the rows [first, last). For each new element k in [begin[first], begin[last]), `fill` writes
// the column to columns[k], and the number of the old element to from[k].
template <class Count, class Fill>
Derived build_rows(const char* op, const Pattern& p, const Dims& shape, const Count& count_of, const Fill& fill) {
  const int64_t rows = shape[0];
  checked_size(op, {rows, 2}, DType::int64);
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64);
  auto* const begin = starts.as<int64_t>();
  begin[0] = 0;
  share_elements(rows, p.count(), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) begin[row + 1] = count_of(row);
  });
  for (int64_t row = 0; row < rows; ++row)
    if (__builtin_add_overflow(begin[row], begin[row + 1], &begin[row + 1]))
      fail(Status::alloc_failed, op, ": the result has more elements than 64 bits can count");
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
    share_elements(rows, n, [&](int64_t first, int64_t last) { fill(columns, from, first, last, begin); });
  });
  return {std::move(result), {.from = elements}};
}

// Builds rows by a function visit(row, put), which calls put(column, element) for each element.
template <class Visit>
Derived visit_rows(const char* op, const Pattern& p, const Dims& shape, const Visit& visit) {
  const auto count_of = [&](int64_t row) {
    int64_t count = 0;
    visit(row, [&](int64_t, int64_t) { ++count; });
    return count;
  };
  return build_rows(op, p, shape, count_of,
                    [&](auto* columns, int64_t* from, int64_t first, int64_t last, const int64_t* begin) {
                      int64_t place = begin[first];
                      for (int64_t row = first; row < last; ++row)
                        visit(row, [&](int64_t column, int64_t element) {
                          columns[place] = static_cast<std::remove_pointer_t<decltype(columns)>>(column);
                          from[place++] = element;
                        });
                    });
}

// Returns the number of ascending columns, among n columns, that are below a bound. The search has no branches, because
// the processor could not predict branches.
template <class Index>
int64_t count_below(const Index* column, int64_t n, int64_t bound) {
  if (n == 0) return 0;
  const Index* at = column;
  while (n > 1) {
    at += n / 2 * (at[n / 2 - 1] < bound);
    n -= n / 2;
  }
  return at - column + (*at < bound);
}

// Builds rows that are parts of old rows. stretch(row) returns the first element and the number of elements. The
// function subtracts `shift` from the columns.
template <class Stretch>
Derived stretch_rows(const char* op, const Pattern& p, const Dims& shape, int64_t shift, const Stretch& stretch) {
  const int64_t rows = shape[0];
  checked_size(op, {rows, 2}, DType::int64);
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64), spans = make_empty(op, {rows}, DType::int64);
  auto *const begin = starts.as<int64_t>(), *const from = spans.as<int64_t>();
  begin[0] = 0;
  share_elements(rows, rows, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) std::tie(from[row], begin[row + 1]) = stretch(row);
  });
  for (int64_t row = 0; row < rows; ++row)
    if (__builtin_add_overflow(begin[row], begin[row + 1], &begin[row + 1]))
      fail(Status::alloc_failed, op, ": the result has more elements than 64 bits can count");
  Pattern result = p;
  result.shape = shape;
  result.starts = starts;
  result.indices = copy_spans(op, p.indices, spans, starts);
  if (shift != 0)
    with_index(result, [&]<class Index>() {
      auto* const column = result.indices.as<Index>();
      for (int64_t i = 0; i < begin[rows]; ++i) column[i] = static_cast<Index>(column[i] - shift);
    });
  if (const DType type = index_type_for({shape[1]}); type != result.indices.dtype)
    result.indices = cast(op, result.indices, type);
  if (begin[rows] > INT32_MAX) result.starts_type = DType::int64;
  return {std::move(result), {.spans = spans, .starts = starts}};
}

}  // namespace

Derived slice_rows(const char* op, const Pattern& p, const Slice& rows, const Slice& columns) {
  const auto* starts = p.starts.as<int64_t>();
  const Dims shape{rows.count, columns.count};
  const bool whole = columns.step == 1 && columns.count == p.shape[1];
  return with_index(p, [&]<class Index>() {
    const Index* column = p.row<Index>(0);
    if (whole || (p.canonical && columns.step == 1))
      return stretch_rows(op, p, shape, whole ? 0 : columns.start, [=](int64_t row) {
        const int64_t old = rows.start + row * rows.step, begin = starts[old], n = starts[old + 1] - begin;
        if (whole) return std::pair(begin, n);
        const int64_t low = count_below(column + begin, n, columns.start),
                      high = count_below(column + begin, n, columns.start + columns.count);
        return std::pair(begin + low, high - low);
      });
    return visit_rows(op, p, shape, [&](int64_t row, const auto& put) {
      const int64_t from = rows.start + row * rows.step, begin = starts[from], end = starts[from + 1];
      const auto offer = [&](int64_t i) {
        const int64_t distance = int64_t{column[i]} - columns.start;
        const bool hit = columns.step == 1 || distance % columns.step == 0;
        const int64_t at = columns.step == 1 ? distance : distance / columns.step;
        if (hit && at >= 0 && at < columns.count) put(at, i);
      };
      // If the step is negative, the loop runs backwards, so that ascending columns stay ascending.
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
  return stretch_rows(op, p, {count, p.shape[1]}, 0, [=](int64_t row) {
    const int64_t old = rows[row];
    return std::pair(starts[old], starts[old + 1] - starts[old]);
  });
}

namespace {

// Selects columns by a table of their new places. The processor could not predict branches on this table. The function
// therefore always writes the first new place of each element. If the column is not selected, the next element
// overwrites this place.
template <class Index>
Derived select_tabled(const char* op, const Pattern& p, int64_t columns, const Occurrences& occurrences) {
  const auto *starts = p.starts.as<int64_t>(), *bounds = occurrences.bounds(), *order = occurrences.order();
  const Index* column = p.row<Index>(0);
  const auto count_of = [=](int64_t row) {
    int64_t count = 0;
    for (int64_t i = starts[row]; i < starts[row + 1]; ++i) count += bounds[column[i] + 1] - bounds[column[i]];
    return count;
  };
  return build_rows(op, p, {p.shape[0], columns}, count_of,
                    [=](auto* out, int64_t* from, int64_t first, int64_t last, const int64_t* begin) {
                      using Out = std::remove_pointer_t<decltype(out)>;
                      int64_t at = begin[first];
                      for (int64_t i = starts[first]; at < begin[last]; ++i) {
                        const int64_t k = bounds[column[i]], count = bounds[column[i] + 1] - k;
                        out[at] = static_cast<Out>(order[k]);
                        from[at] = i;
                        for (int64_t more = 1; more < count; ++more) {
                          out[at + more] = static_cast<Out>(order[k + more]);
                          from[at + more] = i;
                        }
                        at += count;
                      }
                    });
}

}  // namespace

Derived select_columns(const char* op, const Pattern& p, const Tensor& index) {
  const auto *starts = p.starts.as<int64_t>(), *wanted = index.as<int64_t>();
  const Occurrences occurrences(op, index, p.shape[1], p.count());
  const bool ascending = std::adjacent_find(wanted, wanted + index.size, std::greater_equal<>{}) == wanted + index.size;
  return with_index(p, [&]<class Index>() {
    const Index* column = p.row<Index>(0);
    Derived result = occurrences.tabled()
                         ? select_tabled<Index>(op, p, index.size, occurrences)
                         : visit_rows(op, p, {p.shape[0], index.size}, [&](int64_t row, const auto& put) {
                             for (int64_t i = starts[row]; i < starts[row + 1]; ++i)
                               for (const int64_t at : occurrences.of(column[i])) put(at, i);
                           });
    result.pattern.canonical = p.canonical && ascending;
    return result;
  });
}

}  // namespace suanzi::sparse
