// Functions that choose lanes of one vector, of two vectors or of memory at run time.
#pragma once

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Returns lane index[i] of x in lane i. An index is in [0, N). If Arch::looks_up_in_registers is true, only the lowest
// bits of an index count, and the index may exceed N. If Arch::permutes is false, reads of lanes from memory are
// faster.
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Vec<T, N> x, Vec<IntFor<T>, N> index) {
  return arch::permute(Arch{}, x, index);
}
// Permutes two concatenated vectors. An index is in [0, 2 N).
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Vec<T, N> low, Vec<T, N> high, Vec<IntFor<T>, N> index) {
  return arch::permute(Arch{}, low, high, index);
}

// Returns p[index[i]] in lane i.
template <class T, int N>
SUANZI_INLINE Vec<T, N> gather(const T* p, Vec<int64_t, N> index) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = p[index.v[i]];
  return r;
}

}  // namespace suanzi::SUANZI_LEVEL
