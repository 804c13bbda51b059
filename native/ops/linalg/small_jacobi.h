// Jacobi's rotations of columns, one rotation in each lane (Golub & Van Loan, Matrix Computations, 4th edition,
// sections 8.5 and 8.6.3). Other functions of this file sort columns and write the results.
#pragma once

#include "ops/linalg/small_lanes.h"

namespace suanzi::SUANZI_LEVEL {

// The number of sweeps after which a kernel gives up and leaves a matrix to LAPACK. The largest matrices usually need
// ten sweeps.
inline constexpr int most_sweeps = 30;

template <class T>
inline constexpr T epsilon = sizeof(T) == 8 ? T(0x1p-52) : T(0x1p-23);

// A rotation by an angle whose tangent is t. The phase d first makes the element between two columns real, and the
// rotation then makes this element 0. The rotation of a lane that needs no rotation is the identity.
template <class E>
struct Rotation {
  typename Lanes<E>::Part c, s, t;
  typename Lanes<E>::Number d;
};

// Returns the rotation of two columns that makes `pivot`, the off-diagonal element of the two columns, 0. `first` and
// `second` are the diagonal elements. `size` is the magnitude of `pivot`.
template <class E, class Mask>
SUANZI_INLINE Rotation<E> make_rotation(Mask needed, typename Lanes<E>::Part first, typename Lanes<E>::Part second,
                                        typename Lanes<E>::Number pivot, typename Lanes<E>::Part size) {
  using L = Lanes<E>;
  using Part = typename L::Part;
  const Part safe = select(needed, size, Part(1)), twice = safe + safe, difference = second - first;
  const Part tangent = copysign(twice, difference) / (abs(difference) + sqrt(difference * difference + twice * twice));
  const Part t = select(needed, tangent, Part(0));
  const Part c = Part(1) / sqrt(t * t + Part(1));
  return {c, t * c, t, select(needed, L::conjugate(L::over(pivot, safe)), L::one())};
}

// Multiplies the pair (x, y) by the rotation from the right.
template <class E>
SUANZI_INLINE void rotate(const Rotation<E>& r, typename Lanes<E>::Number& x, typename Lanes<E>::Number& y) {
  const auto turned = y * r.d;
  y = x * r.s + turned * r.c;
  x = x * r.c - turned * r.s;
}

// Rotates the first `rows` elements of columns p and q.
template <class E>
SUANZI_INLINE void rotate_columns(const Rotation<E>& r, Grid<E> grid, int rows, int p, int q) {
  for (int k = 0; k < rows; ++k) {
    typename Lanes<E>::Number x = grid(k, p), y = grid(k, q);
    rotate(r, x, y);
    grid.set(k, p, x);
    grid.set(k, q, y);
  }
}

// Writes the numbers 0 to n - 1 to `order`, sorted by precedes(i, j).
template <class Precedes>
SUANZI_INLINE void sort_columns(int* order, int n, Precedes precedes) {
  for (int i = 0; i < n; ++i) {
    int at = i;
    for (; at > 0 && precedes(i, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
}

// Copies one lane of a grid of `rows` rows to a matrix, or to its conjugate transpose. The matrix has the columns that
// `order` lists.
template <bool Adjoint, class E>
SUANZI_INLINE void store_columns(void* target, int64_t matrix, Grid<E> grid, int rows, int columns, const int* order,
                                 int lane) {
  using L = Lanes<E>;
  constexpr int parts = L::reals / L::lanes;
  auto* const to = static_cast<typename L::Scalar*>(target) + matrix * rows * columns * parts;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const auto* const from = grid.at(i, order[j]) + lane;
      auto* const out = to + (Adjoint ? j * rows + i : i * columns + j) * parts;
      out[0] = from[0];
      if constexpr (parts == 2) out[1] = Adjoint ? -from[L::lanes] : from[L::lanes];
    }
  }
}

}  // namespace suanzi::SUANZI_LEVEL
