// Numbers of two float64 parts, hi + lo, for the few functions of the core that need more precision than float64.
// Results computed with such numbers have the same bits on every processor and with every C library. The precision of
// long double is 53, 64 or 113 bits, depending on the platform. Kernels use math/common.h instead.
//
// Names and error bounds are from Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks
// of double-word arithmetic", ACM TOMS 44 (2017). The bounds are a few units of 2^-104.
#pragma once

#include <cmath>

namespace suanzi {

struct DoubleDouble {
  double hi = 0, lo = 0;
  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double high, double low = 0) : hi(high), lo(low) {}
  double rounded() const { return hi + lo; }
};

// Returns a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
// Returns a + b exactly for |a| >= |b| or a = 0, in fewer operations than two_sum.
inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
// Returns a * b exactly, unless a part overflows or is denormal.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
#ifdef __FP_FAST_FMA
  return {product, std::fma(a, b, -product)};
#else
  constexpr double splitter = 0x1p27 + 1;
  const double ca = a * splitter, cb = b * splitter;
  const double ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
#endif
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
  const DoubleDouble sum = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(sum.hi, low.lo + sum.lo);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a - b * first;
  const double second = rest.hi / b.hi;
  const double third = (rest - b * second).hi / b.hi;
  return fast_two_sum(first, second) + third;
}
// Returns a * power_of_two. The product is exact.
inline DoubleDouble scaled(DoubleDouble a, double power_of_two) { return {a.hi * power_of_two, a.lo * power_of_two}; }

inline constexpr DoubleDouble pi{0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};
inline constexpr DoubleDouble ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// The relative error of the functions below is at most 2^-67. If a caller rounds a result to float64, almost the whole
// error of the rounded result is therefore the error of this rounding.

// `less_one` is e^x / 2^exponent - 1, for a finite x whose exponential does not overflow.
struct Exponential {
  DoubleDouble less_one;
  // The exponent is 0 if |x| < ln 2 / 2.
  int exponent;
};
Exponential exponential(DoubleDouble x);

// The sine of x and 1 - cosine of x, for |x| up to pi / 4 or slightly more.
struct Sine {
  DoubleDouble sine, versine;
};
Sine sine(DoubleDouble x);

}  // namespace suanzi
