// Logarithms by a table of 8 to 32 entries, for levels with tables in registers and fused multiply-add. Logarithms of
// float32 are computed in pairs of floats, with bounds of the error (rounding.h). Logarithms of float64 have errors of
// at most 0.51 ulp.
//
// x = 2^k m, and m is in a cell of mantissas with a middle c. The reciprocal of c is so short that h = (m / c - 1) / 2
// is exact. To base e, log(x) = start + log(1 + 2h), start = k log(2) + log(c), log(1 + 2h) = 2 (h - h^2) + h^3 P(h).
// The high part of `start` is also exact, because the high parts of log(2) and log(c) are so short that a number holds
// their sum. The result is s + low, where s is start + 2 (h - h^2), rounded in any direction. The rounding error of s
// is computed exactly, because h^2 is inside a fused multiply-add. (For this purpose, h has a factor 1/2, so h^2 needs
// no factor.) Only parts that are small compared with s have rounding errors: h^3 P(h), and the low part of `start`.
// Around 1, c is 1 (2 for the last cell below 1), and the high part of `start` is 0. In these cells, s is about 2h, so
// the result and the error approach 0 together. log(1) is exact.
//
// For other bases, the terms of s are products with 2 log(e), and a fused multiply-add computes their rounding errors.
#pragma once

#include "math/coefficients/log.h"
#include "math/rounding.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace logarithm {

namespace c = suanzi::coefficients;

enum class Base { e, two, ten };

template <class T>
inline constexpr bool has_table =
    Arch::fuses_multiply_add && (sizeof(T) == 4 ? Arch::float_table != 0 : Arch::looks_up_in_registers);

// Defines a table of cells. The mantissas from `start` to 2 * `start` are divided into cells, which begin where the
// bits above the last `shift` bits change.
#define SUANZI_CELLS(name, shift_, count, precision)                              \
  struct name {                                                                   \
    static constexpr int shift = shift_;                                          \
    static constexpr auto start = c::log_##count##_start[0][0];                   \
    static constexpr const auto& half_inverse = c::log_##count##_half_inverse[0]; \
    static constexpr const auto& high = c::log_##count##_high;                    \
    static constexpr const auto& low = c::log_##count##_low;                      \
    static constexpr const auto& cubic = c::log_##count##_cubic;                  \
    static constexpr const auto& unit = c::log_##precision##_unit;                \
    static constexpr const auto& scale = c::log_##precision##_scale;              \
  };
SUANZI_CELLS(Cells8, 20, 8, single)    // |h| <= 1/32
SUANZI_CELLS(Cells32, 18, 32, single)  // |h| <= 1/64
SUANZI_CELLS(Cells16, 48, 16, double)  // |h| <= 1/32
#undef SUANZI_CELLS
template <class T>
using Cells = std::conditional_t<sizeof(T) == 8, Cells16, std::conditional_t<Arch::float_table == 32, Cells32, Cells8>>;

// The constant is true if the cells begin at 1, because instructions find exponent and mantissa. No argument then needs
// special treatment. If an argument is not positive and finite, its exponent or mantissa is infinite or NaN, and the
// result is NaN.
template <class T>
inline constexpr bool begins_at_one = Cells<T>::start == 1;

// The splitting x = 2^k m, where the lowest bits of `cell` are the index of the cell of m.
template <class T, int N>
struct InCell {
  Vec<T, N> k, m;
  Vec<UintFor<T>, N> cell;
};
template <class T, int N>
SUANZI_INLINE InCell<T, N> find_cell(Vec<T, N> x) {
  if constexpr (begins_at_one<T>) {
    const Vec<T, N> m = mantissa(x);
    return {exponent(x), m, bit_cast<UintFor<T>>(m) >> Cells<T>::shift};
  } else {
    using Bits = Vec<uint32_t, N>;
    const Bits start = bit_cast<uint32_t>(Vec<float, N>(Cells<T>::start));
    const Bits bits = bit_cast<uint32_t>(x) - start;
    const Vec<float, N> m = bit_cast<float>((bits & Bits(uint32_t{0x7fffff})) + start);
    return {convert<float>(bit_cast<int32_t>(bits) >> 23), m, bits >> Cells<T>::shift};
  }
}

