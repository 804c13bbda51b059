// Prefix folds over the lanes of a group of vectors. The folds need operations between lanes that vec.h does not
// declare.
#pragma once

#include <utility>

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// Returns a vector whose lanes all are the last lane of x.
template <class T, int N>
SUANZI_INLINE Vec<T, N> broadcast_last(Vec<T, N> x) {
  return Vec<T, N>(x.v[N - 1]);
}

namespace prefix {

// Returns a vector in groups of 2 * Span lanes. Each lane in the upper half of a group is the last lane of x in the
// lower half of this group. The lower half holds the lanes of `rest`.
template <int Span, class T, int N, int... k>
SUANZI_INLINE Vec<T, N> raise(Vec<T, N> x, Vec<T, N> rest, std::integer_sequence<int, k...>) {
  return __builtin_shufflevector(x.v, rest.v, (k & Span ? (k & ~(2 * Span - 1)) + Span - 1 : N + k)...);
}

template <class Op, int Span, class T, int N, int Count>
SUANZI_INLINE void step(Vec<T, N> (&x)[Count]) {
  if constexpr (Span < N) {
    const Vec<T, N> identity(Op::template identity<T>);
    for (auto& v : x) v = Op::fold(v, raise<Span>(v, identity, std::make_integer_sequence<int, N>{}));
  } else {
    constexpr int span = Span / N;
    for (int r = 0; r < Count; ++r)
      if (r & span) x[r] = Op::fold(x[r], broadcast_last(x[(r & ~(2 * span - 1)) + span - 1]));
  }
}

}  // namespace prefix

// Folds each lane of a group of registers with all lanes before this lane. The tree of the fold (Sklansky,
// "Conditional-sum addition logic", 1960) does not depend on the number of registers that hold the lanes.
template <class Op, int Span = 1, class T, int N, int Count>
SUANZI_INLINE void prefix_of_lanes(Vec<T, N> (&x)[Count]) {
  if constexpr (Span < N * Count) {
    prefix::step<Op, Span>(x);
    prefix_of_lanes<Op, 2 * Span>(x);
  }
}

}  // namespace suanzi::SUANZI_LEVEL
