#include "ops/fft/roots.h"

#include <numbers>

#include "base/double_double.h"

namespace suanzi::fft {

Roots::Roots(int64_t n) : n_(n) {
  while ((int64_t{1} << 2 * shift_) < n) ++shift_;
  const int64_t step = int64_t{1} << shift_;
  for (int64_t i = 0; i < step; ++i) fine_.push_back(root(i, n));
  for (int64_t i = 0; i <= n; i += step) coarse_.push_back(root(i, n));
}

Roots::Root Roots::root(int64_t numerator, int64_t n) {
  const auto part = [](DoubleDouble x) {
    constexpr double splitter = 0x1p27 + 1;
    const double c = x.hi * splitter, short_part = c - (c - x.hi);
    return Part{short_part, (x.hi - short_part) + x.lo};
  };
  const Sine at = suanzi::sine(pi * static_cast<double>(numerator) / (4 * static_cast<double>(n)));
  return {part(1 - at.versine), part(at.sine)};
}

std::complex<double> Roots::operator()(int64_t k) const {
  // The code finds the root by octants, where 8k = octant * n + rest.
  const int octant = static_cast<int>(8 * k / n_);
  const bool odd = octant % 2 != 0;
  const int64_t rest = odd ? n_ - 8 * k % n_ : 8 * k % n_;
  const Root& a = coarse_[static_cast<size_t>(rest >> shift_)];
  const Root& b = fine_[static_cast<size_t>(rest & ((int64_t{1} << shift_) - 1))];
  // Returns x y with an error of about 2^-78.
  const auto product = [](Part x, Part y) {
    const double exact = x.short_part * y.short_part;
    return DoubleDouble(exact, x.short_part * y.rest + x.rest * y.short_part + x.rest * y.rest);
  };
  const auto sum = [](DoubleDouble x, DoubleDouble y) {
    const DoubleDouble high = two_sum(x.hi, y.hi);
    return high.hi + (high.lo + (x.lo + y.lo));
  };
  double cosine = sum(product(a.cosine, b.cosine), -product(a.sine, b.sine));
  double sine = sum(product(a.cosine, b.sine), product(a.sine, b.cosine));
  if (rest == n_) cosine = sine = std::numbers::sqrt2 / 2;
  if (odd) std::swap(cosine, sine);
  switch (octant / 2) {
    case 0:
      return {cosine, -sine};
    case 1:
      return {-sine, -cosine};
    case 2:
      return {-cosine, sine};
    default:
      return {sine, cosine};
  }
}

}  // namespace suanzi::fft
