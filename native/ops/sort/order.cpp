// The stable order of elements, computed by words. A key and its index form one word, and the code sorts words like
// keys. The leading bits are bits of the key, so words have the order of the elements. The index in the lower bits
// makes the order stable. If a word cannot hold all bits of a key, the code finally orders words with equal leading
// bits by the whole keys.
#include "ops/sort/order.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/sort/sort.kernels.h"
#include "ops/sort/sort_keys.h"
#include "tensor/text.h"

namespace suanzi {
namespace {

// The greatest length of a row for which a word of 64 bits holds an index beside a 32-bit key.
constexpr int64_t narrow_limit = int64_t{1} << 32;

// Sorts the words of a run, which differ only in their indices, by the keys of these indices.
void order_run(uint64_t* words, int64_t n, uint64_t mask, const uint64_t* keys) {
  if (n <= costs::short_run) {
    for (int64_t i = 1; i < n; ++i) {
      const uint64_t word = words[i], key = keys[word & mask];
      int64_t at = i;
      for (; at > 0 && key < keys[words[at - 1] & mask]; --at) words[at] = words[at - 1];
      words[at] = word;
    }
    return;
  }
  Scratch scratch;
  auto* const copy = scratch.take<uint64_t>(4 * n);
  uint64_t *const own = copy + n, *const order = own + n, *const spare = order + n;
  for (int64_t i = 0; i < n; ++i) {
    copy[i] = words[i];
    own[i] = keys[words[i] & mask];
  }
  order_keys(order, spare, own, n);
  for (int64_t i = 0; i < n; ++i) words[i] = copy[order[i]];
}

// Sorts each run of words by the keys of their indices. same(i) returns true if word i is in the run of word i - 1.
template <class Same>
void order_runs(uint64_t* words, int64_t n, uint64_t mask, const uint64_t* keys, const Same& same) {
  // Each chunk ends at the end of a run, so no chunk reads elements that another chunk writes.
  const auto next_run = [&](int64_t i) {
    while (i < n && same(i)) ++i;
    return i;
  };
  std::vector<int64_t> ends;
  for (int64_t end = 0; end < n;) ends.push_back(end = next_run(std::min(n, end + many_keys)));
  parallel_for(static_cast<int64_t>(ends.size()), [&](int64_t chunk) {
    const int64_t end = ends[static_cast<size_t>(chunk)];
    for (int64_t i = chunk ? ends[static_cast<size_t>(chunk) - 1] : 0; i < end;) {
      const int64_t next = next_run(i + 1);
      if (next - i > 1) order_run(words + i, next - i, mask, keys);
      i = next;
    }
  });
}

// Sorts the n words that source(tile, start, count) writes, and stores the sorted words in `words`. The function keeps
// only the bits of `mask`.
template <class Source>
void sort_words(uint64_t* words, uint64_t* scratch, int64_t n, uint64_t mask, const Source& source) {
  if (n < many_keys) {
    source(words, 0, n);
    sorting().wide.sort(words, scratch, n, n);
    for (int64_t i = 0; i < n; ++i) words[i] &= mask;
    return;
  }
  sort_many(n, source, scratch, words, [&](int64_t start, const uint64_t* sorted, int64_t count) {
    for (int64_t i = 0; i < count; ++i) words[start + i] = sorted[i] & mask;
  });
}

struct KeyRange {
  uint64_t low, high;
};

KeyRange range_of(const uint64_t* keys, int64_t n) {
  const auto part = [&](int64_t start, int64_t end) {
    KeyRange range{~uint64_t{0}, 0};
    for (int64_t i = start; i < end; ++i) range = {std::min(range.low, keys[i]), std::max(range.high, keys[i])};
    return range;
  };
  if (n < 4 * many_keys) return part(0, n);
  const int64_t chunks = n / many_keys;
  std::vector<KeyRange> ranges(static_cast<size_t>(chunks));
  parallel_for(chunks, [&](int64_t chunk) {
    ranges[static_cast<size_t>(chunk)] = part(n * chunk / chunks, n * (chunk + 1) / chunks);
  });
  KeyRange all = ranges[0];
  for (const KeyRange& r : ranges) all = {std::min(all.low, r.low), std::max(all.high, r.high)};
  return all;
}

}  // namespace

void order_keys(uint64_t* order, uint64_t* scratch, const uint64_t* keys, int64_t n) {
  if (n == 0) return;
  const KeyRange range = range_of(keys, n);
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(n - 1)));
  const int drop = std::max(0, static_cast<int>(std::bit_width(range.high - range.low)) - (64 - bits));
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  sort_words(order, scratch, n, drop ? ~uint64_t{0} : mask, [&](uint64_t* tile, int64_t start, int64_t count) {
    sorting().wide.pack(tile, keys + start, count, range.low, drop, bits, static_cast<uint64_t>(start));
  });
  if (!drop) return;
  order_runs(order, n, mask, keys, [&](int64_t i) { return (order[i] ^ order[i - 1]) >> bits == 0; });
  for (int64_t i = 0; i < n; ++i) order[i] &= mask;
}

