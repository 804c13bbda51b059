// Vectors that hold real or complex numbers of several small matrices side by side, for the kernels on small matrices.
#pragma once

#include <complex>
#include <cstdint>

#include "ops/linalg/small_matrix.kernels.h"
#include "simd/complex.h"
#include "simd/vec.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

// Returns the power of two at or below a positive number. Division by this power is exact. The power is normal and
// finite for every x.
template <class T, int N>
SUANZI_INLINE Vec<T, N> power_below(Vec<T, N> x) {
  constexpr T least = sizeof(T) == 8 ? T(0x1p-1022) : T(0x1p-126), most = sizeof(T) == 8 ? T(0x1p1023) : T(0x1p127);
  const Vec<T, N> infinity(static_cast<T>(__builtin_inf()));
  const auto power = bit_cast<T>(bit_cast<IntFor<T>>(x) & bit_cast<IntFor<T>>(infinity));
  return min(max(power, Vec<T, N>(least)), Vec<T, N>(most));
}

// A vector of numbers of type E, one for each matrix. `Part` is a vector of real numbers.
template <class E>
struct Lanes {
  using Scalar = E;
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(E));
  static constexpr int reals = lanes;  // the number of real numbers that store a Number
  using Part = Vec<E, lanes>;
  using Number = Part;
  using Integer = IntFor<E>;
  using Index = Vec<Integer, lanes>;

  static SUANZI_INLINE Number get(const E* p) { return Number::load(p); }
  static SUANZI_INLINE void put(E* p, Number x) { x.store(p); }
  static SUANZI_INLINE Number of(Part x) { return x; }
  static SUANZI_INLINE Number zero() { return Number(E(0)); }
  static SUANZI_INLINE Number one() { return Number(E(1)); }
  static SUANZI_INLINE Part real(Number x) { return x; }
  static SUANZI_INLINE Part squared(Number x) { return x * x; }
  static SUANZI_INLINE Number conjugate(Number x) { return x; }
  // Returns the size by which pivots are chosen. The size of NaN is infinity, so that the kernel chooses a NaN as a
  // pivot, and NaN spreads.
  static SUANZI_INLINE Part size(Number x) {
    const Part a = abs(x);
    return select(a == a, a, Part(static_cast<E>(__builtin_inf())));
  }
  static SUANZI_INLINE Part length(Number x) { return abs(x); }
  static SUANZI_INLINE Number over(Number x, Part y) { return x / y; }
  static SUANZI_INLINE Number divide(Number x, Number y) { return x / y; }
  // subtract_product returns c - x y, and add_product returns c + x y.
  static SUANZI_INLINE Number subtract_product(Number c, Number x, Number y) { return mul_add(-x, y, c); }
  static SUANZI_INLINE Number add_product(Number c, Number x, Number y) { return mul_add(x, y, c); }
};

template <class T>
struct Lanes<std::complex<T>> {
  using Scalar = T;
  static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int reals = 2 * lanes;
  using Part = Vec<T, lanes>;
  using Number = ComplexVec<T, lanes>;
  using Integer = IntFor<T>;
  using Index = Vec<Integer, lanes>;

