// Lanes chosen at run time: from one vector, from two, from memory.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Lane i is lane index[i] of x, an index being in [0, N). Where Arch::permutes is false, reading lanes from memory is
// better.
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Vec<T, N> x, Vec<IntFor<T>, N> index) {
  return arch::permute(Arch{}, x, index);
}
// Permutes two vectors end to end, an index being in [0, 2 N).
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Vec<T, N> low, Vec<T, N> high, Vec<IntFor<T>, N> index) {
  return arch::permute(Arch{}, low, high, index);
}

// Lane i is p[index[i]].
template <class T, int N>
SUANZI_INLINE Vec<T, N> gather(const T* p, Vec<int64_t, N> index) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = p[index.v[i]];
  return r;
}

}  // namespace suanzi::SUANZI_LEVEL
