#include "ops/fft/roots.h"

#include <cmath>
#include <numbers>

namespace suanzi::fft {

Roots::Roots(int64_t n) : n_(n) {
  while ((int64_t{1} << 2 * shift_) < n) ++shift_;
  const int64_t step = int64_t{1} << shift_;
  const long double unit = std::numbers::pi_v<long double> / (4 * static_cast<long double>(n));
  const auto root = [&](int64_t i) {
    const long double angle = unit * static_cast<long double>(i);
    return Root(std::cos(angle), std::sin(angle));
  };
  for (int64_t i = 0; i < step; ++i) fine_.push_back(root(i));
  for (int64_t i = 0; i <= n; i += step) coarse_.push_back(root(i));
}

std::complex<long double> Roots::operator()(int64_t k) const {
  // By octants: 8k = octant n + rest.
  const int octant = static_cast<int>(8 * k / n_);
  const bool odd = octant % 2 != 0;
  const int64_t rest = odd ? n_ - 8 * k % n_ : 8 * k % n_;
  const Root& a = coarse_[static_cast<size_t>(rest >> shift_)];
  const Root& b = fine_[static_cast<size_t>(rest & ((int64_t{1} << shift_) - 1))];
  long double cosine = a.real() * b.real() - a.imag() * b.imag();
  long double sine = a.real() * b.imag() + a.imag() * b.real();
  if (rest == n_) cosine = sine = std::numbers::sqrt2_v<long double> / 2;
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
