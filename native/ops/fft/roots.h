// Roots of unity, rounded once to float64.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace suanzi::fft {

// Returns exp(-2πi k / n) for k in [0, n), as products of about √n sines and cosines. Symmetries at multiples of an
// eighth of a turn are exact. Parts that are mathematically 0 are exactly 0, and equal parts have equal bits.
class Roots {
 public:
  explicit Roots(int64_t n);
  std::complex<double> operator()(int64_t k) const;

 private:
  // A number, stored as the sum of a number of 26 bits and a float64. Products of two numbers of 26 bits are exact.
  struct Part {
    double short_part, rest;
  };
  struct Root {
    Part cosine, sine;
  };
  static Root root(int64_t numerator, int64_t n);  // Returns exp(πi numerator / 4n).

  int64_t n_;
  int shift_ = 0;
  std::vector<Root> coarse_, fine_;  // the roots exp(πi a 2^shift / 4n) and exp(πi b / 4n)
};

}  // namespace suanzi::fft
