// The kernels of pooling: each result is computed from the elements of a window, which may be dilated and may extend
// past the edges.
//
// ops/pool/windows.h computes the positions of windows; ops/pool/pooling.cpp chooses the kernel.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

inline constexpr int pooled_axes = 3;  // depth, height, width; missing leading axes have size 1

enum class Pool : uint8_t {
  max,
  average,
  norm1,  // the sum of magnitudes
  norm2,  // the root of the sum of squares
  norm,   // a norm of any order
};
inline constexpr int pool_count = 5;

// The elements of an axis from which a result is computed: `count` elements from `first` on, PooledAxis::step apart.
struct Span {
  int64_t first, count;
};

struct PooledAxis {
  int64_t in, out;  // sizes
  int64_t step;
  const Span* spans;       // one span for each result
  const double* divisors;  // one divisor for each result; the divisor of an average is the product over three axes
};

// Regular windows along a row: each has `taps` elements, and the first window begins `before` elements before the row.
// The row is copied to a line with neutral elements around it. If `stride` is not 1, elements that are `stride` apart
// are collected in runs, one for each number in `remainders`. The elements that results need for one tap are then
// contiguous, from offsets[tap] on. Neighbouring taps at a stride of 2 are read from the line, in pairs.
struct RegularWindows {
  int64_t stride, taps, before;
  bool in_pairs;
  int64_t line;               // the number of elements in the line; 0 if windows are walked by their spans
  const int64_t* remainders;  // the remainders of the runs, which are distinct
  int64_t runs, run;          // the number of runs, and of elements in each
  const int64_t* offsets;
};

// A part of the results of each row, or all results if rows are short. The sizes of the last axis are those of the
// part.
struct Pooling {
  PooledAxis axis[pooled_axes];
  int64_t pitch, from;          // the number of elements in a whole row, and the first element that the part needs
  int64_t result_pitch, start;  // the number of results in a whole row, and the first result of the part
  RegularWindows regular;
  const void* divisors;  // the divisors along the row in the computing type, padded to whole vectors
  double order;          // the order of a norm
  double scale;          // a power of two by which elements are multiplied if their sum would exceed float64
  int64_t scratch;       // the number of elements of scratch memory, in the computing type
};
inline constexpr int64_t pooled_vector = 64;  // the number of lanes of the longest vector

// Computes the rows of results [first, last), counted over all planes; `in` and `out` are the addresses of the first
// elements of all planes.
using PoolKernel = void (*)(void* out, const void* in, const Pooling& p, int64_t first, int64_t last, void* scratch);
// Also finds the place in its plane of the first greatest element of each window: the place of the first NaN if there
// is one, and -1 for an empty window.
using PoolPlacesKernel = void (*)(void* out, int64_t* places, const void* in, const Pooling& p, int64_t first,
                                  int64_t last);

struct PoolingKernels {
  PoolKernel pool[pool_count][dtype_count];  // null if a pool does not accept a type
  PoolPlacesKernel places[dtype_count];
};

}  // namespace suanzi
