// The kernels of pooling: each result is made of the elements of a window, which may be dilated and reach past the
// edges.
//
// ops/pool/windows.h says where windows lie; ops/pool/pooling.cpp chooses the kernel.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace suanzi {

inline constexpr int pooled_axes = 3;  // depth, height, width; leading ones that a tensor does not have are of size 1

enum class Pool : uint8_t {
  max,
  average,
  norm1,  // sum of magnitudes
  norm2,  // root of the sum of squares
  norm,   // a norm of any order
};
inline constexpr int pool_count = 5;

// The elements of an axis that a result is made of: `count` of them from `first` on, PooledAxis::step apart.
struct Span {
  int64_t first, count;
};

struct PooledAxis {
  int64_t in, out;  // sizes
  int64_t step;
  const Span* spans;       // one span of each result
  const double* divisors;  // one of each result; the divisor of an average is the product of three
};

// The windows along a row where all are alike: `taps` elements each, the first one `before` elements before the row.
// The row is copied into a line with neutral elements around it; where `stride` is not 1, elements that are as many
// apart are brought together, in a run for each remainder in `remainders`. Then the elements that results need for one
// tap lie together, from offsets[tap] on.
struct RegularWindows {
  int64_t stride, taps, before;
  int64_t line;               // elements of the line; 0 where windows are walked by their spans
  const int64_t* remainders;  // distinct
  int64_t runs, run;          // number of runs, and elements of each
  const int64_t* offsets;
};

// A part of the results of each row, which are all where rows are not long: the sizes of the last axis are of the part.
struct Pooling {
  PooledAxis axis[pooled_axes];
  int64_t pitch, from;          // elements of a whole row, and the first that the part needs
  int64_t result_pitch, start;  // results of a whole row, and the first of the part
  RegularWindows regular;
  const void* divisors;  // divisors along the row in the type computed in, made up to whole vectors
  double order;          // the order of a norm
  double scale;          // a power of two by which elements are multiplied whose sum would pass float64
  int64_t scratch;       // elements of scratch memory, in the type computed in
};
inline constexpr int64_t pooled_vector = 64;  // the lanes of the longest vector

// Computes the rows of results [first, last), counted over all planes; in and out are the first elements of all.
using PoolKernel = void (*)(void* out, const void* in, const Pooling& p, int64_t first, int64_t last, void* scratch);
// Finds also the place in its plane of the first greatest element of each window, -1 in an empty one, or of the
// first NaN where there is one.
using PoolPlacesKernel = void (*)(void* out, int64_t* places, const void* in, const Pooling& p, int64_t first,
                                  int64_t last);

struct PoolingKernels {
  PoolKernel pool[pool_count][dtype_count];  // null where a pool does not take a type
  PoolPlacesKernel places[dtype_count];
};

}  // namespace suanzi
