// Searches for the position of a value in a sorted row.
#pragma once

#include <algorithm>
#include <cstdint>

namespace suanzi {

// For each value, writes how many elements of a sorted row of n elements are less than the value. If `right` is true,
// the function counts the elements that are not greater than the value. The search halves the row without a branch. The
// function handles several values at a time, so that the memory accesses for these values overlap.
template <bool right, class Key, class Row>
void bisect(int64_t* out, const Key* values, int64_t count, const Row& row, int64_t n) {
  constexpr int64_t together = 16;
  for (int64_t i = 0; i < count; i += together) {
    const int64_t some = std::min(together, count - i);
    Key wanted[together];
    for (int64_t j = 0; j < together; ++j) wanted[j] = values[i + std::min(j, some - 1)];
    const auto belongs_after = [&](int64_t j, const Key& key) { return right ? !(wanted[j] < key) : key < wanted[j]; };
    int64_t base[together] = {};
    int64_t left = n;
    for (; left > 1; left -= left / 2) {
      const int64_t half = left / 2;
      for (int64_t j = 0; j < together; ++j)
        base[j] += half & -static_cast<int64_t>(belongs_after(j, row[base[j] + half - 1]));
    }
    for (int64_t j = 0; j < some; ++j) out[i + j] = base[j] + (left == 1 && belongs_after(j, row[base[j]]) ? 1 : 0);
  }
}

}  // namespace suanzi
