#include "ops/sparse/arrange.h"

#include <cstring>
#include <limits>
#include <numeric>

#include "base/element_size.h"
#include "kernels/kernel.h"
#include "ops/sort/sort.h"
#include "ops/sort/sort.kernels.h"
#include "ops/sparse/buckets.h"
#include "ops/sparse/occurrences.h"
#include "ops/sparse/ranges.h"
#include "ops/sparse/rows.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::sparse {
namespace {

// --- sorting within rows ---

// An element as one word, which consists of the element's column and the element's number in the pattern. Words are
// ordered by column, and words of one column are ordered by number. The column and the number each have at most 31
// bits.
using Word = uint64_t;
constexpr int64_t column_of(Word word) { return static_cast<int64_t>(word >> 32); }
constexpr int64_t element_of(Word word) { return static_cast<int64_t>(word & 0xffffffff); }
constexpr Word word_of(int32_t column, int64_t element) {
  return static_cast<Word>(column) << 32 | static_cast<Word>(element);
}
bool fits_words(const Pattern& p) {
  return p.indices.dtype == DType::int32 && p.count() <= std::numeric_limits<int32_t>::max();
}

// The words of each row, one row after the other.
struct Rows {
  Tensor starts;  // the starts of the rows (int64)
  Tensor words;   // the words of all rows (uint64)
};

Rows distribute_words(const char* op, const int32_t* row, const int32_t* column, int64_t n, int64_t rows) {
  Rows result{make_empty(op, {rows + 1}, DType::int64), make_empty(op, {n}, DType::uint64)};
  auto* const words = result.words.as<Word>();
  distribute(
      n, rows, result.starts.as<int64_t>(), [=](int64_t i) { return row[i]; },
      [=](int64_t) { return [=](int64_t place, int64_t i) { words[place] = word_of(column[i], i); }; });
  return result;
}

// Returns the words of the elements of compressed rows. The starts of the rows are the starts in the pattern.
Rows words_of(const char* op, const Pattern& p) {
  Rows result{p.starts, make_empty(op, {p.count()}, DType::uint64)};
  const auto* columns = p.row<int32_t>(0);
  auto* const words = result.words.as<Word>();
  for (int64_t i = 0; i < p.count(); ++i) words[i] = word_of(columns[i], i);
  return result;
}

void sort_rows(const Rows& rows) {
  const auto* starts = rows.starts.as<int64_t>();
  auto* const words = rows.words.as<Word>();
  share_rows(starts, rows.starts.size - 1, rows.words.size, [&](int64_t first, int64_t last) {
    int64_t longest = 0;
    for (int64_t r = first; r < last; ++r) longest = std::max(longest, starts[r + 1] - starts[r]);
    Scratch memory;
    Word* const scratch = memory.take<Word>(longest);
    for (int64_t r = first; r < last; ++r) {
      Word* const begin = words + starts[r];
      const int64_t count = starts[r + 1] - starts[r];
      if (!std::is_sorted(begin, begin + count)) kernels().sorting->wide.sort(begin, scratch, count, count);
    }
  });
}

bool starts_run(const Word* words, int64_t i) { return i == 0 || column_of(words[i]) != column_of(words[i - 1]); }

// Makes compressed rows from sorted words, and unites elements at the same place.
Derived compress(const char* op, const Pattern& source, const Rows& sorted) {
  const int64_t n = sorted.words.size, rows = sorted.starts.size - 1;
  const auto* words = sorted.words.as<Word>();
  const auto* from = sorted.starts.as<int64_t>();
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64);
  auto* const begin = starts.as<int64_t>();
  begin[0] = 0;
  share_rows(from, rows, n, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      int64_t count = 0;
      for (int64_t i = from[r]; i < from[r + 1]; ++i) count += starts_run(words + from[r], i - from[r]);
      begin[r + 1] = count;
    }
  });
  std::partial_sum(begin, begin + rows + 1, begin);
  const int64_t places = begin[rows];
  const Tensor columns = make_empty(op, {places}, DType::int32), elements = make_empty(op, {n}, DType::int64);
  Tensor runs;
  if (places < n) {
    runs = make_empty(op, {places + 1}, DType::int64);
    runs.as<int64_t>()[places] = n;
  }
  share_rows(from, rows, n, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      int64_t place = begin[r];
      for (int64_t i = from[r]; i < from[r + 1]; ++i) {
        elements.as<int64_t>()[i] = element_of(words[i]);
        if (!starts_run(words + from[r], i - from[r])) continue;
        columns.as<int32_t>()[place] = static_cast<int32_t>(column_of(words[i]));
        if (runs.storage) runs.as<int64_t>()[place] = i;
        ++place;
      }
    }
  });
  return {{Format::csr, source.shape, columns, starts, source.index_type, source.starts_type, true},
          {.from = elements, .runs = runs}};
}

