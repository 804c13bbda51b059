// A ComplexVec<T, N> is N complex numbers as a vector of real parts and a vector of imaginary parts. In memory, the
// parts alternate. Arithmetic uses the textbook formulas without fused multiply-adds, so that all levels return the
// same bits.
//
// Scalar code must not replace ComplexVec, because GCC 12 forms fused instructions from interleaved a*b - c*d and a*d +
// b*c even under -ffp-contract=off.
#pragma once

#include <utility>

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

template <class T, int N>
struct ComplexVec {
  using element = T;
  using part = Vec<T, N>;
  using mask = typename part::mask;
  static constexpr int lanes = N;

  part re, im;

  static SUANZI_INLINE ComplexVec load(const T* p) {
    return separate(part::load(p), part::load(p + N), std::make_integer_sequence<int, N>{});
  }
  SUANZI_INLINE void store(T* p) const { interleave(p, std::make_integer_sequence<int, N>{}); }

  // Loads the first n numbers from memory. The other numbers are 1.
  static SUANZI_INLINE ComplexVec load_first(const T* p, int n) {
    T parts[2 * N];
    for (int k = 0; k < N; ++k) parts[2 * k] = T(1), parts[2 * k + 1] = T(0);
    std::memcpy(parts, p, 2 * sizeof(T) * static_cast<unsigned>(n));
    return load(parts);
  }
  SUANZI_INLINE void store_first(T* p, int n) const {
    T parts[2 * N];
    store(parts);
    std::memcpy(p, parts, 2 * sizeof(T) * static_cast<unsigned>(n));
  }

  friend SUANZI_INLINE ComplexVec operator+(ComplexVec a, ComplexVec b) { return {a.re + b.re, a.im + b.im}; }
  friend SUANZI_INLINE ComplexVec operator-(ComplexVec a, ComplexVec b) { return {a.re - b.re, a.im - b.im}; }
  friend SUANZI_INLINE ComplexVec operator*(ComplexVec a, ComplexVec b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend SUANZI_INLINE ComplexVec operator*(ComplexVec a, part b) { return {a.re * b, a.im * b}; }
  friend SUANZI_INLINE mask operator==(ComplexVec a, ComplexVec b) { return (a.re == b.re) & (a.im == b.im); }

 private:
  template <int... k>
  static SUANZI_INLINE ComplexVec separate(part low, part high, std::integer_sequence<int, k...>) {
    return {__builtin_shufflevector(low.v, high.v, (2 * k)...), __builtin_shufflevector(low.v, high.v, (2 * k + 1)...)};
  }
  template <int... k>
  SUANZI_INLINE void interleave(T* p, std::integer_sequence<int, k...>) const {
    const part low = __builtin_shufflevector(re.v, im.v, (k / 2 + k % 2 * N)...);
    const part high = __builtin_shufflevector(re.v, im.v, (N / 2 + k / 2 + k % 2 * N)...);
    low.store(p);
    high.store(p + N);
  }
};

template <class To, class T, int N>
SUANZI_INLINE ComplexVec<To, N> convert(ComplexVec<T, N> z) {
  return {convert<To>(z.re), convert<To>(z.im)};
}

template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> select(Mask<sizeof(T), N> m, ComplexVec<T, N> a, ComplexVec<T, N> b) {
  return {select(m, a.re, b.re), select(m, a.im, b.im)};
}

template <class T, int N>
SUANZI_INLINE ComplexVec<T, N> conj(ComplexVec<T, N> z) {
  return {z.re, -z.im};
}

template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> isnan(ComplexVec<T, N> z) {
  return (z.re != z.re) | (z.im != z.im);
}
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> isinf(ComplexVec<T, N> z) {
  const Vec<T, N> infinity(static_cast<T>(__builtin_inf()));
  return (abs(z.re) == infinity) | (abs(z.im) == infinity);
}
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> isfinite(ComplexVec<T, N> z) {
  const Vec<T, N> infinity(static_cast<T>(__builtin_inf()));
  return (abs(z.re) < infinity) & (abs(z.im) < infinity);
}

}  // namespace suanzi::SUANZI_LEVEL
