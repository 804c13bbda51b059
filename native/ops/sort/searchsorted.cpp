// The operator searchsorted computes the positions at which values would be inserted into sorted rows.
#include <cstring>

#include "base/bisection.h"
#include "ops/indexing/take.h"
#include "ops/sort/sort.h"
#include "ops/sort/sort.kernels.h"
#include "ops/sort/sort_keys.h"
#include "tensor/text.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr const char* op = "searchsorted";

// The keys of an element with two keys, which the search compares one after the other.
struct KeyPair {
  uint64_t first, second;
  friend bool operator<(const KeyPair& a, const KeyPair& b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  }
};

// An element of type string as its own key.
struct TextKey : Text {
  friend bool operator<(const TextKey& a, const TextKey& b) { return compare(a, b) < 0; }
};

// Writes the keys of n <= key_tile elements.
template <class Key>
void encode(Key* keys, DType type, const std::byte* elements, int64_t n) {
  const auto encode = sorting().encode[static_cast<int>(type)];
  if constexpr (std::is_same_v<Key, TextKey>) {
    std::memcpy(keys, elements, static_cast<size_t>(n) * sizeof(Key));
  } else if constexpr (std::is_same_v<Key, KeyPair>) {
    alignas(64) uint64_t parts[2 * key_tile];
    encode(parts, elements, n, {Keys::equal, false});
    for (int64_t i = 0; i < n; ++i) keys[i] = {parts[i], parts[n + i]};
  } else {
    encode(keys, elements, n, {Keys::equal, false});
  }
}

// The keys of a sorted row. If the search is for many values, the class computes all keys at once. Otherwise, the class
// computes each key when the search needs the key.
template <class Key>
class SortedKeys {
 public:
  SortedKeys(DType type, const std::byte* row, int64_t n, int64_t lookups) : type_(type), row_(row) {
    if (n == 0 || lookups < n / costs::single_search) return;
    auto* const keys = memory_.take<Key>(n);
    const int64_t tiles = (n + key_tile - 1) / key_tile;
    parallel_for(tiles, n < many_keys ? 1 : max_threads, [&](int64_t tile) {
      const int64_t start = tile * key_tile;
      encode(keys + start, type, row + start * size_of(type), std::min(key_tile, n - start));
    });
    keys_ = keys;
  }
  const Key* all() const { return keys_; }
  Key operator[](int64_t i) const {
    Key key;
    encode(&key, type_, row_ + i * size_of(type_), 1);
    return key;
  }

 private:
  DType type_;
  const std::byte* row_;
  const Key* keys_ = nullptr;
  Scratch memory_;
};

template <class Key>
void search_row(int64_t* out, DType type, const std::byte* values, int64_t count, const std::byte* row, int64_t n,
                bool right) {
  const SortedKeys<Key> sorted(type, row, n, count);
  const int64_t tiles = (count + key_tile - 1) / key_tile;
  parallel_for(tiles, count < 4 * key_tile ? 1 : max_threads, [&](int64_t tile) {
    alignas(64) Key keys[key_tile];
    const int64_t start = tile * key_tile, some = std::min(key_tile, count - start);
    encode(keys, type, values + start * size_of(type), some);
    const auto in = [&](const auto& known) {
      right ? bisect<true>(out + start, keys, some, known, n) : bisect<false>(out + start, keys, some, known, n);
    };
    sorted.all() ? in(sorted.all()) : in(sorted);
  });
}

// Returns the rows of `sorted` in the order of `sorter`. The function checks a copy of `sorter`, because another thread
// may write to `sorter`.
Tensor permuted(const Tensor& sorted, const Tensor& sorter) {
  check_alive(op, sorter);
  if (!is_integer(sorter.dtype))
    fail(Status::type_mismatch, op, ": the sorter has element type ", name(sorter.dtype), ", not an integer type");
  if (sorter.shape != sorted.shape)
    fail(Status::dimensions_mismatch, op, ": a sorter of shape ", sorter.shape, " does not fit sorted values of shape ",
         sorted.shape);
  const Tensor order = to_contiguous(op, cast(op, sorter, DType::int64));
  const int64_t n = sorted.shape[sorted.rank() - 1];
  for (int64_t i = 0; i < order.size; ++i)
    if (const int64_t index = order.as<int64_t>()[i]; index < 0 || index >= n)
      fail(Status::out_of_range, op, ": index ", index, " of the sorter is outside [0, ", n, ")");
  const Tensor result = make_empty(op, sorted.shape, sorted.dtype);
  const int size = size_of(sorted.dtype);
  for (int64_t i = 0; i < sorted.size; i += n)
    take_elements(result.data + i * size, sorted.data + i * size, order.as<int64_t>() + i, n, size);
  return result;
}

Tensor as_type(const Tensor& x, DType type) { return to_contiguous(op, x.dtype == type ? x : cast(op, x, type)); }

}  // namespace

Tensor searchsorted(const Tensor& rows, const Tensor& searched, bool right, const Tensor* sorter) {
  const Tensor sorted = comparable(op, rows), values = comparable(op, searched);
  DType type;
  if (!promote(sorted.dtype, values.dtype, type))
    fail(Status::type_mismatch, op, ": ", name(sorted.dtype), " and ", name(values.dtype), " have no common type");
  const int last = sorted.rank() - 1;
  bool fits = last == 0 || (last > 0 && values.rank() == sorted.rank());
  for (int i = 0; fits && i < last; ++i) fits = sorted.shape[i] == values.shape[i];
  if (!fits)
    fail(Status::dimensions_mismatch, op, ": sorted rows of shape ", sorted.shape, " do not fit values of shape ",
         values.shape);
  const Tensor ordered = as_type(sorter ? permuted(to_contiguous(op, sorted), *sorter) : sorted, type);
  const Tensor wanted = as_type(values, type);
  const Tensor result = make_empty(op, values.shape, DType::int64);
  if (result.size == 0) return result;
  const int64_t n = sorted.shape[last], count = last ? values.shape[last] : values.size;
  const auto search = type == DType::string         ? search_row<TextKey>
                      : keys_per_element(type) == 2 ? search_row<KeyPair>
                      : key_bytes(type) == 4        ? search_row<uint32_t>
                                                    : search_row<uint64_t>;
  for (int64_t start = 0, row = 0; start < values.size; start += count, row += n)
    search(result.as<int64_t>() + start, type, wanted.data + start * size_of(type), count,
           ordered.data + row * size_of(type), n, right);
  return result;
}

}  // namespace suanzi
