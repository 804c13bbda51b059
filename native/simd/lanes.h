// Folds a vector to fewer lanes.
#pragma once

#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {

// Folds the lower and the upper half of v to one vector, again and again, until `Left` lanes are left.
template <class Op, int Left, class T, int N>
SUANZI_INLINE Vec<T, Left> fold_lanes(Vec<T, N> v) {
  if constexpr (N == Left) {
    return v;
  } else {
    Vec<T, N / 2> halves[2];
    static_assert(sizeof(halves) == sizeof(v));
    std::memcpy(halves, &v, sizeof(v));
    return fold_lanes<Op, Left>(Op::fold(halves[0], halves[1]));
  }
}

// Lane i receives the value of lane i + By, counted cyclically.
template <int By>
struct RotateLanes {
  template <int N>
  static constexpr int lane(int i, int) {
    return (i + By) % N;
  }
};

// Folds all lanes to one number, by halves like fold_lanes. The lanes stay in vectors to the end, because the compiler
// stores vectors of one lane in memory.
template <class Op, class T, int N, int Half = N / 2>
SUANZI_INLINE T fold_all_lanes(Vec<T, N> v) {
  if constexpr (sizeof(v) > 16) {
    return fold_all_lanes<Op>(fold_lanes<Op, N / 2>(v));
  } else if constexpr (Half == 0) {
    return v.v[0];
  } else {
    return fold_all_lanes<Op, T, N, Half / 2>(Op::fold(v, shuffle<RotateLanes<Half>>(v, v)));
  }
}

}  // namespace suanzi::SUANZI_LEVEL
