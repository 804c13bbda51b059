// Functions that draw binomial numbers from Philox. A binomial number is the number of times that an event of
// probability p happens in n trials.
#pragma once

#include <cstdint>

#include "ops/random/philox.h"

namespace suanzi {

// The source of the uniform numbers for one element, which may need any number of uniform numbers. Each attempt uses
// the block whose number is the element's number.
class Draws {
 public:
  Draws(uint64_t seed, uint64_t number) : seed_(seed), number_(number) {}

  // Returns a number in (0, 1), which is an odd multiple of 2^-53.
  double uniform() {
    if (next_ == 2) {
      block_ = philox::generate(seed_, number_, philox::Stream::binomial, attempt_++);
      next_ = 0;
    }
    const uint64_t word = block_.word[2 * next_] | uint64_t{block_.word[2 * next_ + 1]} << 32;
    ++next_;
    return static_cast<double>(word >> 12) * 0x1p-52 + 0x1p-53;
  }

 private:
  uint64_t seed_, number_;
  uint32_t attempt_ = 0;
  philox::Block block_ = {};
  int next_ = 2;
};

// Returns a binomial number for n >= 0. An event with a p of at least 1 is certain.
int64_t binomial(int64_t n, double p, Draws& draws);

}  // namespace suanzi
