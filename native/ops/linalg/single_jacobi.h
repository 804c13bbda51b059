// Jacobi's rotations of one small real matrix. The kernels for batches have a matrix in each lane. The kernels of this
// file have a column of the matrix in each lane. A round rotates four pairs of neighbouring columns at once, and then
// moves the columns to other lanes. In seven rounds, each column is paired with every other column, and all columns
// return to their first lanes (Brent & Luk, The Solution of Singular-Value and Symmetric Eigenvalue Problems on
// Multiprocessor Arrays, 1985). Missing columns are zeros, which no rotation changes.
#pragma once

#include <type_traits>

#include "ops/linalg/small_jacobi.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int single_columns = 8, single_rounds = 7;
template <class T>
using Row = Vec<T, single_columns>;

// The constant is true if a vector has a lane for each column.
template <class E>
inline constexpr bool has_single =
    std::is_floating_point_v<E> && vector_bytes / static_cast<int>(sizeof(E)) >= single_columns;

constexpr int next_place[single_columns] = {0, 3, 1, 5, 2, 7, 4, 6};
struct ToNextPlace {
  template <int>
  static constexpr int lane(int i, int) {
    return next_place[i];
  }
};
// A shuffle of two vectors. A lane comes from the second vector if bit `Bit` of the lane's number is 1, and from the
// first vector otherwise.
template <int Bit>
struct ByBit {
  template <int N>
  static constexpr int lane(int i, int) {
    return (i >> Bit & 1) * N + i;
  }
};
// A shuffle of two vectors. The two lanes of pair `Pair` come from the second vector, and the other lanes come from the
// first vector.
template <int Pair>
struct PairOfSecond {
  template <int N>
  static constexpr int lane(int i, int) {
    return (i / 2 == Pair) * N + i;
  }
};
template <int Lane>
struct RepeatLane {
  template <int>
  static constexpr int lane(int, int) {
    return Lane;
  }
};

// Returns the diagonal of a matrix. Lane i of the result is lane i of row i.
template <class T>
SUANZI_INLINE Row<T> diagonal_of(const Row<T> (&a)[single_columns]) {
  Row<T> twos[4];
  for (int i = 0; i < 4; ++i) twos[i] = shuffle<ByBit<0>>(a[2 * i], a[2 * i + 1]);
  return shuffle<ByBit<2>>(shuffle<ByBit<1>>(twos[0], twos[1]), shuffle<ByBit<1>>(twos[2], twos[3]));
}
// Returns the elements beside the diagonal of a matrix. Lane i of the result is lane i of the row that is paired with
// row i.
template <class T>
SUANZI_INLINE Row<T> beside_diagonal_of(const Row<T> (&a)[single_columns]) {
  Row<T> exchanged[single_columns];
  for (int i = 0; i < single_columns; ++i) exchanged[i] = a[i ^ 1];
  return diagonal_of<T>(exchanged);
}

// The rotations of all pairs. A pair (x, y) becomes (c x - s y, c y + s x). The member `s` holds s in the lane of x,
// and -s in the lane of y.
template <class T>
struct PairRotations {
  Row<T> c, s, t;

  // Computes the rotations of all pairs of columns. `diagonal` holds the diagonal elements. `pivot` holds the element
  // between the two columns of a pair in both lanes of the pair.
  SUANZI_INLINE PairRotations(typename Row<T>::mask needed, Row<T> diagonal, Row<T> pivot) {
    const Row<T> one(T(1)), signs = shuffle<ByBit<0>>(one, -one), twice = pivot + pivot;
    const Row<T> difference = repeat_neighbour<0>(swap_neighbours(diagonal) - diagonal);
    const Row<T> size = abs(difference) + sqrt(mul_add(difference, difference, twice * twice));
    const Row<T> tangent = xor_bits(twice, sign_bit(difference)) / size;
    t = select(needed, tangent, T(0)) * signs;
    c = one / sqrt(mul_add(t, t, one));
    s = t * c;
  }
  SUANZI_INLINE Row<T> operator()(Row<T> x) const { return mul_add(swap_neighbours(x), -s, x * c); }
  // Rotates two rows in the same way as the columns with the same numbers.
  template <int Pair>
  SUANZI_INLINE void rotate_rows(Row<T>& x, Row<T>& y) const {
    const Row<T> cosine = shuffle<RepeatLane<2 * Pair>>(c, c), sine = shuffle<RepeatLane<2 * Pair>>(s, s);
    const Row<T> before = x;
    x = mul_add(y, -sine, x * cosine);
    y = mul_add(before, sine, y * cosine);
  }
};

