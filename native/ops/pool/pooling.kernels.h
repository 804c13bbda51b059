// The kernels of pooling compute each result from the elements of a window. A window may be dilated and may extend past
// the edges.
//
// ops/pool/windows.h computes the positions of windows. ops/pool/pooling.cpp chooses the kernel.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

// The axes are depth, height and width. Missing leading axes have size 1.
inline constexpr int pooled_axes = 3;

enum class Pool : uint8_t {
  max,
  average,
  norm1,  // the sum of magnitudes
  norm2,  // the root of the sum of squares
  norm,   // a norm of any order
};
inline constexpr int pool_count = 5;

// The elements of an axis from which a result is computed. A span has `count` elements, the first of which is `first`.
// PooledAxis::step is the distance from each element to the next.
struct Span {
  int64_t first, count;
};

struct PooledAxis {
  int64_t in, out;  // the sizes of the operand and of the result
  int64_t step;
  const Span* spans;  // one span for each result
  // The kernel has one divisor for each result. The divisor of an average is the product over three axes.
  const double* divisors;
};

// Regular windows along a row. Each window has `taps` elements, and the first window begins `before` elements before
// the row. The kernel copies the row to a line with neutral elements around the row. If `stride` is not 1, the kernel
// makes runs of elements that are `stride` apart, one run for each first element in `remainders`. The elements that
// results need for one tap are then contiguous, and the first of these elements is at offsets[tap]. At a stride of 2
// without dilation, the kernel reads pairs of neighbouring taps from the line instead.
struct RegularWindows {
  int64_t stride, taps, before;
  bool in_pairs;
  // The number of elements in the line is 0 if the kernel walks windows by their spans.
  int64_t line;
  const int64_t* remainders;  // the remainders of the runs, which are distinct
  int64_t runs, run;          // the number of runs, and the number of elements in each run
  const int64_t* offsets;
};

// A part of the results of each row, or all results if rows are short. In the last axis, the sizes count the elements
// of the part.
struct Pooling {
  PooledAxis axis[pooled_axes];
  int64_t pitch, from;          // the number of elements in a whole row, and the first element that the part needs
  int64_t result_pitch, start;  // the number of results in a whole row, and the first result of the part
  RegularWindows regular;
  const void* divisors;  // the divisors along the row in the computing type, padded to whole vectors
  double order;          // the order of a norm
  // The power of two by which the kernel multiplies elements if their sum would exceed float64.
  double scale;
  int64_t scratch;  // the number of elements of scratch memory, in the computing type
};
inline constexpr int64_t pooled_vector = 64;  // the number of lanes of the longest vector

// Computes the rows of results [first, last), counted over all planes. `in` and `out` are the addresses of the first
// elements of all planes.
using PoolKernel = void (*)(void* out, const void* in, const Pooling& p, int64_t first, int64_t last, void* scratch);
// The type of a kernel that also finds the place of the first greatest element of each window, counted within the
// plane. The place for a window with NaN is the place of the first NaN, and the place for an empty window is -1.
using PoolPlacesKernel = void (*)(void* out, int64_t* places, const void* in, const Pooling& p, int64_t first,
                                  int64_t last);

struct PoolingKernels {
  // A pointer is null if the pool does not accept the type.
  PoolKernel pool[pool_count][dtype_count];
  PoolPlacesKernel places[dtype_count];
};

}  // namespace suanzi
