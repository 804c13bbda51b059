// A vector folded to fewer lanes.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// The lanes of v halved until Left are left.
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

}  // namespace suanzi::SUANZI_LEVEL
