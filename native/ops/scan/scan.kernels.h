// The kernels of a scan, which computes the sums or products of all elements up to each element.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

enum class Scan : uint8_t { sum, prod, count };
inline constexpr int scan_count = static_cast<int>(Scan::count);

// The greatest size of a carry in bytes.
inline constexpr int64_t carry_bytes = 32;

// The kernels scan a line in chunks. A carry is the fold of all elements before a chunk, and a total is the fold of the
// chunk. Callers do not use the format of carries and totals.
struct ScanKernels {
  void (*start)(void* carry) = nullptr;
  // Scans a chunk, and replaces its carry by the carry of the next chunk.
  void (*along)(void* out, const void* in, int64_t n, void* carry) = nullptr;
  // The next two kernels scan a chunk in two steps without writing results. `total` computes the total of a chunk, and
  // `advance` computes the next carry. A floating total is NaN if the total does not determine the next carry, because
  // a fold of some elements may leave the range of float64.
  void (*total)(void* total, const void* in, int64_t n) = nullptr;
  void (*advance)(void* carry, const void* total) = nullptr;
  // Continues n scans side by side by one element each. The first step sets the n carries of these scans.
  void (*across)(void* out, const void* in, int64_t n, void* carries, bool first) = nullptr;
};

struct ScanTable {
  // The index is the type that a kernel scans.
  ScanKernels of[scan_count][dtype_count] = {};
};

}  // namespace suanzi
