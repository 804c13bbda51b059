// Sorting contiguous unsigned keys in cache, all or the first so many of them: a quicksort whose partition moves a
// vector at a time, over sorting networks.
//
// Any input takes O(n log n): pivots are medians of samples, equal keys are recognised, and where samples mislead for
// long, the pivot becomes the middle of the range in which the keys can lie.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/sorting_network.h"
#include "simd/compress.h"

namespace suanzi::SUANZI_LEVEL::quicksort {

// Moves the keys below the pivot to the front, returns how many they are; both parts keep their order. The others wait
// in `scratch`, which has room for n keys.
template <class T>
int64_t partition(T* keys, T* scratch, int64_t n, T pivot) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  using V = Vec<T, N>;
  constexpr int unroll = 4;
  const V bound(pivot);
  T *low = keys, *high = scratch;
  int64_t i = 0;
  // Whole vectors are stored on both sides: at `low` that reaches at most to what has been read, at `high` to n.
  for (; i + unroll * N <= n; i += unroll * N) {
    V v[unroll];
    uint32_t bits[unroll];
    network::unrolled<unroll>([&](auto k) __attribute__((always_inline)) { v[k] = V::load(keys + i + k * N); });
    network::unrolled<unroll>([&](auto k) __attribute__((always_inline)) { bits[k] = less_bits(v[k], bound); });
    network::unrolled<unroll>([&](auto k) __attribute__((always_inline)) {
      low += compress_store(v[k], bits[k], low);
      high += compress_store(v[k], ~bits[k] & all_lanes<N>, high);
    });
  }
  for (; i < n; ++i) {
    const T key = keys[i];
    const bool below = key < pivot;
    *(below ? low : high) = key;
    low += below;
    high += !below;
  }
  std::memcpy(low, scratch, sizeof(T) * static_cast<size_t>(high - scratch));
  return low - keys;
}

// The median of keys from all over the range, at places that no pattern in the data agrees with.
template <class T>
T choose_pivot(const T* keys, int64_t n) {
  constexpr int samples = network::max_keys<T> < 32 ? network::max_keys<T> : 32;
  const auto step = static_cast<uint64_t>(n / samples);
  const uint64_t mask = std::bit_floor(step) - 1;
  T sample[samples];
  uint64_t state = static_cast<uint64_t>(n);
  for (uint64_t i = 0; i < samples; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    sample[i] = keys[i * step + (state >> 33 & mask)];
  }
  network::sort(sample, samples);
  return sample[samples / 2];
}

// Sorts n keys that are known to lie in [lower, upper], as far as the first `wanted` go; `budget` is the number of
// partitions by samples that a key may still go through.
template <class T>
void sort_range(T* keys, T* scratch, int64_t n, int64_t wanted, T lower, T upper, int budget) {
  while (n > network::max_keys<T>) {
    if (lower == upper || wanted <= 0) return;
    T pivot = budget-- > 0 ? choose_pivot(keys, n) : static_cast<T>(lower + (upper - lower) / 2 + 1);
    if (pivot == lower) ++pivot;  // then the lower part is of equal keys
    const int64_t below = partition(keys, scratch, n, pivot);
    // The shorter part by recursion, so that its depth is at most log2(n).
    if (below < n - below) {
      sort_range(keys, scratch, below, wanted, lower, static_cast<T>(pivot - 1), budget);
      keys += below;
      n -= below;
      wanted -= below;
      lower = pivot;
    } else {
      sort_range(keys + below, scratch, n - below, wanted - below, pivot, upper, budget);
      n = below;
      upper = static_cast<T>(pivot - 1);
    }
  }
  if (wanted > 0) network::sort(keys, static_cast<int>(n));
}

template <class T>
void sort(T* keys, T* scratch, int64_t n, int64_t wanted) {
  const int budget = 2 * static_cast<int>(std::bit_width(static_cast<uint64_t>(n)));
  sort_range(keys, scratch, n, wanted, T(0), static_cast<T>(~T(0)), budget);
}

}  // namespace suanzi::SUANZI_LEVEL::quicksort
