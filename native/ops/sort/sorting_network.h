// The sort of a few hundred keys, or fewer, without a branch. Vectors are the rows of a matrix. Batcher's network sorts
// the columns of this matrix, with one comparison of vectors for all columns at once. Bitonic merges then unite the
// columns two by two.
//
// The sorted order is row by row, and the merges keep this order. A merge compares each element with the element at the
// mirrored place (row and lane). This step moves the smaller half of the elements to the upper rows. The merge repeats
// the step on each half of the rows, until single rows are left. Bramas and Blacher, Giesen, Wassenberg et al.
// ("Vectorized and performance-portable Quicksort", 2022) describe this arrangement.
#pragma once

#include <utility>

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL::network {

template <int Count, class Body>
SUANZI_INLINE void unrolled(Body body) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, k>{}), ...);
  }(std::make_integer_sequence<int, Count>{});
}

struct Comparator {
  int low, high;
};
template <int Rows>
struct Comparators {
  Comparator at[64] = {};
  int count = 0;
};

// Returns the comparators of Batcher's odd-even merge sort for `Rows` rows (Knuth, The Art of Computer Programming,
// 5.2.2, Algorithm M).
template <int Rows>
constexpr Comparators<Rows> batcher() {
  Comparators<Rows> network;
  for (int p = 1; p < Rows; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < Rows; j += 2 * k)
        for (int i = j; i < j + k && i + k < Rows; ++i)
          if (i / (2 * p) == (i + k) / (2 * p)) network.at[network.count++] = {i, i + k};
  return network;
}

template <int Flip, class T, int N>
SUANZI_INLINE Vec<T, N> exchange(Vec<T, N> x) {
  return [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    return Vec<T, N>(__builtin_shufflevector(x.v, x.v, (k ^ Flip)...));
  }(std::make_integer_sequence<int, N>{});
}

// Sorts each pair of the lanes i and i ^ Flip.
template <int Flip, class T, int N>
SUANZI_INLINE Vec<T, N> sort_lanes(Vec<T, N> x) {
  const Vec<T, N> partner = exchange<Flip>(x);
  const Vec<T, N> low = min(x, partner), high = max(x, partner);
  return [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    return Vec<T, N>(__builtin_shufflevector(low.v, high.v, ((k ^ Flip) < k ? N + k : k)...));
  }(std::make_integer_sequence<int, N>{});
}

template <int Rows, class V>
SUANZI_INLINE void sort_columns(V (&v)[Rows]) {
  constexpr Comparators<Rows> network = batcher<Rows>();
  unrolled<network.count>([&](auto k) __attribute__((always_inline)) {
    constexpr Comparator c = network.at[k];
    const V low = min(v[c.low], v[c.high]);
    v[c.high] = max(v[c.low], v[c.high]);
    v[c.low] = low;
  });
}

// Executes the steps of a merge that compare elements of different rows. A block has `Block` rows and 2 * `Half` lanes,
// and consists of two sorted halves of `Half` lanes. The steps end with blocks of a single row.
template <int Half, int Block, int Rows, class V>
SUANZI_INLINE void merge_block(V (&v)[Rows]) {
  if constexpr (Block > 1) {
    unrolled<Rows / 2>([&](auto k) __attribute__((always_inline)) {
      constexpr int upper = k / (Block / 2) * Block + k % (Block / 2);
      constexpr int lower = k / (Block / 2) * Block + Block - 1 - k % (Block / 2);
      const V mirrored = exchange<2 * Half - 1>(v[lower]);
      v[lower] = max(v[upper], mirrored);
      v[upper] = min(v[upper], mirrored);
    });
    merge_block<Half, Block / 2>(v);
  }
}
template <int Distance, int Rows, class V>
SUANZI_INLINE void finish_rows(V (&v)[Rows]) {
  if constexpr (Distance > 0) {
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) { v[r] = sort_lanes<Distance>(v[r]); });
    finish_rows<Distance / 2>(v);
  }
}
template <int Half, int Rows, class V>
SUANZI_INLINE void merge_columns(V (&v)[Rows]) {
  if constexpr (Half < V::lanes) {
    merge_block<Half, Rows>(v);
    unrolled<Rows>([&](auto r) __attribute__((always_inline)) { v[r] = sort_lanes<2 * Half - 1>(v[r]); });
    finish_rows<Half / 2>(v);
    merge_columns<2 * Half>(v);
  }
}

// Sorts n keys, which fit in `Rows` vectors.
template <int Rows, class T>
void sort_rows(T* keys, int n) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  using V = Vec<T, N>;
  V v[Rows];
  unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
    const int left = n - r * N;
    v[r] = left >= N ? V::load(keys + r * N) : left > 0 ? V::load_first(keys + r * N, left, T(~T(0))) : V(T(~T(0)));
  });
  sort_columns(v);
  merge_columns<1>(v);
  unrolled<Rows>([&](auto r) __attribute__((always_inline)) {
    const int left = n - r * N;
    if (left >= N) {
      v[r].store(keys + r * N);
    } else if (left > 0) {
      v[r].store_first(keys + r * N, left);
    }
  });
}

// The greatest number of rows is half of the vector registers, so that the other half is free for intermediate values.
inline constexpr int max_rows = Arch::vector_registers / 2;
template <class T>
inline constexpr int max_keys = max_rows * vector_bytes / static_cast<int>(sizeof(T));

// Sorts n <= max_keys<T> keys.
template <class T, int Rows = 1>
SUANZI_INLINE void sort(T* keys, int n) {
  if constexpr (Rows == max_rows) {
    sort_rows<Rows>(keys, n);
  } else if (n <= Rows * vector_bytes / static_cast<int>(sizeof(T))) {
    sort_rows<Rows>(keys, n);
  } else {
    sort<T, 2 * Rows>(keys, n);
  }
}

}  // namespace suanzi::SUANZI_LEVEL::network