// --- sorting by places ---

// Returns the order (int64) that makes coordinates row-major. Elements of one place keep their order. The function
// sorts coordinates by several axes at a time, from the last axes to the first. int64 can number the places along the
// axes of each sort.
Tensor row_major(const char* op, const Pattern& p) {
  Tensor order;
  for (int last = p.rank(), first = last; last > 0; last = first) {
    int64_t places = p.shape[--first];
    while (first > 0 && !__builtin_mul_overflow(places, p.shape[first - 1], &places)) --first;
    const Tensor keys = linear_places(op, p, first, last);
    if (!order.storage) {
      order = argsort(keys, 0, false);
    } else {
      order = pick(order, argsort(pick(keys, order), 0, false));
    }
  }
  return order;
}

// Returns the canonical pattern of sorted coordinates. `order` is the order that sorts the coordinates of p. If `order`
// is empty, the coordinates are already sorted, but may repeat places.
Derived unite(const char* op, const Pattern& p, const Tensor& order) {
  const int64_t n = p.count();
  return with_index(p, [&]<class Index>() -> Derived {
    const auto element = [&](int64_t i) { return order.storage ? order.as<int64_t>()[i] : i; };
    const auto starts = [&](int64_t i) {
      if (i == 0) return true;
      for (int axis = 0; axis < p.rank(); ++axis)
        if (p.row<Index>(axis)[element(i)] != p.row<Index>(axis)[element(i - 1)]) return true;
      return false;
    };
    int64_t places = 0;
    for (int64_t i = 0; i < n; ++i) places += starts(i);
    const Tensor indices = make_empty(op, {p.rank(), places}, p.indices.dtype);
    const Tensor runs = make_empty(op, {places + 1}, DType::int64);
    runs.as<int64_t>()[places] = n;
    for (int64_t i = 0, place = 0; i < n; ++i) {
      if (!starts(i)) continue;
      for (int axis = 0; axis < p.rank(); ++axis)
        indices.as<Index>()[axis * places + place] = p.row<Index>(axis)[element(i)];
      runs.as<int64_t>()[place++] = i;
    }
    return {make_coordinates(p.shape, indices, p.index_type, true),
            {.from = order, .runs = places < n ? runs : Tensor{}}};
  });
}

// --- formats ---

// Makes compressed rows from canonical coordinates.
Pattern compress(const char* op, const Pattern& p) {
  const int64_t n = p.count(), rows = p.shape[0];
  checked_size(op, {rows, 2}, DType::int64);
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64);
  auto* const begin = starts.as<int64_t>();
  with_index(p, [&]<class Index>() {
    const Index* row = p.row<Index>(0);
    int64_t next = 0;
    for (int64_t i = 0; i < n; ++i)
      for (; next <= row[i]; ++next) begin[next] = i;
    for (; next <= rows; ++next) begin[next] = n;
  });
  const Tensor columns = make_view(p.indices, {n}, {1}, p.indices.strides[0]);
  const DType wanted = index_type_for({p.shape[1]});
  return {Format::csr, p.shape,      wanted == columns.dtype ? clone(op, columns) : cast(op, columns, wanted),
          starts,      p.index_type, p.index_type,
          true};
}

Origin follow(const Origin& first, const Origin& second) {
  if (!first.moves()) return second;
  if (!second.moves()) return first;
  return {.from = pick(first.from, second.from), .runs = second.runs};
}

// Converts a result with coordinates to `format`, which is the format of the pattern from which the result was
// computed.
Derived in_format(const char* op, Format format, Derived derived) {
  if (format == Format::coo) return derived;
  const Derived rows = to_rows(op, derived.pattern);
  return {rows.pattern, follow(derived.origin, rows.origin)};
}

}  // namespace

