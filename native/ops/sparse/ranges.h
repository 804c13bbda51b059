// Loops over many rows or elements, shared out among threads. What a body writes for an index depends on that index
// alone, so that results do not depend on the ranges.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/threads.h"

namespace suanzi::sparse {

inline constexpr int64_t parallel_work = 65536;  // elements

inline int64_t range_count(int64_t n, int64_t work) {
  return work < parallel_work ? 1 : std::clamp<int64_t>(4 * num_threads(), 1, std::max<int64_t>(n, 1));
}

// body(first, last) for ranges that make up [0, n); `work` counts the elements that are looked at.
template <class Body>
void for_ranges(int64_t n, int64_t work, const Body& body) {
  const int64_t ranges = range_count(n, work);
  if (ranges == 1) return body(int64_t{0}, n);
  parallel_for(ranges, [&](int64_t r) { body(n * r / ranges, n * (r + 1) / ranges); });
}

// The same for rows, in ranges of about as many elements.
template <class Body>
void for_row_ranges(const int64_t* starts, int64_t rows, int64_t work, const Body& body) {
  const int64_t ranges = range_count(rows, work), count = starts[rows];
  if (ranges == 1) return body(int64_t{0}, rows);
  const auto bound = [&](int64_t r) -> int64_t {
    if (r == ranges) return rows;
    return std::lower_bound(starts, starts + rows, count / ranges * r) - starts;
  };
  parallel_for(ranges, [&](int64_t r) { body(bound(r), bound(r + 1)); });
}

}  // namespace suanzi::sparse
