// Roots of unity, exact to well below the last place of float64.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace suanzi::fft {

// exp(-2πi k / n) for k in [0, n): of the order of √n sines and cosines, whose products give all. Multiples of an
// eighth of a turn are exact in what is symmetric: a part that is 0 is 0, equal parts are equal.
class Roots {
 public:
  explicit Roots(int64_t n);
  std::complex<long double> operator()(int64_t k) const;

 private:
  using Root = std::complex<long double>;
  int64_t n_;
  int shift_ = 0;
  std::vector<Root> coarse_, fine_;  // exp(πi a 2^shift / 4n), exp(πi b / 4n)
};

}  // namespace suanzi::fft