Derived to_rows(const char* op, const Pattern& p) {
  if (p.rank() != 2)
    fail(Status::dimensions_mismatch, op, ": compressed rows need two dimensions, not shape ", p.shape);
  if (p.format == Format::csr) return coalesce(op, p);
  if (p.canonical) return {compress(op, p), {}};
  if (!fits_words(p)) {
    Derived sorted = unite(op, p, row_major(op, p));
    return {compress(op, sorted.pattern), sorted.origin};
  }
  const Rows rows = distribute_words(op, p.row<int32_t>(0), p.row<int32_t>(1), p.count(), p.shape[0]);
  sort_rows(rows);
  return compress(op, p, rows);
}

Derived coalesce(const char* op, const Pattern& p) {
  if (p.canonical) return {p, {}};
  if (p.format == Format::coo) {
    if (p.rank() != 2 || !fits_words(p) || p.shape[0] > 4 * p.count()) return unite(op, p, row_major(op, p));
    // The code distributes the elements to the rows in one pass, instead of sorting all elements.
    const Derived rows = to_rows(op, p);
    return {to_coordinates(op, rows.pattern), rows.origin};
  }
  if (!fits_words(p)) {
    const Derived sorted = coalesce(op, to_coordinates(op, p));
    return {compress(op, sorted.pattern), sorted.origin};
  }
  const Rows rows = words_of(op, p);
  sort_rows(rows);
  return compress(op, p, rows);
}

Derived permute(const char* op, const Pattern& p, const Dims& axes) {
  bool same = true;
  for (int i = 0; i < axes.size(); ++i) same = same && axes[i] == i;
  if (same) return {p, {}};
  const Pattern from = to_coordinates(op, p);
  const int64_t n = from.count();
  Dims shape;
  for (const int64_t axis : axes) shape.push_back(p.shape[static_cast<int>(axis)]);
  // Indices never change, so the result can be a view of the two rows of coordinates in reverse order.
  if (p.rank() == 2) {
    const int64_t step = from.indices.strides[0];
    const Tensor swapped = make_view(from.indices, {2, n}, {-step, 1}, step);
    return in_format(op, p.format, {make_coordinates(shape, swapped, from.index_type, false), {}});
  }
  const Tensor indices = make_empty(op, {p.rank(), n}, from.indices.dtype);
  const int64_t bytes = n * size_of(indices.dtype);
  for (int i = 0; i < axes.size(); ++i)
    std::copy_n(from.indices.data + axes[i] * bytes, bytes, indices.data + i * bytes);
  return in_format(op, p.format, {make_coordinates(shape, indices, from.index_type, false), {}});
}

bool transposes_at_once(const Pattern& p, const Tensor& values, const Dims& axes) {
  const bool fits = p.count() <= std::numeric_limits<int32_t>::max() && p.indices.dtype == DType::int32 &&
                    index_type_for(p.shape) == DType::int32;
  return p.format == Format::csr && p.canonical && fits && values.rank() == 1 && axes[0] == 1;
}

Transposed transpose_rows(const char* op, const Pattern& p, const Tensor& values) {
  const int64_t n = p.count(), rows = p.shape[1];
  checked_size(op, {rows, 2}, DType::int64);
  const Tensor x = to_contiguous(op, values), result = make_empty(op, {n}, x.dtype);
  const Tensor starts = make_empty(op, {rows + 1}, DType::int64), columns = make_empty(op, {n}, DType::int32);
  const auto *old_starts = p.starts.as<int64_t>(), *old_end = old_starts + p.shape[0];
  const auto* column = p.row<int32_t>(0);
  for_element_size(size_of(x.dtype), [&]<int Size>() {
    distribute(
        n, rows, starts.as<int64_t>(), [=](int64_t i) { return column[i]; },
        [=, to = columns.as<int32_t>(), in = x.data, out = result.data](int64_t first) {
          // The loop visits the elements in their order, row by row.
          int64_t row = std::upper_bound(old_starts, old_end, first) - old_starts - 1;
          return [=](int64_t place, int64_t i) mutable {
            while (old_starts[row + 1] <= i) ++row;
            to[place] = static_cast<int32_t>(row);
            std::memcpy(out + place * Size, in + i * Size, Size);
          };
        });
  });
  const DType shown = make_coordinates({p.shape[0]}, columns, p.index_type, true).index_type;
  return {{Format::csr, {rows, p.shape[0]}, columns, starts, shown, p.starts_type, true}, result};
}

