// Roots of unity, rounded once to float64.
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
  std::complex<double> operator()(int64_t k) const;

 private:
  // A number as the sum of one of 26 bits and a float64: products of the first parts are exact.
  struct Part {
    double short_part, rest;
  };
  struct Root {
    Part cosine, sine;
  };
  static Root root(int64_t numerator, int64_t n);  // exp(πi numerator / 4n)

  int64_t n_;
  int shift_ = 0;
  std::vector<Root> coarse_, fine_;  // exp(πi a 2^shift / 4n), exp(πi b / 4n)
};

}  // namespace suanzi::fft