// A logarithm as the unevaluated sum s + low, and the h of log_in_cell, whose argument is 2^k c (1 + 2h).
template <class T, int N>
struct Sum {
  Vec<T, N> s, low, h;
};
// Returns the logarithm of 2^k c (1 + 2h), or of 2^k c (1 + 2 (h + h_low)) where |h_low| is at most half an ulp of h.
template <Base base, class T, int N, class... Low>
SUANZI_INLINE Sum<T, N> log_in_cell(const InCell<T, N>& at, Vec<T, N> h, Low... h_low) {
  using V = Vec<T, N>;
  using C = Cells<T>;
  constexpr int b = static_cast<int>(base);
  constexpr T unit = C::unit[b][0], unit_low = C::unit[b][1], scale = C::scale[b][0], scale_low = C::scale[b][1];
  V start = lookup(C::high[b], at.cell), start_low = lookup(C::low[b], at.cell);
  start = unit == 1 ? at.k + start : mul_add(at.k, V(unit), start);
  if constexpr (unit_low != 0) start_low = mul_add(at.k, V(unit_low), start_low);

  const V square = h * h, v = h - square, s = mul_add(v, V(scale), start);
  const V cube = h * square, p = polynomial(h, C::cubic[b]);
  if constexpr (base == Base::e) {
    V rest = mul_add(-h, h, mul_add(s - start, V(T(-0.5)), h));  // h - h^2 - (s - start) / 2
    ((rest = mul_add(h_low, mul_add(h, V(T(-2)), V(T(1))), rest)), ...);
    return {s, mul_add(mul_add(cube, p, rest), V(T(2)), start_low), h};
  } else {
    const V v_low = mul_add(-h, h, h - v);  // v + v_low = h - h^2
    const V rest = mul_add(v_low, V(scale), mul_add(v, V(scale), start - s));
    return {s, mul_add(cube, p, mul_add(v, V(scale_low), rest)) + start_low, h};
  }
}

template <Base base, class T, int N>
SUANZI_INLINE Sum<T, N> log_sum(Vec<T, N> x) {
  const InCell<T, N> at = find_cell(x);
  return log_in_cell<base>(at, mul_add(at.m, lookup(Cells<T>::half_inverse, at.cell), Vec<T, N>(T(-0.5))));
}

// Returns log(u + u_low), where |u_low| is at most a few ulp of u.
template <class T, int N>
SUANZI_INLINE Sum<T, N> log_sum(Vec<T, N> u, Vec<T, N> u_low) {
  using V = Vec<T, N>;
  using Bits = UintFor<T>;
  const InCell<T, N> at = find_cell(u);
  const V half_inverse = lookup(Cells<T>::half_inverse, at.cell);
  // The variable is half_inverse / 2^k, where 2^k = u / m. The difference of the bit patterns of u and m is the
  // difference of their exponents. For u >= 2^126 (2^1022 for float64), the difference is so wrong that the result is
  // NaN.
  const V scaled = bit_cast<T>(bit_cast<Bits>(half_inverse) + (bit_cast<Bits>(at.m) - bit_cast<Bits>(u)));
  const V exact = mul_add(at.m, half_inverse, V(T(-0.5))), more = u_low * scaled;
  const V h = exact + more;
  return log_in_cell<Base::e>(at, h, more - (h - exact));
}

// Returns log(1 + x). 1 + x is not rounded. Around 0, h + h_low = x / 2.
template <class T, int N>
SUANZI_INLINE Vec<T, N> one_plus(Vec<T, N> x) {
  return Vec<T, N>(T(1)) + x;
}
template <class T, int N>
SUANZI_INLINE Sum<T, N> log1p_sum(Vec<T, N> x) {
  const Vec<T, N> one(T(1)), larger = max(one, x), smaller = min(one, x), u = one_plus(x);
  return log_sum(u, smaller - (u - larger));
}

// Returns r, or x where |x| is below 2^-26 (2^-55 for float64) and log(1 + x) is x. Zeros of either sign are below the
// bound. Denormals, whose half is not exact, are below the bound, too.
template <class T, int N>
SUANZI_INLINE Vec<T, N> small_or(Vec<T, N> x, Vec<T, N> r) {
  return select(abs(x) < Vec<T, N>(T(sizeof(T) == 4 ? 0x1p-26 : 0x1p-55)), x, r);
}

// Returns s + low - bound and s + low + bound, rounded. The relative error of s + low is below 2^-36.4 + 2^-21 h^2.
// With 8 cells, h is larger, and this bound is too large. The second term is then h^3 P(h) itself, which needs one more
// instruction. A test of every float32 shows that the errors reach 0.9 of the second bound. At levels where arguments
// need special treatment, lanes with arguments that are not positive and normal are open.
template <Base base, int N>
SUANZI_INLINE Ends<N> round_sum(const Sum<float, N>& a, Vec<float, N> x) {
  using V = Vec<float, N>;
  constexpr float relative = 0x1.8p-37f, cubic = 0x1p-21f;
  if constexpr (begins_at_one<float>) {
    const V bound = mul_add(a.h * a.h, V(cubic), V(relative));
    return round_ends(a.s, mul_add(-a.s, bound, a.low), mul_add(a.s, bound, a.low));
  } else {
    constexpr float scale = Cells<float>::scale[static_cast<int>(base)][0];
    const V bound = mul_add(abs(a.h * (a.h * a.h)), V(cubic * scale), abs(a.s) * V(relative));
    // The bit patterns of the positive normal numbers are 0x7f000000 consecutive integers, which begin with 0x800000.
    // The addition moves these integers to the lowest signed integers.
    using Integer = Vec<int32_t, N>;
    const Integer moved = bit_cast<int32_t>(bit_cast<uint32_t>(x) + Vec<uint32_t, N>(uint32_t{0x7f800000}));
    return open_where(round_ends(a.s, a.low - bound, a.low + bound), moved > Integer(-0x01000001));
  }
}

}  // namespace logarithm

}  // namespace suanzi::SUANZI_LEVEL::math