// Orders elements of one byte by counts. The counts of the few patterns determine the place of each element. The
// function copies the elements before it counts and moves the elements, because another thread may write to the
// elements.
void Orderer::order_bytes(uint64_t* order, const std::byte* elements, int64_t n) {
  constexpr int64_t patterns = 256;
  const int64_t chunks = std::clamp<int64_t>(n / many_keys, 1, num_threads());
  // The tables of all chunks first hold the count of each pattern, and later the place of the pattern's next element.
  auto* const places = scratch_.take<int64_t>(chunks * patterns);
  auto* const copy = keys_.take<uint8_t>(n);
  const auto first_of = [=](int64_t chunk) { return n * chunk / chunks; };
  parallel_for(chunks, [=](int64_t chunk) {
    // The code uses two tables in turn, because each increment of a counter depends on the previous increment of this
    // counter.
    int64_t even[patterns] = {}, odd[patterns] = {};
    const int64_t last = first_of(chunk + 1);
    for (int64_t start = first_of(chunk); start < last; start += key_tile) {
      const int64_t end = std::min(last, start + key_tile);
      std::memcpy(copy + start, elements + start, static_cast<size_t>(end - start));
      for (int64_t i = start; i + 1 < end; i += 2) {
        ++even[copy[i]];
        ++odd[copy[i + 1]];
      }
      if ((end - start) % 2) ++even[copy[end - 1]];
    }
    for (int64_t i = 0; i < patterns; ++i) places[chunk * patterns + i] = even[i] + odd[i];
  });
  uint8_t bytes[patterns], in_order[patterns];
  uint32_t keys[patterns];
  for (int64_t i = 0; i < patterns; ++i) bytes[i] = static_cast<uint8_t>(i);
  sorting().encode[static_cast<int>(type_)](keys, bytes, patterns, order_);
  for (int64_t i = 0; i < patterns; ++i) in_order[keys[i] & 0xff] = bytes[i];
  int64_t at = 0;
  for (const uint8_t pattern : in_order)
    for (int64_t chunk = 0; chunk < chunks; ++chunk) at += std::exchange(places[chunk * patterns + pattern], at);
  parallel_for(chunks, [=](int64_t chunk) {
    int64_t* const next = places + chunk * patterns;
    for (int64_t i = first_of(chunk), last = first_of(chunk + 1); i < last; ++i)
      order[next[copy[i]]++] = static_cast<uint64_t>(i);
  });
}

void Orderer::order_narrow(uint64_t* order, const std::byte* elements, int64_t n) {
  const auto encode = sorting().encode[static_cast<int>(type_)];
  const int64_t size = size_of(type_);
  sort_words(order, scratch_.take<uint64_t>(n), n, 0xffffffff, [&](uint64_t* tile, int64_t start, int64_t count) {
    alignas(64) uint32_t keys[key_tile];
    for (int64_t i = 0; i < count; i += key_tile) {
      const int64_t some = std::min(key_tile, count - i);
      encode(keys, elements + (start + i) * size, some, order_);
      sorting().narrow.pack(tile + i, keys, some, 0, 0, 32, static_cast<uint64_t>(start + i));
    }
  });
}

// Writes keys of 64 bits. If elements have two keys, the function writes two arrays, one after the other.
void Orderer::encode_wide(uint64_t* keys, const std::byte* elements, int64_t n) const {
  const auto encode = sorting().encode[static_cast<int>(type_)];
  const int parts = keys_per_element(type_);
  const int64_t tiles = (n + key_tile - 1) / key_tile;
  parallel_for(tiles, n < many_keys ? 1 : max_threads, [&](int64_t tile) {
    alignas(64) uint64_t own[2 * key_tile];
    const int64_t start = tile * key_tile, count = std::min(key_tile, n - start);
    encode(own, elements + start * size_of(type_), count, order_);
    if (key_bytes(type_) == 4) {
      const auto* const narrow = reinterpret_cast<const std::byte*>(own);
      for (int64_t i = 0; i < count; ++i) {
        uint32_t key;
        std::memcpy(&key, narrow + 4 * i, sizeof(key));
        keys[start + i] = key;
      }
      return;
    }
    for (int part = 0; part < parts; ++part) std::copy_n(own + part * count, count, keys + part * n + start);
  });
}

// Orders text by comparisons, because text has no key.
void Orderer::order_text(uint64_t* order, const std::byte* elements, int64_t n) const {
  const auto* const text = reinterpret_cast<const Text*>(elements);
  std::iota(order, order + n, uint64_t{0});
  std::stable_sort(order, order + n, [&](uint64_t a, uint64_t b) {
    const int difference = compare(text[a], text[b]);
    return order_.descending ? difference > 0 : difference < 0;
  });
}

void Orderer::operator()(uint64_t* order, const std::byte* elements, int64_t n) {
  if (type_ == DType::string) return order_text(order, elements, n);
  if (size_of(type_) == 1 && n >= costs::counted_order) return order_bytes(order, elements, n);
  if (key_bytes(type_) == 4 && n <= narrow_limit) return order_narrow(order, elements, n);
  auto* const keys = keys_.take<uint64_t>(n * keys_per_element(type_));
  encode_wide(keys, elements, n);
  order_keys(order, scratch_.take<uint64_t>(n), keys, n);
  if (keys_per_element(type_) == 2)
    order_runs(order, n, ~uint64_t{0}, keys + n, [&](int64_t i) { return keys[order[i]] == keys[order[i - 1]]; });
}

}  // namespace suanzi