Derived slice(const char* op, const Pattern& p, const Slice* slices) {
  if (p.format == Format::csr) return slice_rows(op, p, slices[0], slices[1]);
  const int64_t n = p.count();
  Dims shape;
  bool ascending = true;
  for (int axis = 0; axis < p.rank(); ++axis) {
    shape.push_back(slices[axis].count);
    ascending = ascending && slices[axis].step > 0;
  }
  Scratch memory;
  auto* const kept = memory.take<uint8_t>(n);
  std::fill_n(kept, n, 1);
  return with_index(p, [&]<class Index>() -> Derived {
    for (int axis = 0; axis < p.rank(); ++axis) {
      const Slice s = slices[axis];
      const Index* index = p.row<Index>(axis);
      if (s.step == 1 && s.count == p.shape[axis]) continue;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t distance = int64_t{index[i]} - s.start;
        const int64_t at = s.step == 1 ? distance : distance % s.step == 0 ? distance / s.step : -1;
        kept[i] &= static_cast<uint64_t>(at) < static_cast<uint64_t>(s.count);
      }
    }
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += kept[i];
    const DType type = index_type_for(shape);
    const Tensor indices = make_empty(op, {p.rank(), count}, type), elements = make_empty(op, {count}, DType::int64);
    auto* const from = elements.as<int64_t>();
    for (int64_t i = 0, place = 0; place < count; place += kept[i++]) from[place] = i;
    const auto number = [&](auto* out) {
      for (int axis = 0; axis < p.rank(); ++axis, out += count) {
        const Slice s = slices[axis];
        const Index* index = p.row<Index>(axis);
        for (int64_t k = 0; k < count; ++k) {
          const int64_t distance = int64_t{index[from[k]]} - s.start;
          out[k] = static_cast<std::remove_pointer_t<decltype(out)>>(s.step == 1 ? distance : distance / s.step);
        }
      }
    };
    if (type == DType::int32) {
      number(indices.as<int32_t>());
    } else {
      number(indices.as<int64_t>());
    }
    return {make_coordinates(shape, indices, p.index_type, p.canonical && ascending), {.from = elements}};
  });
}

Derived index_select(const char* op, const Pattern& p, const Tensor& index, int axis) {
  if (p.format == Format::csr)
    return axis == 0 ? select_rows(op, p, index.as<int64_t>(), index.size) : select_columns(op, p, index);
  const int64_t n = p.count(), chosen = index.size;
  const auto* wanted = index.as<int64_t>();
  const Occurrences occurrences(op, index, p.shape[axis], n);
  const bool ascending = std::adjacent_find(wanted, wanted + chosen, std::greater_equal<>{}) == wanted + chosen;
  Dims shape = p.shape;
  shape[axis] = chosen;
  return with_index(p, [&]<class Index>() -> Derived {
    const Index* along = p.row<Index>(axis);
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i)
      if (__builtin_add_overflow(count, static_cast<int64_t>(occurrences.of(along[i]).size()), &count))
        fail(Status::alloc_failed, op, ": the result has more elements than 64 bits can count");
    checked_size(op, {p.rank(), count}, DType::int64);
    const Tensor rows = make_empty(op, {p.rank(), count}, DType::int64),
                 elements = make_empty(op, {count}, DType::int64);
    for (int64_t i = 0, place = 0; i < n; ++i) {
      for (const int64_t at : occurrences.of(along[i])) {
        for (int other = 0; other < p.rank(); ++other)
          rows.as<int64_t>()[other * count + place] = p.row<Index>(other)[i];
        rows.as<int64_t>()[axis * count + place] = at;
        elements.as<int64_t>()[place++] = i;
      }
    }
    const DType type = index_type_for(shape);
    const Tensor indices = type == DType::int64 ? rows : cast(op, rows, type);
    return {make_coordinates(shape, indices, p.index_type, p.canonical && ascending), {.from = elements}};
  });
}

Tensor coalesced_to_dense(const char* op, const Pattern& p, const Tensor& values) {
  if (p.canonical) return to_dense(op, p, values);
  const Derived sorted = coalesce(op, p);
  return to_dense(op, sorted.pattern, carry(op, values, sorted.origin));
}

}  // namespace suanzi::sparse
