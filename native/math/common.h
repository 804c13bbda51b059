// The common part of the vector mathematical functions: error-free transformations, double-double arithmetic,
// polynomials, and rounding to an integer by a magic number. All functions are branch-free and work lane by lane. Names
// follow Muller et al., "Handbook of Floating-Point Arithmetic", 2nd edition, chapters 4 and 5. Coefficients come from
// coefficients/<family>.h, as C arrays in ascending order of degree.
#pragma once

#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL::math {

template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> is_nan(Vec<T, N> x) {
  return x != x;
}
// Returns true for finite lanes, and false for infinities and NaN.
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> is_finite(Vec<T, N> x) {
  return abs(x) < Vec<T, N>(static_cast<T>(__builtin_inf()));
}

// Returns x where x is between the bounds `low` and `high`, and the nearer bound elsewhere. NaN stays NaN.
template <class T, int N>
SUANZI_INLINE Vec<T, N> clamp(Vec<T, N> x, std::type_identity_t<T> low, std::type_identity_t<T> high) {
  return min(Vec<T, N>(high), max(Vec<T, N>(low), x));
}

// A number as the unevaluated sum hi + lo.
template <class T, int N>
struct Pair {
  Vec<T, N> hi, lo;
};
template <int N>
using DoubleDouble = Pair<double, N>;
template <int N>
using FloatPair = Pair<float, N>;

// Returns a + b exactly (Knuth).
template <class T, int N>
SUANZI_INLINE Pair<T, N> two_sum(Vec<T, N> a, Vec<T, N> b) {
  const Vec<T, N> s = a + b;
  const Vec<T, N> b_part = s - a;
  const Vec<T, N> a_part = s - b_part;
  return {s, (a - a_part) + (b - b_part)};
}

// Returns a + b exactly, for |a| >= |b| or a = 0 (Dekker).
template <class T, int N>
SUANZI_INLINE Pair<T, N> fast_two_sum(Vec<T, N> a, Vec<T, N> b) {
  const Vec<T, N> s = a + b;
  return {s, b - (s - a)};
}

// Returns x as two halves of at most 26 bits each (Veltkamp), for |x| < 2^996.
template <int N>
SUANZI_INLINE DoubleDouble<N> split(Vec<double, N> x) {
  const Vec<double, N> c = x * Vec<double, N>(0x1p27 + 1);
  const Vec<double, N> hi = c - (c - x);
  return {hi, x - hi};
}

// Returns a * b - p exactly, where p is a * b rounded, unless an operation overflows or the difference is denormal.
template <int N>
SUANZI_INLINE Vec<double, N> product_error(Vec<double, N> a, Vec<double, N> b, Vec<double, N> p) {
  if constexpr (Arch::fuses_multiply_add) {
    return mul_add(a, b, -p);
  } else {
    const DoubleDouble<N> x = split(a), y = split(b);
    return ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo;
  }
}

// Returns a * b exactly.
template <int N>
SUANZI_INLINE DoubleDouble<N> two_prod(Vec<double, N> a, Vec<double, N> b) {
  const Vec<double, N> p = a * b;
  return {p, product_error(a, b, p)};
}

// Double-double arithmetic. The relative error is a few 2^-104 (Joldes, Muller, Popescu 2017) except where a comment
// says otherwise.
template <int N>
SUANZI_INLINE DoubleDouble<N> add(DoubleDouble<N> a, Vec<double, N> b) {
  const DoubleDouble<N> s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, s.lo + a.lo);
}
// Returns a + b with an error relative to |a| + |b|, because cancellation between the high parts loses low parts.
template <int N>
SUANZI_INLINE DoubleDouble<N> add(DoubleDouble<N> a, DoubleDouble<N> b) {
  const DoubleDouble<N> s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <int N>
SUANZI_INLINE DoubleDouble<N> multiply(DoubleDouble<N> a, Vec<double, N> b) {
  const DoubleDouble<N> p = two_prod(a.hi, b);
  return fast_two_sum(p.hi, mul_add(a.lo, b, p.lo));
}
template <int N>
SUANZI_INLINE DoubleDouble<N> multiply(DoubleDouble<N> a, DoubleDouble<N> b) {
  const DoubleDouble<N> p = two_prod(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + mul_add(a.hi, b.lo, a.lo * b.hi));
}

// Returns c[0] + c[1] x + c[2] x^2 + ... by Horner's scheme, which has the fewest instructions and the longest chain of
// dependent operations.
template <class T, int N, int Count>
SUANZI_INLINE Vec<T, N> horner(Vec<T, N> x, const T (&c)[Count]) {
  Vec<T, N> r(c[Count - 1]);
  for (int i = Count - 2; i >= 0; --i) r = mul_add(r, x, c[i]);
  return r;
}

// Returns c[0] + c[1] x + c[2] x^2 + ... by Horner's scheme in x^2 over pairs of terms. This scheme needs one
// multiplication more than Horner's scheme in x. The chain of dependent operations is half as long. An even shorter
// chain would need more operations. The additional operations would take more time than the shorter chain saves,
// because the processor overlaps consecutive vectors. c[0] + c[1] x is rounded only once before the last addition, so
// the error stays small.
template <class T, int N, int Count>
SUANZI_INLINE Vec<T, N> polynomial(Vec<T, N> x, const T (&c)[Count]) {
  if constexpr (Count <= 3) {
    return horner(x, c);
  } else {
    const Vec<T, N> square = x * x;
    constexpr int top = (Count - 1) / 2 * 2;
    Vec<T, N> r(c[top]);
    if constexpr (top < Count - 1) r = mul_add(x, c[top + 1], r);
    for (int i = top - 2; i >= 0; i -= 2) r = mul_add(r, square, mul_add(x, c[i + 1], Vec<T, N>(c[i])));
    return r;
  }
}

// Returns table[index] in each lane.
template <int N>
SUANZI_INLINE Vec<double, N> gather(const double* table, Vec<int64_t, N> index) {
  Vec<double, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = table[index.v[i]];
  return r;
}

// Adding 1.5 * 2^52 to |x| < 2^51 rounds x to an integer, which is then in the low bits of the sum.
inline constexpr double round_magic = 0x1.8p52;
inline constexpr uint64_t round_magic_bits = 0x4338000000000000;

template <int N>
struct Rounded {
  Vec<double, N> value;     // the nearest integer, ties to even
  Vec<int64_t, N> integer;  // `value` as an integer
};

// Rounds |x| < 2^51 to an integer. For other x, the two parts are meaningless. If a caller uses only one part, the
// compiler computes only this part.
template <int N>
SUANZI_INLINE Rounded<N> round_to_integer(Vec<double, N> x) {
  const Vec<double, N> shifted = x + Vec<double, N>(round_magic);
  return {shifted - Vec<double, N>(round_magic),
          bit_cast<int64_t>(bit_cast<uint64_t>(shifted) - Vec<uint64_t, N>(round_magic_bits))};
}

}  // namespace suanzi::SUANZI_LEVEL::math
