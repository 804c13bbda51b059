// The kernels of sorting: conversions between elements and keys, and operations on keys.
//
// A key is an unsigned integer whose order is the order of the elements. Keys have 32 bits for elements of up to 4
// bytes, else 64. All operations that order, select or search work on keys, so they exist for two types instead of
// fifteen.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The conversion of elements to keys. Exact keys can be converted back to the same bits: -0.0 comes before 0.0, and
// NaNs come last in the order of their bits. Keys of the kind `equal` are the same for equal elements: -0.0 and 0.0
// have one key, and so have all NaNs.
enum class Keys : uint8_t { exact, equal };
struct KeyOrder {
  Keys keys;
  bool descending;  // inverts every bit of the key
};

template <class Key>
struct KeyKernels {
  // Moves the `wanted` least of n keys to the front, in order; the keys behind them may be in any order. `scratch` has
  // room for n keys.
  void (*sort)(Key* keys, Key* scratch, int64_t n, int64_t wanted);
  // Computes min((key - low) >> shift, last), or 0 for keys below `low`.
  void (*bins)(uint32_t* bins, const Key* keys, int64_t n, Key low, int shift, uint32_t last);
  // Computes ((key - low) >> drop) << bits | (first + i): a key and its index as one word, which sorts stably.
  void (*pack)(uint64_t* words, const Key* keys, int64_t n, Key low, int drop, int bits, uint64_t first);
  // Writes the keys below `bound` and their positions in order, and returns their number. `chosen` and `positions` need
  // room for n elements and one vector (64 bytes) more.
  int64_t (*below)(Key* chosen, Key* positions, const Key* keys, int64_t n, Key bound);
};

struct SortingKernels {
  // Kernels by element type. complex128 has two keys, which are compared in order; the n first keys come before the n
  // second keys.
  void (*encode[dtype_count])(void* keys, const void* elements, int64_t n, KeyOrder order) = {};
  // Computes the elements of exact keys; null for complex types, which have no exact keys.
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
