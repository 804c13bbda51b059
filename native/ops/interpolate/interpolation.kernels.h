// The kernels of interpolation along one axis. Results are weighted sums or copies of a source's elements.
//
// Tables (ops/interpolate/interpolation_table.h) contain the places and weights of the elements.
// ops/interpolate/interpolate.cpp handles the axes of a tensor one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "walk/movement.kernels.h"

namespace suanzi {

// Kernels read tables up to a multiple of whole_vectors results, and windows up to a multiple of whole_window taps.
inline constexpr int64_t whole_vectors = 16;
inline constexpr int64_t whole_window = 8;

// Result i is the sum of weight(t, i) * source(index(t, i)) over the taps t. The sum skips terms with weight zero. An
// element that is not finite therefore affects only the results to which the element contributes.
struct Taps {
  int64_t count;  // the number of taps
  // The distance from one tap to the next is the number of results, rounded up to a multiple of whole_vectors.
  int64_t step;
  // index[t * step + i] is the place of an element. These places decrease neither with t nor with i.
  const int64_t* index;
  // weight[t * step + i] has the type of the elements. The pointer is null if the only tap has weight 1.
  const void* weight;
  // If a result is a sum of many consecutive elements, `windows` is true. Then index[i] is the first element, and
  // weight[i * step + t] are the weights. `step` is then the number of taps rounded up to a multiple of whole_window.
  // Kernels may read `step` elements.
  bool windows = false;
};

// A piece of an axis consists of the results [first, last) and of the elements that these results need. `first` is a
// multiple of whole_vectors. [origin, origin + extent) are the elements for the results up to `last`, rounded up to
// whole vectors.
struct AxisPiece {
  int64_t first, last;
  int64_t origin, extent;
};

// Describes the positions of results among `size` elements. Result i is at position ratio * (i + offset) - offset,
// rounded once to the type of the weights. If `clamped` is true, positions before the first element are moved to the
// first element.
struct Grid {
  int64_t size;
  double ratio, offset;
  bool clamped;
  // The number that the kernel adds to a position before it determines the element.
  double shift;
};

// Finds elements for the results [first, first + n), where n is a multiple of whole_vectors. The kernel rounds each
// position to float32 and writes the element at or before the rounded position. For a position before 0, the element is
// before 0. Unless `beyond` is null, the kernel also writes the distance of the position from the element, in [0, 1].
using LocateKernel = void (*)(int64_t* element, void* beyond, const Grid& grid, int64_t first, int64_t n);

// A kernel along contiguous rows. Each row has `extent` elements in the source and last - first elements in the result.
using AlongKernel = void (*)(void* out, const void* in, int64_t rows, const Taps& taps, const AxisPiece& piece);
// A kernel across rows. Result i is a row of `columns` weighted sums. The source has `extent` rows, and the result has
// last - first rows.
using AcrossKernel = void (*)(void* out, const void* in, int64_t columns, const Taps& taps, const AxisPiece& piece,
                              bool stream);
// A kernel that copies elements along rows, each of which has its own address. A row of the source begins at element
// piece.origin.
using TakeKernel = void (*)(std::byte* const* out, const std::byte* const* in, int64_t rows, const Taps& taps,
                            const AxisPiece& piece);

struct WeighingKernels {
  LocateKernel locate = nullptr;
  AlongKernel along = nullptr;
  AcrossKernel across = nullptr;
  // Rounds n numbers, ties to even, and limits the rounded numbers to [0, 255], the range of uint8. No number may be
  // NaN.
  void (*to_bytes)(void* x, int64_t n) = nullptr;
};

struct InterpolationKernels {
  WeighingKernels float32, float64;
  TakeKernel take[move_sizes] = {};  // kernels by the logarithm of an element's size

  template <class T>
  const WeighingKernels& weighing() const {
    return sizeof(T) == 4 ? float32 : float64;
  }
};

}  // namespace suanzi
