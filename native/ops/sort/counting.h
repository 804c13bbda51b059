// A class that counts the bit patterns of elements of one or two bytes. sort and unique use these counts instead of
// comparisons of elements.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/kernel.h"
#include "ops/sort/sort.kernels.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"

namespace suanzi {

template <class Bits>
class PatternCounts {
 public:
  static constexpr int64_t patterns = int64_t{1} << (8 * sizeof(Bits));

  // Counts the patterns of the n elements of a row, on several threads if the row is long. Each element is read only
  // once.
  void count(const Bits* elements, int64_t n) {
    // A chunk has at most 2^31 elements, so 32 bits can count the elements.
    chunks_ = std::max(std::clamp<int64_t>(n / (4 * patterns), 1, num_threads()), (n >> 31) + 1);
    auto* const counts = memory_.take<uint32_t>(chunks_ * lanes * patterns);
    parallel_for(chunks_, [&](int64_t chunk) {
      uint32_t* const mine = counts + chunk * lanes * patterns;
      std::fill_n(mine, lanes * patterns, 0);
      const int64_t end = n * (chunk + 1) / chunks_;
      int64_t i = n * chunk / chunks_;
      for (; i + lanes <= end; i += lanes)
        for (int64_t lane = 0; lane < lanes; ++lane) ++mine[lane * patterns + elements[i + lane]];
      for (; i < end; ++i) ++mine[elements[i]];
    });
  }

  // Returns the number of parts of the row that are counted separately. This number is 1 for a short row.
  int64_t chunks() const { return chunks_; }

  int64_t of(Bits pattern) const {
    int64_t sum = 0;
    for (int64_t table = 0; table < chunks_ * lanes; ++table)
      sum += memory_.get<uint32_t>()[table * patterns + pattern];
    return sum;
  }

 private:
  // For bytes, the code uses several tables in turn, because each increment of a counter depends on the previous
  // increment of this counter.
  static constexpr int64_t lanes = sizeof(Bits) == 1 ? 4 : 1;
  Scratch memory_;
  int64_t chunks_ = 1;
};

// Writes the patterns of the element type in the order of their exact keys.
template <class Bits>
void patterns_in_order(Bits* out, DType type, bool descending) {
  alignas(64) uint32_t ranks[256];
  for (int64_t first = 0; first < PatternCounts<Bits>::patterns; first += 256) {
    for (int64_t i = 0; i < 256; ++i) ranks[i] = static_cast<uint32_t>(first + i);
    kernels().sorting->decode[static_cast<int>(type)](out + first, ranks, 256, descending);
  }
}

}  // namespace suanzi
