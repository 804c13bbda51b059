#include "sparse/merge.h"

#include <cstring>
#include <numeric>

#include "sparse/ranges.h"

namespace suanzi::sparse {
namespace {

// Moves rows of elements from where there was room for more of them.
void close_up(const Tensor& to, const int64_t* to_starts, const Tensor& from, const int64_t* from_starts, int64_t first,
              int64_t last, int64_t axis) {
  const int size = size_of(to.dtype);
  std::byte* const out = to.data + axis * to.shape[to.rank() - 1] * size;
  const std::byte* const in = from.data + axis * from.shape[from.rank() - 1] * size;
  for (int64_t row = first; row < last; ++row)
    std::memcpy(out + to_starts[row] * size, in + from_starts[row] * size,
                static_cast<size_t>((to_starts[row + 1] - to_starts[row]) * size));
}

}  // namespace

Merged merge(const char* op, const Pattern& a, const Pattern& b, bool both) {
  const bool by_rows = a.format == Format::csr;
  const int64_t rows = by_rows ? a.shape[0] : 1, most = a.count() + b.count();
  const int axes = by_rows ? 1 : a.rank();
  const int64_t all_of_a[2] = {0, a.count()}, all_of_b[2] = {0, b.count()};
  const auto *a_starts = by_rows ? a.starts.as<int64_t>() : all_of_a,
             *b_starts = by_rows ? b.starts.as<int64_t>() : all_of_b;
  const auto indices_of = [&](int64_t n) {
    return by_rows ? make_empty(op, {n}, a.indices.dtype) : make_empty(op, {axes, n}, a.indices.dtype);
  };
  const Tensor room = indices_of(most), a_room = make_empty(op, {most}, DType::int64),
               b_room = make_empty(op, {most}, DType::int64);
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64), bounds = make_empty(op, {rows + 1}, DType::int64);
  auto *const begin = starts.as<int64_t>(), *const bound = bounds.as<int64_t>();
  begin[0] = 0;
  for (int64_t row = 0; row <= rows; ++row) bound[row] = a_starts[row] + b_starts[row];
  with_index(a, [&]<class Index>() {
    auto* const index = room.as<Index>();
    auto *const from_a = a_room.as<int64_t>(), *const from_b = b_room.as<int64_t>();
    const auto compare = [&](int64_t i, int64_t j) {
      int order = 0;
      for (int axis = 0; axis < axes && order == 0; ++axis) {
        const Index x = a.row<Index>(axis)[i], y = b.row<Index>(axis)[j];
        order = (x > y) - (x < y);
      }
      return order;
    };
    const auto put = [&](int64_t at, const Pattern& source, int64_t element, int64_t i, int64_t j) {
      for (int axis = 0; axis < axes; ++axis) index[axis * most + at] = source.row<Index>(axis)[element];
      from_a[at] = i;
      from_b[at] = j;
    };
    const auto merge_row = [&](int64_t row) {
      int64_t i = a_starts[row], j = b_starts[row], at = bound[row];
      const int64_t i_end = a_starts[row + 1], j_end = b_starts[row + 1];
      // Which is next nobody can foresee: without branches.
      while (i < i_end && j < j_end) {
        const int order = compare(i, j);
        const bool in_a = order <= 0, in_b = order >= 0;
        put(at, in_a ? a : b, in_a ? i : j, in_a ? i : -1, in_b ? j : -1);
        at += !both || (in_a && in_b);
        i += in_a;
        j += in_b;
      }
      for (; !both && i < i_end; ++i) put(at++, a, i, i, -1);
      for (; !both && j < j_end; ++j) put(at++, b, j, -1, j);
      begin[row + 1] = at - bound[row];
    };
    for_ranges(rows, most, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) merge_row(row);
    });
  });
  std::partial_sum(begin, begin + rows + 1, begin);
  const int64_t n = begin[rows];
  Pattern p = a;
  p.indices = indices_of(n);
  if (by_rows) p.starts = starts;
  if (n > INT32_MAX) p.starts_type = DType::int64;
  const Tensor first_from = make_empty(op, {n}, DType::int64), second_from = make_empty(op, {n}, DType::int64);
  for_ranges(rows, most, [&](int64_t first, int64_t last) {
    for (int axis = 0; axis < axes; ++axis) close_up(p.indices, begin, room, bound, first, last, axis);
    close_up(first_from, begin, a_room, bound, first, last, 0);
    close_up(second_from, begin, b_room, bound, first, last, 0);
  });
  return {std::move(p), {first_from, {}}, {second_from, {}}};
}

}  // namespace suanzi::sparse
