// Products whose partial results leave the range of float64, although the products may be in this range. The code
// computes the products as mantissas and exponents.
#pragma once

#include <atomic>
#include <cfenv>
#include <cstdint>

#include "ops/reduce/reduce.h"

namespace suanzi {

// Detects multiplications of any thread that left the range of normal numbers and lost digits. The processor always
// keeps a flag for these multiplications. A read of the flag takes a few cycles, and no kernel becomes slower.
class RangeWatch {
 public:
  // Watches the multiplications of this thread while the guard exists.
  class Guard {
   public:
    explicit Guard(RangeWatch* watch) : watch_(watch) {
      if (watch_ && std::fetestexcept(left) != 0) std::feclearexcept(left);
    }
    ~Guard() {
      if (watch_ && std::fetestexcept(left) != 0) watch_->noted_.store(true, std::memory_order_relaxed);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    static constexpr int left = FE_OVERFLOW | FE_UNDERFLOW;
    RangeWatch* watch_;
  };

  bool noted() const { return noted_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> noted_{false};
};

// Replaces each product in `plain` whose error is larger than the roundings of its multiplications can cause. The other
// products keep their bits. `plain` holds the accumulators and is contiguous.
void mend_products(const walk::Elements& x, uint64_t axes, const Staging& staging, const Tensor& plain);

}  // namespace suanzi