template <class T, int Rows>
SUANZI_INLINE void to_next_places(Row<T> (&rows)[Rows]) {
  for (int i = 0; i < Rows; ++i) rows[i] = shuffle<ToNextPlace>(rows[i], rows[i]);
}
template <class T>
SUANZI_INLINE void make_unit(Row<T> (&v)[single_columns]) {
  for (int i = 0; i < single_columns; ++i) {
    v[i] = Row<T>(T(0));
    v[i].v[i] = T(1);
  }
}

// Divides the rows by the power of two at or below their greatest magnitude, so that no square overflows. Returns this
// power of two.
template <class T, int Rows>
SUANZI_INLINE T divide_by_greatest(Row<T> (&rows)[Rows]) {
  Row<T> greatest(T(0));
  for (int i = 0; i < Rows; ++i) greatest = max(abs(rows[i]), greatest);
  T most = 0;
  for (int j = 0; j < single_columns; ++j) most = greatest.v[j] > most ? greatest.v[j] : most;
  const Row<T> scale = power_below(Row<T>(most));
  for (int i = 0; i < Rows; ++i) rows[i] = rows[i] / scale;
  return scale.v[0];
}

// Writes columns in `order` to a matrix of `height` rows, or to its transpose.
template <bool transposed, class T>
SUANZI_INLINE void store_single(T* out, const Row<T>* rows, int height, int columns, const int* order) {
  alignas(64) T row[single_columns];
  for (int i = 0; i < height; ++i) {
    rows[i].store(row);
    for (int j = 0; j < columns; ++j) out[transposed ? j * height + i : i * columns + j] = row[order[j]];
  }
}

// Computes one round of the two-sided rotations that make a symmetric matrix diagonal. Returns true if the round
// rotated any columns.
template <class T>
SUANZI_INLINE bool diagonalise_round(Row<T> (&a)[single_columns], Row<T> (&v)[single_columns], bool vectors) {
  const Row<T> diagonal = diagonal_of<T>(a), pivot = repeat_neighbour<0>(beside_diagonal_of<T>(a));
  const auto needed = abs(pivot) > Row<T>(epsilon<T> / 4);
  const bool rotated = any(needed);
  if (rotated) {
    const PairRotations<T> rotations(needed, diagonal, pivot);
    const Row<T> made = mul_add(-rotations.t, pivot, diagonal), zero(T(0));
    const Row<T> evens = shuffle<ByBit<0>>(made, zero), odds = shuffle<ByBit<0>>(zero, made);
    for (int i = 0; i < single_columns; ++i) a[i] = rotations(a[i]);
    const auto finish = [&]<int pair>(std::integral_constant<int, pair>) __attribute__((always_inline)) {
      Row<T>&x = a[2 * pair], &y = a[2 * pair + 1];
      rotations.template rotate_rows<pair>(x, y);
      x = shuffle<PairOfSecond<pair>>(x, evens);
      y = shuffle<PairOfSecond<pair>>(y, odds);
    };
    finish(std::integral_constant<int, 0>{});
    finish(std::integral_constant<int, 1>{});
    finish(std::integral_constant<int, 2>{});
    finish(std::integral_constant<int, 3>{});
    if (vectors)
      for (int i = 0; i < single_columns; ++i) v[i] = rotations(v[i]);
  }
  Row<T> moved[single_columns];
  for (int i = 0; i < single_columns; ++i) moved[i] = a[next_place[i]];
  for (int i = 0; i < single_columns; ++i) a[i] = moved[i];
  to_next_places<T>(a);
  if (vectors) to_next_places<T>(v);
  return rotated;
}

