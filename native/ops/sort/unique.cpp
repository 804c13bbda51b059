// The operator unique computes the distinct elements or slices of a tensor from their order.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "ops/indexing/take.h"
#include "ops/search/compact.kernels.h"
#include "ops/sort/counting.h"
#include "ops/sort/order.h"
#include "ops/sort/sort.h"
#include "ops/sort/sort.kernels.h"
#include "ops/sort/sort_keys.h"
#include "runtime/share.h"
#include "tensor/text.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr const char* op = "unique";

// Returns true if each element of the type has one key. Equal keys then mean equal elements.
bool has_key(DType t) { return !is_complex(t) && t != DType::string; }

// The items of a tensor (elements, or slices of m elements) and their keys of the kind `equal`.
class Items {
 public:
  Items(const Tensor& x, int64_t m) : type_(x.dtype), data_(x.data), m_(m) {
    key_bytes_ = static_cast<size_t>(m * key_bytes(type_) * keys_per_element(type_));
    current_ = memory_[0].take<std::byte>(static_cast<int64_t>(key_bytes_));
    previous_ = memory_[1].take<std::byte>(static_cast<int64_t>(key_bytes_));
  }

  // Returns true if item i differs from the item of the previous call.
  bool is_new(int64_t i) {
    if (type_ == DType::string) return is_new_text(i);
    std::swap(current_, previous_);
    kernels().sorting->encode[static_cast<int>(type_)](current_, data_ + i * m_ * size_of(type_), m_,
                                                       {Keys::equal, false});
    if (m_ == 1 && is_complex(type_)) unite_nans(i);
    return std::exchange(first_, false) || std::memcmp(current_, previous_, key_bytes_) != 0;
  }

 private:
  // Returns true if string i differs from the string of the previous call. The function compares strings directly,
  // because strings have no key.
  bool is_new_text(int64_t i) {
    const auto* const item = reinterpret_cast<const Text*>(data_) + i * m_;
    const auto* const before = std::exchange(text_, item);
    return !before || !std::equal(item, item + m_, before, [](const Text& a, const Text& b) { return equal(a, b); });
  }

  // Sets the keys of a complex number with a NaN in either part to constants, so that all these numbers are equal.
  void unite_nans(int64_t i) {
    const auto has_nan = [](const auto* parts) { return parts[0] != parts[0] || parts[1] != parts[1]; };
    const std::byte* const element = data_ + i * size_of(type_);
    const bool nan = type_ == DType::complex64 ? has_nan(reinterpret_cast<const float*>(element))
                                               : has_nan(reinterpret_cast<const double*>(element));
    if (nan) std::memset(current_, 0xff, key_bytes_);
  }

  DType type_;
  const std::byte* data_;
  int64_t m_;
  size_t key_bytes_;
  Scratch memory_[2];
  std::byte *current_, *previous_;
  bool first_ = true;
  const Text* text_ = nullptr;  // the item of the previous call
};

// Writes the lexicographic order of `count` slices of m elements. The function sorts stably by each column, from the
// last column to the first.
void order_slices(uint64_t* order, const Tensor& x, int64_t count, int64_t m) {
  Scratch memory, column_memory;
  auto* const by_column = memory.take<uint64_t>(2 * count);
  auto* const next = by_column + count;
  const int size = size_of(x.dtype);
  auto* const column = column_memory.take<std::byte>(count * size);
  Orderer orderer(x.dtype, false);
  for (int64_t i = 0; i < count; ++i) order[i] = static_cast<uint64_t>(i);
  for (int64_t j = m - 1; j >= 0; --j) {
    for (int64_t i = 0; i < count; ++i) next[i] = order[i] * static_cast<uint64_t>(m) + static_cast<uint64_t>(j);
    take_elements(column, x.data, next, count, size);
    orderer(by_column, column, count);
    std::copy_n(order, count, next);
    for (int64_t i = 0; i < count; ++i) order[i] = next[by_column[i]];
  }
}

std::optional<Tensor> make_indices(bool wanted, const Dims& shape) {
  return wanted ? std::optional(make_empty(op, shape, DType::int64)) : std::nullopt;
}

