// The kernels of interpolation along one axis: results are weighted sums of a source's elements, or copies of them.
//
// Tables (ops/interpolate/interpolation_table.h) contain the elements and weights; ops/interpolate/interpolate.cpp
// handles the axes of a tensor one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "walk/movement.kernels.h"

namespace suanzi {

// Tables are read up to a multiple of so many results, and windows up to a multiple of so many taps.
inline constexpr int64_t whole_vectors = 16;
inline constexpr int64_t whole_window = 8;

// Result i is the sum of weight(t, i) * source(index(t, i)) over the taps t. Terms with weight zero are left out, so an
// element that is not finite reaches only the results to which it contributes.
struct Taps {
  int64_t count;  // the number of taps
  // the distance from one tap to the next: the number of results, rounded up to a multiple of whole_vectors
  int64_t step;
  const int64_t* index;  // index[t * step + i], which decreases neither with t nor with i
  const void* weight;    // weight[t * step + i] in the type of the elements; null if there is one tap, with weight 1
  // True if a result is made from many consecutive elements. Then index[i] is the first element, weight[i * step + t]
  // are the weights, and `step` is the number of taps rounded up to a multiple of whole_window, which is also the
  // number of elements that may be read.
  bool windows = false;
};

// A piece [first, last) of the results of an axis, where `first` is a multiple of whole_vectors; and the elements
// [origin, origin + extent) that the results need when their number is rounded up to whole vectors.
struct AxisPiece {
  int64_t first, last;
  int64_t origin, extent;
};

// The positions of results among `size` elements: result i is at position ratio * (i + offset) - offset, rounded once
// to the type of the weights. If `clamped` is set, positions before the first element are moved to it.
struct Grid {
  int64_t size;
  double ratio, offset;
  bool clamped;
  double shift;  // added to a position before the element is determined
};

// Finds elements for n results from `first` on; n is a multiple of whole_vectors. Writes the element at or before each
// position, in the precision of float32; for a position before 0, the element is before 0. Unless `beyond` is null,
// also writes the distance of the position from the element, in [0, 1].
using LocateKernel = void (*)(int64_t* element, void* beyond, const Grid& grid, int64_t first, int64_t n);

// A kernel along contiguous rows: each row has `extent` elements in the source and last - first elements in the result.
using AlongKernel = void (*)(void* out, const void* in, int64_t rows, const Taps& taps, const AxisPiece& piece);
// A kernel across rows: result i is a row of `columns` weighted sums. The source has `extent` rows, the result last -
// first rows.
using AcrossKernel = void (*)(void* out, const void* in, int64_t columns, const Taps& taps, const AxisPiece& piece,
                              bool stream);
// A kernel that copies elements along rows, each of which has its own address; a row of the source begins at element
// piece.origin.
using TakeKernel = void (*)(std::byte* const* out, const std::byte* const* in, int64_t rows, const Taps& taps,
                            const AxisPiece& piece);

struct WeighingKernels {
  LocateKernel locate = nullptr;
  AlongKernel along = nullptr;
  AcrossKernel across = nullptr;
  // Rounds n numbers, ties to even, and limits them to [0, 255], the range of uint8. No number may be NaN.
  void (*to_bytes)(void* x, int64_t n) = nullptr;
};

struct InterpolationKernels {
  WeighingKernels float32, float64;
  TakeKernel take[move_sizes] = {};  // by the logarithm of an element's size

  template <class T>
  const WeighingKernels& weighing() const {
    return sizeof(T) == 4 ? float32 : float64;
  }
};

}  // namespace suanzi
