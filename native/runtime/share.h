// Divides work among threads in ranges of consecutive units. Other loops call parallel_for (runtime/threads.h) with
// tasks of their own.
//
// The unit of work is a byte that is read or written with little other work. runtime/costs.h defines the equivalents
// for other work. No result may depend on the ends of the ranges.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/costs.h"
#include "runtime/threads.h"

namespace suanzi {

inline bool is_shared(int64_t work) { return work >= costs::shared_work; }

// Returns the expected length of a loop over `work`. The length decides whether the loop wakes sleeping threads at
// once.
constexpr Length length_of(int64_t work) { return work < costs::brief_work ? Length::brief : Length::any; }

// Returns the number of ranges into which `units` are divided. Each thread has a few ranges, so that one delayed thread
// does not delay the loop. The function returns 1 if the work is too little to be shared, or if only one thread runs.
inline int64_t range_count(int64_t work, int64_t units) {
  if (!is_shared(work)) return 1;
  const int64_t threads = num_threads();
  return threads == 1 ? 1 : std::clamp<int64_t>(units, 1, costs::ranges_per_thread * threads);
}

// Calls body(range, first, last) for each of the given number of ranges that make up [0, units).
template <class Body>
void for_ranges(int64_t ranges, int64_t work, int64_t units, Body&& body) {
  if (ranges <= 1) return body(int64_t{0}, int64_t{0}, units);
  parallel_for(ranges, length_of(work),
               [&](int64_t range) { body(range, units * range / ranges, units * (range + 1) / ranges); });
}

// Calls body(first, last) for ranges that make up [0, units), on several threads if the work is large enough.
template <class Body>
void share(int64_t work, int64_t units, Body&& body) {
  for_ranges(range_count(work, units), work, units, [&](int64_t, int64_t first, int64_t last) { body(first, last); });
}

}  // namespace suanzi
