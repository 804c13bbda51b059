#include "base/double_double.h"

namespace suanzi {

// The functions below reduce the argument until only the first terms of the series need two float64 parts. Then the
// functions sum the series, and double the argument again step by step.

Exponential exponential(DoubleDouble x) {
  constexpr int doublings = 6;
  const double count = std::nearbyint(x.hi / ln2.hi);
  const DoubleDouble r = scaled(x - ln2 * count, 1.0 / (1 << doublings));
  const double y = r.hi;
  const double higher = y * y * y * (1.0 / 6 + y * (1.0 / 24 + y * (1.0 / 120 + y * (1.0 / 720 + y / 5040))));
  DoubleDouble less_one = r + (scaled(r * r, 0.5) + higher);
  for (int i = 0; i < doublings; ++i) less_one = scaled(less_one, 2) + less_one * less_one;
  return {less_one, static_cast<int>(count)};
}

Sine sine(DoubleDouble x) {
  constexpr int doublings = 5;
  constexpr DoubleDouble sixth{0x1.5555555555555p-3, 0x1.5555555555555p-57};
  const DoubleDouble r = scaled(x, 1.0 / (1 << doublings)), square = r * r;
  const double y = r.hi, z = square.hi;
  const double higher = y * z * z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880)));
  DoubleDouble s = r - (r * square * sixth - higher);
  DoubleDouble v = scaled(square, 0.5) - (scaled(square * square, 0.25) * sixth - z * z * z * (1.0 / 720 - z / 40320));
  for (int i = 0; i < doublings; ++i) {
    const DoubleDouble versine = scaled(s * s, 2);
    s = scaled(s - s * v, 2);
    v = versine;
  }
  return {s, v};
}

}  // namespace suanzi