// Writes to `starts` each position in `order` at which the element differs from its predecessor. Returns the number of
// these positions.
template <class Key>
int64_t starts_of_runs(int64_t* starts, const Tensor& x, int64_t count, const uint64_t* order) {
  const auto encode = kernels().sorting->encode[static_cast<int>(x.dtype)];
  const int size = size_of(x.dtype);
  alignas(64) std::byte elements[key_tile * sizeof(Key)];
  alignas(64) Key keys[key_tile];
  Key last = 0;
  int64_t found = 0;
  for (int64_t start = 0; start < count; start += key_tile) {
    const int64_t some = std::min(key_tile, count - start);
    take_elements(elements, x.data, order + start, some, size);
    encode(keys, elements, some, {Keys::equal, false});
    if (start == 0) last = static_cast<Key>(~keys[0]);
    for (int64_t i = 0; i < some; ++i) {
      // The next step overwrites this entry if the run continues. The memory has room for all positions.
      starts[found] = start + i;
      found += keys[i] != std::exchange(last, keys[i]);
    }
  }
  return found;
}

int64_t starts_of_runs(int64_t* starts, const Tensor& x, int64_t count, int64_t m, const uint64_t* order) {
  if (m == 1 && has_key(x.dtype))
    return key_bytes(x.dtype) == 4 ? starts_of_runs<uint32_t>(starts, x, count, order)
                                   : starts_of_runs<uint64_t>(starts, x, count, order);
  int64_t found = 0;
  Items items(x, m);
  for (int64_t i = 0; i < count; ++i)
    if (items.is_new(static_cast<int64_t>(order[i]))) starts[found++] = i;
  return found;
}

// Returns the distinct items among `count` items of the contiguous x. Each item has m elements, and `order` is the
// order of the items.
Unique distinct(const Tensor& x, int64_t count, int64_t m, const uint64_t* order, bool indices, bool inverse,
                bool counts, const Dims& inverse_shape) {
  Scratch memory;
  // `first` receives the positions in `order` at which items differ from their predecessors.
  auto* const first = memory.take<int64_t>(count + 1);
  const int64_t found = starts_of_runs(first, x, count, m, order);
  first[found] = count;

  Unique result{make_empty(op, {found, m}, x.dtype), make_indices(indices, {found}),
                make_indices(inverse, inverse_shape), make_indices(counts, {found})};
  const int64_t bytes = m * size_of(x.dtype);
  for (int64_t u = 0; u < found; ++u) {
    const auto item = static_cast<int64_t>(order[first[u]]);
    if (bytes) std::memcpy(result.values.data + u * bytes, x.data + item * bytes, static_cast<size_t>(bytes));
    if (indices) result.indices->as<int64_t>()[u] = item;
    if (counts) result.counts->as<int64_t>()[u] = first[u + 1] - first[u];
    for (int64_t i = first[u]; inverse && i < first[u + 1]; ++i) result.inverse->as<int64_t>()[order[i]] = u;
  }
  keep_referents(result.values, x);
  return result;
}

// Moves the first element of each run of equal elements in a sorted row to the front, and returns the number of these
// elements. `before` is the element before the row, or null if no element precedes the row. `starts`, unless null,
// receives the positions of these elements.
template <class Key, class Bits>
int64_t compact(std::byte* row, DType type, int64_t n, const std::byte* before, int64_t* starts) {
  const auto encode = kernels().sorting->encode[static_cast<int>(type)];
  const TruthKernel truth = kernels().compact->truth[static_cast<int>(dtype_of<Key>)];
  const CompressKernel compress = kernels().compact->compress[std::countr_zero(sizeof(Bits))];
  auto* const elements = reinterpret_cast<Bits*>(row);
  alignas(64) Key keys[key_tile], changes[key_tile];
  alignas(64) Bits kept[key_tile];
  uint64_t is_new[key_tile / 64];
  Key last = 0;
  if (before) encode(&last, before, 1, {Keys::equal, false});
  int64_t found = 0;
  for (int64_t start = 0; start < n; start += key_tile) {
    const int64_t count = std::min(key_tile, n - start);
    encode(keys, elements + start, count, {Keys::equal, false});
    changes[0] = start == 0 && !before ? Key{1} : keys[0] ^ last;
    for (int64_t i = 1; i < count; ++i) changes[i] = keys[i] ^ keys[i - 1];
    last = keys[count - 1];
    const int64_t some = truth(is_new, changes, count);
    compress(kept, elements + start, is_new, count, some);
    std::copy_n(kept, some, elements + found);
    if (starts) {
      int64_t* at = starts + found;
      for (int64_t i = 0; i < count; i += 64)
        for (uint64_t bits = is_new[i / 64]; bits && at < starts + found + some; bits &= bits - 1)
          *at++ = start + i + std::countr_zero(bits);
    }
    found += some;
  }
  return found;
}

