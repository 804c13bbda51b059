// The kernels of sorting: elements as keys and back, and kernels on keys.
//
// A key is an unsigned integer whose order is the order of the elements, 32 bits wide for elements of up to 4 bytes,
// else 64. All that orders, selects or searches works on keys, and so exists for two types instead of fifteen.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The conversion of elements to keys. Exact keys give the elements back to the bit: -0.0 comes before 0.0, and NaNs are
// last in the order of their bits. Equal ones tell only what differs: -0.0 and 0.0 have one key, and so have all NaNs.
enum class Keys : uint8_t { exact, equal };
struct KeyOrder {
  Keys keys;
  bool descending;  // every bit of the key inverted
};

template <class Key>
struct KeyKernels {
  // Sorts n keys in place as far as the first `wanted` ones go: no key behind them is less, but those may be in any
  // order. `scratch` has room for n keys.
  void (*sort)(Key* keys, Key* scratch, int64_t n, int64_t wanted);
  // min((key - low) >> shift, last), 0 for keys below `low`.
  void (*bins)(uint32_t* bins, const Key* keys, int64_t n, Key low, int shift, uint32_t last);
  // ((key - low) >> drop) << bits | (first + i): a key and its index as one word that sorts stably.
  void (*pack)(uint64_t* words, const Key* keys, int64_t n, Key low, int drop, int bits, uint64_t first);
  // Writes the keys below `bound` and their positions in order, returns how many they are. Both need room for n and a
  // vector (64 bytes) more.
  int64_t (*below)(Key* chosen, Key* positions, const Key* keys, int64_t n, Key bound);
};

struct SortingKernels {
  // Kernels by element type; complex128 has two keys, compared in order, n of the first before n of the second.
  void (*encode[dtype_count])(void* keys, const void* elements, int64_t n, KeyOrder order) = {};
  // The elements of exact keys; null for complex types, which have none.
  void (*decode[dtype_count])(void* elements, const void* keys, int64_t n, bool descending) = {};
  KeyKernels<uint32_t> narrow = {};
  KeyKernels<uint64_t> wide = {};

  template <class Key>
  const KeyKernels<Key>& of() const {
    if constexpr (sizeof(Key) == 4) {
      return narrow;
    } else {
      return wide;
    }
  }
};

constexpr int key_bytes(DType t) { return size_of(t) <= 4 ? 4 : 8; }
constexpr int keys_per_element(DType t) { return size_of(t) == 16 ? 2 : 1; }

}  // namespace suanzi
