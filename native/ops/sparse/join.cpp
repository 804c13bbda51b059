#include "ops/sparse/join.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/sparse/ranges.h"

namespace suanzi::sparse {
namespace {

int64_t sum_of(const char* op, std::span<const Pattern> parts, auto&& size) {
  int64_t sum = 0;
  for (const Pattern& p : parts)
    if (__builtin_add_overflow(sum, size(p), &sum)) fail(Status::alloc_failed, op, ": the sizes add up past 64 bits");
  return sum;
}

// Returns the joined pattern without its indices and starts.
Pattern frame(const char* op, std::span<const Pattern> parts, int axis) {
  const Pattern& first = parts[0];
  Dims shape = first.shape;
  DType index_type = first.index_type, starts_type = first.starts_type;
  bool canonical = axis == 0;
  for (const Pattern& p : parts) {
    bool fits = p.format == first.format && p.rank() == first.rank();
    for (int other = 0; fits && other < first.rank(); ++other)
      fits = other == axis || p.shape[other] == first.shape[other];
    if (!fits)
      fail(Status::dimensions_mismatch, op, ": shapes ", first.shape, " and ", p.shape, " differ in more than axis ",
           axis);
    if (size_of(p.index_type) > size_of(index_type)) index_type = p.index_type;
    if (size_of(p.starts_type) > size_of(starts_type)) starts_type = p.starts_type;
    canonical = canonical && p.canonical;
  }
  shape[axis] = sum_of(op, parts, [axis](const Pattern& p) { return p.shape[axis]; });
  const bool by_rows = first.format == Format::csr;
  const Dims numbered = by_rows ? Dims{shape[1]} : shape;
  Pattern result = make_coordinates(numbered, {}, index_type, canonical);
  result.format = first.format;
  result.shape = shape;
  result.starts_type = starts_type;
  return result;
}

// Writes the n indices of one pattern to `out`, each plus `by`.
template <class From, class To>
void shift(const From* in, int64_t n, int64_t by, To* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<To>(in[i] + by);
}
template <class To>
void shift(const Pattern& p, int axis, int64_t by, To* out) {
  with_index(p, [&]<class From>() { shift(p.row<From>(axis), p.count(), by, out); });
}

// Joins patterns along their rows. The rows of one pattern follow the rows of the previous pattern.
void join_rows(const char* op, std::span<const Pattern> parts, Pattern& result) {
  const int64_t rows = result.shape[0];
  checked_size(op, {rows, 2}, DType::int64);
  result.starts = make_empty(op, {rows + 1}, DType::int64);
  auto* const starts = result.starts.as<int64_t>();
  int64_t row = 0, element = 0;
  with_index(result, [&]<class Index>() {
    for (const Pattern& p : parts) {
      shift(p.starts.as<int64_t>(), p.shape[0], element, starts + row);
      shift(p, 0, 0, result.indices.as<Index>() + element);
      row += p.shape[0];
      element += p.count();
    }
  });
  starts[rows] = element;
}

// Joins patterns along their columns. Each row of the result consists of the same row of all patterns.
Origin join_columns(const char* op, std::span<const Pattern> parts, Pattern& result) {
  const int64_t rows = result.shape[0], count = static_cast<int64_t>(parts.size());
  const int64_t pieces = checked_size(op, {rows, count}, DType::int64);
  checked_size(op, {rows, 2}, DType::int64);
  result.starts = make_empty(op, {rows + 1}, DType::int64);
  const Origin origin{.spans = make_empty(op, {pieces}, DType::int64),
                      .starts = make_empty(op, {pieces + 1}, DType::int64)};
  auto *const starts = result.starts.as<int64_t>(), *const spans = origin.spans.as<int64_t>(),
              *const places = origin.starts.as<int64_t>();
  std::vector<int64_t> elements, columns;  // for each pattern, the counts of all previous patterns
  int64_t element = 0, column = 0;
  for (const Pattern& p : parts) {
    elements.push_back(element);
    columns.push_back(column);
    element += p.count();
    column += p.shape[1];
  }
  with_index(result, [&]<class Index>() {
    int64_t at = 0;
    for (int64_t row = 0; row < rows; ++row) {
      starts[row] = at;
      for (int64_t k = 0; k < count; ++k) {
        const Pattern& p = parts[k];
        const int64_t begin = p.starts.as<int64_t>()[row], n = p.starts.as<int64_t>()[row + 1] - begin;
        spans[row * count + k] = elements[k] + begin;
        places[row * count + k] = at;
        with_index(p, [&]<class From>() {
          shift(p.row<From>(0) + begin, n, columns[k], result.indices.template as<Index>() + at);
        });
        at += n;
      }
    }
    starts[rows] = places[pieces] = at;
  });
  return origin;
}

}  // namespace

Derived join(const char* op, std::span<const Pattern> parts, int axis) {
  Pattern result = frame(op, parts, axis);
  const int64_t n = sum_of(op, parts, [](const Pattern& p) { return p.count(); });
  if (result.format == Format::csr) {
    if (n > std::numeric_limits<int32_t>::max()) result.starts_type = DType::int64;
    result.indices = make_empty(op, {n}, index_type_for({result.shape[1]}));
    if (axis == 1) {
      result.canonical = std::all_of(parts.begin(), parts.end(), [](const Pattern& p) { return p.canonical; });
      Origin origin = join_columns(op, parts, result);
      return {std::move(result), std::move(origin)};
    }
    join_rows(op, parts, result);
    return {std::move(result), {}};
  }
  result.indices = make_empty(op, {result.rank(), n}, index_type_for(result.shape));
  with_index(result, [&]<class Index>() {
    int64_t element = 0, along = 0;
    for (const Pattern& p : parts) {
      for (int other = 0; other < p.rank(); ++other)
        shift(p, other, other == axis ? along : 0, result.indices.as<Index>() + other * n + element);
      element += p.count();
      along += p.shape[axis];
    }
  });
  return {std::move(result), {}};
}

}  // namespace suanzi::sparse