int64_t compact(std::byte* row, DType type, int64_t n, const std::byte* before, int64_t* starts) {
  switch (size_of(type)) {
    case 1:
      return compact<uint32_t, uint8_t>(row, type, n, before, starts);
    case 2:
      return compact<uint32_t, uint16_t>(row, type, n, before, starts);
    case 4:
      return compact<uint32_t, uint32_t>(row, type, n, before, starts);
    default:
      return compact<uint64_t, uint64_t>(row, type, n, before, starts);
  }
}

// A part of the sorted row, the element before this part, and the number of kept elements of the part. `starts` holds
// the positions of the kept elements in the part if the caller requests the counts.
struct Stretch {
  std::byte* row;
  int64_t first, size;
  std::array<std::byte, sizeof(uint64_t)> before;
  int64_t kept;
  int64_t* starts;
};

// Writes the number of occurrences of each distinct element, which is the distance from the element's first position to
// the first position of the next element.
void write_counts(int64_t* counts, std::span<const Stretch> stretches, int64_t size) {
  std::vector<int64_t> places, ends(stretches.size());
  for (int64_t place = 0; const Stretch& stretch : stretches)
    places.push_back(std::exchange(place, place + stretch.kept));
  for (int64_t end = size; const size_t i : std::views::iota(size_t{0}, stretches.size()) | std::views::reverse) {
    ends[i] = end;
    if (stretches[i].kept) end = stretches[i].first + stretches[i].starts[0];
  }
  parallel_for(std::ssize(stretches), [&](int64_t part) {
    const auto i = static_cast<size_t>(part);
    const Stretch& s = stretches[i];
    for (int64_t u = 0; u < s.kept; ++u)
      counts[places[i] + u] = (u + 1 < s.kept ? s.first + s.starts[u + 1] : ends[i]) - (s.first + s.starts[u]);
  });
}

// Computes the distinct elements, and their counts if `counts` is true, without their indices. This computation does
// not need the order of the elements.
Unique unique_values(const Tensor& flat, bool counts) {
  const Tensor sorted = sort(flat, 0, false);
  const int64_t bytes = size_of(flat.dtype);
  Scratch memory;
  auto* const starts = counts ? memory.take<int64_t>(flat.size) : nullptr;
  std::vector<Stretch> stretches(static_cast<size_t>(std::clamp<int64_t>(flat.size / chunk_keys, 1, num_threads())));
  const auto count = std::ssize(stretches);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = flat.size / count * i, last = i + 1 == count ? flat.size : flat.size / count * (i + 1);
    Stretch& stretch = stretches[static_cast<size_t>(i)];
    stretch.row = sorted.data + first * bytes;
    stretch.first = first;
    stretch.size = last - first;
    stretch.starts = starts ? starts + first : nullptr;
    if (i > 0) std::memcpy(stretch.before.data(), stretch.row - bytes, static_cast<size_t>(bytes));
  }
  parallel_for(count, [&](int64_t i) {
    Stretch& stretch = stretches[static_cast<size_t>(i)];
    stretch.kept =
        compact(stretch.row, flat.dtype, stretch.size, i > 0 ? stretch.before.data() : nullptr, stretch.starts);
  });
  int64_t found = 0;
  for (const Stretch& stretch : stretches) found += stretch.kept;
  const Tensor values = make_empty(op, {found}, flat.dtype);
  std::byte* target = values.data;
  for (const Stretch& stretch : stretches) target = std::copy_n(stretch.row, stretch.kept * bytes, target);
  Unique result{values, std::nullopt, std::nullopt, make_indices(counts, {found})};
  if (counts) write_counts(result.counts->as<int64_t>(), stretches, flat.size);
  return result;
}

// For each of the `found` values, writes the index of the first occurrence, and the element at this index. The results
// for zeros and NaNs therefore have the bits of their first occurrence. The search ends when each value has been found.
template <class Bits>
void find_first(int64_t* first, Bits* values, int64_t found, const Bits* elements, int64_t n, const Bits* place) {
  std::fill_n(first, found, int64_t{-1});
  for (int64_t i = 0, missing = found; i < n && missing > 0; ++i) {
    const Bits pattern = elements[i];
    int64_t& at = first[place[pattern]];
    if (at >= 0) continue;
    at = i;
    values[place[pattern]] = pattern;
    --missing;
  }
  // If the search does not find a value, another thread has changed the value's elements since the code counted the
  // elements.
  std::replace(first, first + found, int64_t{-1}, int64_t{0});
}

