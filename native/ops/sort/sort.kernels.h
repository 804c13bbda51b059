// The kernels of sorting are conversions between elements and keys, and operations on keys.
//
// A key is an unsigned integer whose order is the order of the elements. Keys have 32 bits for elements of up to 4
// bytes, and 64 bits for other elements. All operations that order, select or search work on keys, so these operations
// exist for two types instead of fifteen.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The conversion of elements to keys. Exact keys can be converted back to the same bits. The order of exact keys places
// -0.0 before 0.0, and NaNs last in the order of their bits. Keys of the kind `equal` are the same for equal elements.
// -0.0 and 0.0 have one key, and all NaNs have one key.
enum class Keys : uint8_t { exact, equal };
struct KeyOrder {
  Keys keys;
  // If `descending` is true, every bit of the key is inverted.
  bool descending;
};

template <class Key>
struct KeyKernels {
  // Moves the `wanted` least of n keys to the front, in order. The other keys may be in any order. `scratch` has room
  // for n keys.
  void (*sort)(Key* keys, Key* scratch, int64_t n, int64_t wanted);
  // Computes min((key - low) >> shift, last), or 0 for keys below `low`.
  void (*bins)(uint32_t* bins, const Key* keys, int64_t n, Key low, int shift, uint32_t last);
  // Computes ((key - low) >> drop) << bits | (first + i). This word holds a key and its index, so the order of words is
  // stable.
  void (*pack)(uint64_t* words, const Key* keys, int64_t n, Key low, int drop, int bits, uint64_t first);
  // Writes the keys below `bound` and their positions in order, and returns the number of these keys. `chosen` and
  // `positions` need room for n elements and one vector (64 bytes) more.
  int64_t (*below)(Key* chosen, Key* positions, const Key* keys, int64_t n, Key bound);
};

struct SortingKernels {
  // Kernels by element type. complex128 has two keys, which are compared in order. The n first keys come before the n
  // second keys.
  void (*encode[dtype_count])(void* keys, const void* elements, int64_t n, KeyOrder order) = {};
  // Computes the elements of exact keys. The entries for complex types are null, because complex types have no exact
  // keys.
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