  // In memory, the real parts precede the imaginary parts.
  static SUANZI_INLINE Number get(const T* p) { return {Part::load(p), Part::load(p + lanes)}; }
  static SUANZI_INLINE void put(T* p, Number x) {
    x.re.store(p);
    x.im.store(p + lanes);
  }
  static SUANZI_INLINE Number of(Part x) { return {x, Part(T(0))}; }
  static SUANZI_INLINE Number zero() { return of(Part(T(0))); }
  static SUANZI_INLINE Number one() { return of(Part(T(1))); }
  static SUANZI_INLINE Part real(Number x) { return x.re; }
  static SUANZI_INLINE Part squared(Number x) { return x.re * x.re + x.im * x.im; }
  static SUANZI_INLINE Number conjugate(Number x) { return conj(x); }
  static SUANZI_INLINE Part size(Number x) {
    const Part a = abs(x.re) + abs(x.im);
    return select(a == a, a, Part(static_cast<T>(__builtin_inf())));
  }
  static SUANZI_INLINE Part length(Number x) {
    const Part scale = power_below(max(abs(x.re), abs(x.im)));
    return sqrt(squared(over(x, scale))) * scale;
  }
  static SUANZI_INLINE Number over(Number x, Part y) { return {x.re / y, x.im / y}; }
  // Returns x / y. The function divides by the greater part of y first, so that no square overflows or underflows.
  static SUANZI_INLINE Number divide(Number x, Number y) {
    const Part scale = max(abs(y.re), abs(y.im));
    const Number unit = over(y, scale);
    return over(over(x * conj(unit), squared(unit)), scale);
  }
  static SUANZI_INLINE Number subtract_product(Number c, Number x, Number y) {
    return {mul_add(x.im, y.im, mul_add(-x.re, y.re, c.re)), mul_add(-x.im, y.re, mul_add(-x.re, y.im, c.im))};
  }
  static SUANZI_INLINE Number add_product(Number c, Number x, Number y) {
    return {mul_add(-x.im, y.im, mul_add(x.re, y.re, c.re)), mul_add(x.im, y.re, mul_add(x.re, y.im, c.im))};
  }
};

// Matrices that are stored by rows in scratch memory, with the same element of all matrices side by side.
template <class E>
struct Grid {
  using L = Lanes<E>;
  typename L::Scalar* data;
  int columns;

  SUANZI_INLINE typename L::Number operator()(int i, int j) const { return L::get(at(i, j)); }
  SUANZI_INLINE void set(int i, int j, typename L::Number x) const { L::put(at(i, j), x); }
  SUANZI_INLINE typename L::Scalar* at(int i, int j) const {
    return data + static_cast<int64_t>(i * columns + j) * L::reals;
  }
};

// Returns the number of lanes that hold a matrix if the first lane holds matrix `first` of `count` matrices.
template <class E>
SUANZI_INLINE int used_lanes(int64_t first, int64_t count) {
  return static_cast<int>(count - first < Lanes<E>::lanes ? count - first : Lanes<E>::lanes);
}

// Loads matrices first, first + 1, … of `source` (rows × columns) to the columns offset, offset + 1, … of the grid. The
// lanes after the first `used` lanes repeat the last matrix, so that these lanes hold valid numbers.
template <class E>
SUANZI_INLINE void load(Grid<E> grid, int offset, const void* source, int rows, int columns, int64_t first, int used) {
  using L = Lanes<E>;
  constexpr int parts = L::reals / L::lanes;
  for (int lane = 0; lane < L::lanes; ++lane) {
    const int64_t matrix = first + (lane < used ? lane : used - 1);
    const auto* from = static_cast<const typename L::Scalar*>(source) + matrix * rows * columns * parts;
    for (int i = 0; i < rows; ++i) {
      auto* to = grid.at(i, offset) + lane;
      for (int e = 0; e < columns * parts; ++e) to[e * L::lanes] = *from++;
    }
  }
}

// Stores the matrices in the first `used` lanes of the columns offset, offset + 1, … of the grid to `target`.
template <class E>
SUANZI_INLINE void store(void* target, Grid<E> grid, int offset, int rows, int columns, int64_t first, int used) {
  using L = Lanes<E>;
  constexpr int parts = L::reals / L::lanes;
  for (int lane = 0; lane < used; ++lane) {
    auto* to = static_cast<typename L::Scalar*>(target) + (first + lane) * rows * columns * parts;
    for (int i = 0; i < rows; ++i) {
      const auto* from = grid.at(i, offset) + lane;
      for (int e = 0; e < columns * parts; ++e) *to++ = from[e * L::lanes];
    }
  }
}

// Sets the columns of the grid to the first columns of the unit matrix.
template <class E>
SUANZI_INLINE void fill_unit(Grid<E> grid, int rows, int columns) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) grid.set(i, j, i == j ? Lanes<E>::one() : Lanes<E>::zero());
}

}  // namespace suanzi::SUANZI_LEVEL