// Computes unique for types with few patterns. Counts of the patterns determine the distinct elements, and a table of
// all patterns maps each element to its value. Counts need no sorted indices, which would use eight bytes for each
// element.
template <class Bits>
Unique unique_by_counting(const Tensor& x, bool indices, bool inverse, bool counts, const Dims& inverse_shape) {
  constexpr int64_t patterns = PatternCounts<Bits>::patterns;
  const auto* const elements = x.as<const Bits>();
  PatternCounts<Bits> occurrences;
  occurrences.count(elements, x.size);

  // The patterns are ordered by key. Patterns with the same key (zeros, NaNs) are consecutive.
  Scratch order_memory, key_memory, count_memory, place_memory;
  auto* const in_order = order_memory.take<Bits>(patterns);
  auto* const keys = key_memory.take<uint32_t>(patterns);
  patterns_in_order(in_order, x.dtype, false);
  kernels().sorting->encode[static_cast<int>(x.dtype)](keys, in_order, patterns, {Keys::equal, false});
  // The number of occurrences of each value, and the value of each pattern. A pattern that has not occurred also has a
  // value, because another thread may write this pattern before the code reads the elements again.
  auto* const occurs = count_memory.take<int64_t>(patterns);
  auto* const place = place_memory.take<Bits>(patterns);
  auto* const value = key_memory.get<uint32_t>();  // overwrites the keys, which the code has read
  int64_t found = 0;
  bool unites = false;
  uint32_t last = 0;
  for (int64_t rank = 0; rank < patterns; ++rank) {
    const Bits pattern = in_order[rank];
    const uint32_t key = keys[rank];
    if (const int64_t occurring = occurrences.of(pattern)) {
      if (found > 0 && key == last) {
        occurs[found - 1] += occurring;
        unites = true;
      } else {
        value[found] = pattern;
        occurs[found++] = occurring;
      }
      last = key;
    }
    place[pattern] = static_cast<Bits>(std::max<int64_t>(found - 1, 0));
  }

  Unique result{make_empty(op, {found}, x.dtype), make_indices(indices, {found}), make_indices(inverse, inverse_shape),
                make_indices(counts, {found})};
  auto* const values = result.values.as<Bits>();
  for (int64_t i = 0; i < found; ++i) values[i] = static_cast<Bits>(value[i]);
  if (counts) std::copy_n(occurs, found, result.counts->as<int64_t>());
  if (indices || unites) {
    int64_t* const first = indices ? result.indices->as<int64_t>() : occurs;
    find_first(first, values, found, elements, x.size, place);
  }
  if (inverse) {
    auto* const places = result.inverse->as<int64_t>();
    share(9 * x.size, x.size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) places[i] = place[elements[i]];
    });
  }
  return result;
}

}  // namespace

Unique unique(const Tensor& operand, std::optional<int64_t> axis, bool indices, bool inverse, bool counts) {
  const Tensor x = comparable(op, operand);
  if (!axis) {
    const Tensor flat = reshape(op, x, {x.size});
    if (size_of(x.dtype) == 1 && x.size >= costs::counted_bytes)
      return unique_by_counting<uint8_t>(to_contiguous(op, flat), indices, inverse, counts, x.shape);
    if (size_of(x.dtype) == 2 && x.size >= costs::counted_distinct_halves)
      return unique_by_counting<uint16_t>(to_contiguous(op, flat), indices, inverse, counts, x.shape);
    if (!indices && !inverse && has_key(x.dtype)) return unique_values(flat, counts);
    const Tensor row = to_contiguous(op, flat);
    Scratch memory;
    auto* const order = memory.take<uint64_t>(x.size);
    if (x.size) Orderer(x.dtype, false)(order, row.data, x.size);
    Unique result = distinct(row, x.size, 1, order, indices, inverse, counts, x.shape);
    result.values = *reshape_view(result.values, {result.values.size});
    return result;
  }
  const int along = checked_axis(op, *axis, x.rank());
  Dims axes{along}, back, shape{0};
  for (int i = 0; i < x.rank(); ++i) {
    back.push_back(i == along ? 0 : i < along ? i + 1 : i);
    if (i == along) continue;
    axes.push_back(i);
    shape.push_back(x.shape[i]);
  }
  const Tensor slices = to_contiguous(op, permute(op, x, axes));
  const int64_t count = x.shape[along];
  int64_t m = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (i != along) (void)__builtin_mul_overflow(m, x.shape[i], &m);
  if (x.size == 0 && count) m = 0;
  Scratch memory;
  auto* const order = memory.take<uint64_t>(count);
  order_slices(order, slices, count, m);
  Unique result = distinct(slices, count, m, order, indices, inverse, counts, {count});
  shape[0] = result.values.shape[0];
  result.values = to_contiguous(op, permute(op, *reshape_view(result.values, shape), back));
  return result;
}

}  // namespace suanzi
