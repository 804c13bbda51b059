// How float32's logarithms reduce their argument by table, where the tables fit in registers (AVX-512): what remains is
// so small that a few terms of a series do. All in float64.
#pragma once

#include "math/coefficients/short_reduction.h"
#include "math/common.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace short_reduction {

namespace c = suanzi::coefficients;

// log2 |x| = log2_c + log2(1 + r), |r| < 1/30. Where |x| is near 1, log2_c = 0 and r = |x| - 1.
template <int N>
struct Logarithm {
  Vec<double, N> log2_c, r;
};
// For a normal x; others have a meaningless, though finite, r.
template <int N>
SUANZI_INLINE Logarithm<N> logarithm(Vec<double, N> x) {
  using Bits = Vec<uint64_t, N>;
  constexpr uint64_t one = 0x3ff0000000000000, mantissa = 0x000fffffffffffff;
  const Bits start = bit_cast<uint64_t>(Vec<double, N>(c::short_log_start));
  const Bits bits = bit_cast<uint64_t>(x) + (Bits(one) - start);
  const Vec<double, N> k = exponent(bit_cast<double>(bits)), m = bit_cast<double>((bits & Bits(mantissa)) + start);
  const Bits cell = bits >> 48;
  return {k + lookup(c::short_log_log2, cell), mul_add(m, lookup(c::short_log_inverse, cell), Vec<double, N>(-1.0))};
}

}  // namespace short_reduction

}  // namespace suanzi::SUANZI_LEVEL::math
