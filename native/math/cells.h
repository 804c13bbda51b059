// Functions of float32 by cells, in lanes of float32: a polynomial around a point of each, whose coefficients registers
// hold as tables. The value at the point and the slope are floats but for a hundredth of an ulp, and what is added to
// the value is at most an eighth of it, so that its rounding errors stay below a tenth of an ulp.
#pragma once

#include "math/common.h"

namespace suanzi::SUANZI_LEVEL::math {

// Whether 32 floats fit in registers that an instruction looks up.
inline constexpr bool has_cells = Arch::looks_up_in_registers;

namespace cells {

// A point and seven coefficients, each for every cell: coefficients/cells.py makes them.
using Table = float[8][32];

// Cell 0 ends at `first`, a power of 2; the others are quarters of octaves. For x >= 0; NaN has any.
template <int N>
SUANZI_INLINE Vec<uint32_t, N> number(Vec<float, N> x, float first) {
  using Bits = Vec<uint32_t, N>;
  const uint32_t before = (__builtin_bit_cast(uint32_t, first) >> 21) - 1;
  return max(bit_cast<uint32_t>(x) >> 21, Bits(before)) - Bits(before);
}

template <int N>
SUANZI_INLINE Vec<float, N> point(const Table& table, Vec<uint32_t, N> cell) {
  return lookup(table[0], cell);
}

// The function at a distance r from the point of the cell.
template <int N>
SUANZI_INLINE Vec<float, N> value(const Table& table, Vec<uint32_t, N> cell, Vec<float, N> r) {
  using V = Vec<float, N>;
  const auto c = [&](int power) __attribute__((always_inline)) { return lookup(table[1 + power], cell); };
  const V square = r * r;
  const V high = mul_add(square, c(6), mul_add(r, c(5), c(4)));
  const V rest = square * mul_add(square, high, mul_add(r, c(3), c(2)));
  return c(0) + mul_add(r, c(1), rest);
}

}  // namespace cells

}  // namespace suanzi::SUANZI_LEVEL::math
