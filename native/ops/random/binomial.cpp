// Functions that draw binomial numbers. If p is greater than 1/2, the code counts failures instead of successes. The
// method is inversion if the expected count is small. Otherwise, the method is Hörmann's transformed rejection
// (algorithm BTRS in "The generation of binomial random variates", J. Stat. Comput. Simul. 46, 1993).
#include "ops/random/binomial.h"

#include <algorithm>
#include <cmath>

namespace suanzi {
namespace {

constexpr double few = 10;  // the method is inversion for smaller expected counts

// Returns a binomial number by inversion. The function counts up from 0 until the sum of the probabilities exceeds a
// uniform number.
int64_t by_inversion(int64_t n, double p, Draws& draws) {
  const double odds = p / (1 - p), trials = static_cast<double>(n);
  const double none = std::exp(trials * std::log1p(-p));
  // The count stops at this bound, because the probability of a greater number is below 2^-64. Only rounding errors
  // could lead beyond the bound.
  const int64_t bound = std::min(n, static_cast<int64_t>(trials * p + 12 * std::sqrt(trials * p + 1)) + 20);
  double u = draws.uniform(), probability = none;
  int64_t k = 0;
  for (; k < bound && u > probability; ++k) {
    u -= probability;
    probability *= odds * (trials - static_cast<double>(k)) / (static_cast<double>(k) + 1);
  }
  return k;
}

// Returns log(x!) - ((x + 1/2) log(x + 1) - (x + 1) + log(2 pi) / 2), the error of Stirling's formula.
double stirling_rest(double x) {
  constexpr double table[] = {0.0810614667953272582, 0.0413406959554092941, 0.0276779256849983392,
                              0.0207906721037650931, 0.0166446911898211922, 0.0138761288230707480,
                              0.0118967099458917701, 0.0104112652619720965, 0.00925546218271273292,
                              0.00833056343336287126};
  if (x < 10) return table[static_cast<int>(x)];
  const double inverse = 1 / (x + 1), square = inverse * inverse;
  return (1.0 / 12 - (1.0 / 360 - square / 1260) * square) * inverse;
}

// Returns log(x! / (x + d)!) without the terms that are linear in d.
double falling(double x, double d) {
  return -(x + d + 0.5) * std::log1p(d / (x + 1)) + stirling_rest(x) - stirling_rest(x + d);
}

int64_t by_rejection(int64_t count, double p, Draws& draws) {
  const double n = static_cast<double>(count), q = 1 - p, deviation = std::sqrt(n * p * q);
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
  const double inside = 0.92 - 4.2 / b;
  // Returns true if the exact test accepts k. For large n p, one attempt in five needs this test. For an n p near the
  // bound `few`, more than half of the attempts need the test.
  const auto below = [&](double k, double edge, double v) {
    const double mode = std::floor((n + 1) * p), d = k - mode, alpha = (2.83 + 5.1 / b) * deviation;
    const double slope = std::log((n - mode + 1) * p / ((mode + 1) * q));
    // The code computes the logarithm of P(k) / P(mode) from differences of factorials, which do not cancel for large
    // n.
    return std::log(v * alpha / (a / (edge * edge) + b)) <= falling(mode, d) + falling(n - mode, -d) + d * slope;
  };
  for (;;) {
    const double u = draws.uniform() - 0.5, v = draws.uniform();
    const double edge = 0.5 - std::fabs(u), k = std::floor((2 * a / edge + b) * u + c);
    if (k >= 0 && k <= n && ((edge >= 0.07 && v <= inside) || below(k, edge, v)))
      return k < 0x1p63 ? std::min(count, static_cast<int64_t>(k)) : count;
  }
}

}  // namespace

int64_t binomial(int64_t n, double p, Draws& draws) {
  if (!(p < 1)) return n;
  if (p > 0.5) return n - binomial(n, 1 - p, draws);
  return static_cast<double>(n) * p < few ? by_inversion(n, p, draws) : by_rejection(n, p, draws);
}

}  // namespace suanzi
