// The kernels of a scan: the sums or products of all elements up to each.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

enum class Scan : uint8_t { sum, prod, count };
inline constexpr int scan_count = static_cast<int>(Scan::count);

// The bytes of one carry, at most.
inline constexpr int64_t carry_bytes = 32;

// A line is scanned in chunks. The fold of everything before a chunk is a carry, that of the chunk a total; both are
// opaque here.
struct ScanKernels {
  void (*start)(void* carry) = nullptr;
  // Scans a chunk, whose carry becomes that of the next.
  void (*along)(void* out, const void* in, int64_t n, void* carry) = nullptr;
  // The scan without the results, in two steps: the total of a chunk, and the carry that it makes.
  void (*total)(void* total, const void* in, int64_t n) = nullptr;
  void (*advance)(void* carry, const void* total) = nullptr;
  // One step of n scans side by side, with their n carries, which the first step sets.
  void (*across)(void* out, const void* in, int64_t n, void* carries, bool first) = nullptr;
};

struct ScanTable {
  ScanKernels of[scan_count][dtype_count] = {};  // by the type that is scanned
};

}  // namespace suanzi