// Implements SmallMatrixKernels::eigh for one matrix of at most single_columns columns.
template <class T>
void single_eigh(T* values, T* vectors, const T* in, int n, int64_t* info) {
  alignas(64) T memory[single_columns * single_columns] = {};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) memory[i * single_columns + j] = memory[j * single_columns + i] = in[i * n + j];
  Row<T> a[single_columns], v[single_columns];
  for (int i = 0; i < single_columns; ++i) a[i] = Row<T>::load(memory + i * single_columns);
  const T scale = divide_by_greatest<T>(a);
  make_unit<T>(v);
  int sweeps = 0;
  for (bool rotated = true; rotated && sweeps < most_sweeps; ++sweeps) {
    rotated = false;
    for (int round = 0; round < single_rounds; ++round) rotated |= diagonalise_round<T>(a, v, vectors != nullptr);
  }
  *info = sweeps == most_sweeps;
  alignas(64) T value[single_columns];
  (diagonal_of<T>(a) * Row<T>(scale)).store(value);
  int order[single_columns];
  sort_columns(order, n, [&](int i, int j) { return value[i] < value[j]; });
  for (int j = 0; j < n; ++j) values[j] = value[order[j]];
  if (vectors) store_single<false>(vectors, v, n, n, order);
}

// Returns the square of each column's length.
template <class T, int Rows>
SUANZI_INLINE Row<T> squares_of(const Row<T> (&w)[Rows]) {
  Row<T> even(T(0)), odd(T(0));
  for (int i = 0; i < Rows; i += 2) {
    even = mul_add(w[i], w[i], even);
    odd = mul_add(w[i + 1], w[i + 1], odd);
  }
  return even + odd;
}
template <class T, int Rows>
SUANZI_INLINE Row<T> products_of_neighbours(const Row<T> (&w)[Rows]) {
  Row<T> even(T(0)), odd(T(0));
  for (int i = 0; i < Rows; i += 2) {
    even = mul_add(w[i], swap_neighbours(w[i]), even);
    odd = mul_add(w[i + 1], swap_neighbours(w[i + 1]), odd);
  }
  return even + odd;
}

// Computes one round of the rotations that make columns orthogonal. Returns true if the round rotated any columns.
template <class T, int Rows>
SUANZI_INLINE bool orthogonalise_round(Row<T> (&w)[Rows], Row<T> (&v)[single_columns], bool vectors) {
  const Row<T> squares = squares_of<T>(w), products = products_of_neighbours<T>(w);
  const auto needed = abs(products) > Row<T>(4 * epsilon<T>) * sqrt(squares * swap_neighbours(squares));
  const bool rotated = any(needed);
  if (rotated) {
    const PairRotations<T> rotations(needed, squares, products);
    for (int i = 0; i < Rows; ++i) w[i] = rotations(w[i]);
    if (vectors)
      for (int i = 0; i < single_columns; ++i) v[i] = rotations(v[i]);
  }
  to_next_places<T>(w);
  if (vectors) to_next_places<T>(v);
  return rotated;
}

// Implements SmallMatrixKernels::svd for one matrix whose lesser size is at most single_columns and whose other size is
// `Rows`.
template <int Rows, class T>
void single_svd(T* u, T* s, T* vh, const T* in, int m, int n, int64_t* info) {
  // Squares below `least` are not accurate.
  constexpr T least = (sizeof(T) == 8 ? T(0x1p-1022) : T(0x1p-126)) / epsilon<T>;
  const bool wide = m < n;
  const int columns = wide ? m : n;
  alignas(64) T memory[Rows * single_columns] = {};
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) memory[wide ? j * single_columns + i : i * single_columns + j] = in[i * n + j];
  Row<T> w[Rows], v[single_columns];
  for (int i = 0; i < Rows; ++i) w[i] = Row<T>::load(memory + i * single_columns);
  const T scale = divide_by_greatest<T>(w);
  make_unit<T>(v);
  int sweeps = 0;
  for (bool rotated = true; rotated && sweeps < most_sweeps; ++sweeps) {
    rotated = false;
    for (int round = 0; round < single_rounds; ++round) rotated |= orthogonalise_round<T>(w, v, u != nullptr);
  }
  const Row<T> squares = squares_of<T>(w), lengths = sqrt(squares);
  alignas(64) T value[single_columns];
  (lengths * Row<T>(scale)).store(value);
  bool fit = sweeps < most_sweeps;
  for (int j = 0; j < columns; ++j) fit &= squares.v[j] > least;
  *info = !fit;
  int order[single_columns];
  sort_columns(order, columns, [&](int i, int j) { return value[i] > value[j]; });
  for (int j = 0; j < columns; ++j) s[j] = value[order[j]];
  if (!u) return;
  for (int i = 0; i < Rows; ++i) w[i] = w[i] / lengths;
  store_single<false>(u, wide ? v : w, m, columns, order);
  store_single<true>(vh, wide ? w : v, n, columns, order);
}

}  // namespace suanzi::SUANZI_LEVEL
