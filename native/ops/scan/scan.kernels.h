// The kernels of a scan, which computes the sums or products of all elements up to each element.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

enum class Scan : uint8_t { sum, prod, count };
inline constexpr int scan_count = static_cast<int>(Scan::count);

// The greatest size of a carry in bytes.
inline constexpr int64_t carry_bytes = 32;

// A line is scanned in chunks. A carry is the fold of all elements before a chunk, and a total is the fold of the
// chunk. Callers need not know the format of carries and totals.
struct ScanKernels {
  void (*start)(void* carry) = nullptr;
  // Scans a chunk, and turns its carry into the carry of the next chunk.
  void (*along)(void* out, const void* in, int64_t n, void* carry) = nullptr;
  // Scan without writing results, in two steps: compute the total of a chunk, and then the next carry.
  void (*total)(void* total, const void* in, int64_t n) = nullptr;
  void (*advance)(void* carry, const void* total) = nullptr;
  // Does one step of n scans side by side, with their n carries, which the first step sets.
  void (*across)(void* out, const void* in, int64_t n, void* carries, bool first) = nullptr;
};

struct ScanTable {
  ScanKernels of[scan_count][dtype_count] = {};  // by the type that is scanned
};

}  // namespace suanzi
