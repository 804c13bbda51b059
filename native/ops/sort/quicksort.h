// A quicksort of contiguous unsigned keys that fit the cache. The caller requests all sorted keys, or only the first
// sorted keys. The quicksort moves a vector at a time when it partitions, and uses sorting networks for few keys.
//
// The time for any input is O(n log n). Pivots are medians of samples, and the code recognises equal keys. If samples
// repeatedly lead to bad pivots, the pivot becomes the middle of the range in which the keys are.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "ops/sort/sort.kernels.h"
#include "ops/sort/sorting_network.h"
#include "simd/compress.h"

namespace suanzi::SUANZI_LEVEL::quicksort {

// Moves the keys below the pivot to the front and returns the number of these keys. The keys of each of the two parts
// keep their order. The function first collects the other keys in `scratch`, which has room for n keys.
template <class T>
int64_t partition(T* keys, T* scratch, int64_t n, T pivot) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  using V = Vec<T, N>;
  const V bound(pivot);
  T *low = keys, *high = scratch;
  int64_t i = 0;
  // The loop stores whole vectors on the two sides. Stores at `low` never pass the keys that have been read, and stores
  // at `high` never pass n.
  const auto partition_vectors = [&]<int Count>() __attribute__((always_inline)) {
    for (; i + Count * N <= n; i += Count * N) {
      V v[Count];
      uint32_t bits[Count];
      network::unrolled<Count>([&](auto k) __attribute__((always_inline)) { v[k] = V::load(keys + i + k * N); });
      network::unrolled<Count>([&](auto k) __attribute__((always_inline)) { bits[k] = less_bits(v[k], bound); });
      network::unrolled<Count>([&](auto k) __attribute__((always_inline)) {
        low += compress_store(v[k], bits[k], low);
        high += compress_store(v[k], ~bits[k] & all_lanes<N>, high);
      });
    }
  };
  partition_vectors.template operator()<8>();
  partition_vectors.template operator()<1>();
  if (const int rest = static_cast<int>(n - i); rest > 0) {
    const V v = V::load_first(keys + i, rest);
    const uint32_t there = (uint32_t{1} << rest) - 1, bits = less_bits(v, bound) & there;
    low += compress_store_exactly(v, bits, low);
    high += compress_store_exactly(v, ~bits & there, high);
  }
  std::memcpy(low, scratch, sizeof(T) * static_cast<size_t>(high - scratch));
  return low - keys;
}

// Returns a key near the median. The function takes nine vectors, and computes lane by lane the median of the medians
// of three vectors each. The returned key is the median of the lanes. The nine vectors are spread over the range, at
// places that do not coincide with patterns in the data.
template <class T>
T choose_pivot(const T* keys, int64_t n) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  using V = Vec<T, N>;
  const auto step = static_cast<uint64_t>(n - N) / 9;
  const uint64_t mask = std::bit_floor(step) - 1;
  uint64_t state = static_cast<uint64_t>(n);
  const auto next = [&](uint64_t i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // a step of Knuth's MMIX generator
    return V::load(keys + i * step + (state >> 33 & mask));
  };
  const auto median = [](V a, V b, V c) { return max(min(a, b), min(max(a, b), c)); };
  V medians[3];
  for (uint64_t k = 0; k < 3; ++k) {
    const V a = next(3 * k), b = next(3 * k + 1), c = next(3 * k + 2);
    medians[k] = median(a, b, c);
  }
  T sample[N];
  median(medians[0], medians[1], medians[2]).store(sample);
  network::sort(sample, N);
  return sample[N / 2];
}

// Sorts the first `wanted` of n keys, which are in [lower, upper]. `budget` is the number of partitions by a sampled
// pivot that are still allowed.
template <class T>
void sort_range(T* keys, T* scratch, int64_t n, int64_t wanted, T lower, T upper, int budget) {
  while (n > network::max_keys<T>) {
    if (lower == upper || wanted <= 0) return;
    T pivot = budget-- > 0 ? choose_pivot(keys, n) : static_cast<T>(lower + (upper - lower) / 2 + 1);
    // If the pivot is the least possible key, the code increases the pivot by 1, so that the lower part contains the
    // keys equal to the old pivot.
    if (pivot == lower) ++pivot;
    const int64_t below = partition(keys, scratch, n, pivot);
    // The recursion sorts the shorter part, so that its depth is at most log2(n).
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
