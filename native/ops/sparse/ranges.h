// Loops over many rows or elements that threads share. A body's writes for an index depend only on that index, so
// results do not depend on the ranges.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/share.h"

namespace suanzi::sparse {

// Calls body(first, last) for ranges that make up [0, n). `work` counts the elements that the calls read.
template <class Body>
void share_elements(int64_t n, int64_t work, const Body& body) {
  share(costs::sparse_work(work), n, body);
}

// Calls body(first, last) for ranges that make up all rows. The ranges have about the same number of elements, and
// threads share the ranges.
template <class Body>
void share_rows(const int64_t* starts, int64_t rows, int64_t work, const Body& body) {
  const int64_t ranges = range_count(costs::sparse_work(work), rows), count = starts[rows];
  if (ranges == 1) return body(int64_t{0}, rows);
  const auto bound = [&](int64_t r) -> int64_t {
    if (r == ranges) return rows;
    return std::lower_bound(starts, starts + rows, count / ranges * r) - starts;
  };
  parallel_for(ranges, [&](int64_t r) { body(bound(r), bound(r + 1)); });
}

}  // namespace suanzi::sparse
