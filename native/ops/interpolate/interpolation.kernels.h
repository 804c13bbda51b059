// The kernels of interpolation along one axis: elements as weighted sums of elements of a source, or copies of them.
//
// Which elements and weights is in tables (ops/interpolate/interpolation_table.h); how the axes of a tensor follow one
// another is the affair of ops/interpolate/interpolate.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "walk/movement.kernels.h"

namespace suanzi {

// The tables are read up to a multiple of so many results, and windows up to a multiple of so many taps.
inline constexpr int64_t whole_vectors = 16;
inline constexpr int64_t whole_window = 8;

// Result i is the sum of weight(t, i) * source(index(t, i)) over the taps t. Weights of zero do not take part: an
// element that is not finite reaches only the results to which it contributes.
struct Taps {
  int64_t count;         // number of taps
  int64_t step;          // from one tap to the next: the number of results, made up to whole_vectors
  const int64_t* index;  // index[t * step + i], which does not decrease with t nor with i
  const void* weight;    // weight[t * step + i] in the type of the elements; null where there is one tap, of weight 1
  // If a result is made of many consecutive elements, index[i] is the first of them, their weights are
  // weight[i * step + t], and `step` is the count made up to whole_window: so many elements are there to be read.
  bool windows = false;
};

// A piece of the results of an axis, [first, last), first a multiple of whole_vectors, and the elements that it needs
// with the results that make up whole vectors, [origin, origin + extent).
struct AxisPiece {
  int64_t first, last;
  int64_t origin, extent;
};

// The positions of results among `size` elements: result i is at position ratio * (i + offset) - offset, rounded once
// to the type of the weights, and not before the first element where `clamped`.
struct Grid {
  int64_t size;
  double ratio, offset;
  bool clamped;
  double shift;  // added to a position before the element is told
};

// Finds, for n results from `first` on, n a multiple of whole_vectors: the element at or before each position, which
// float32 tells from the next one and which is before 0 where the position is; and, unless null, how far beyond it that
// is, in [0, 1].
using LocateKernel = void (*)(int64_t* element, void* beyond, const Grid& grid, int64_t first, int64_t n);

// Along contiguous rows: each has the `extent` elements in the source and last - first of the result.
using AlongKernel = void (*)(void* out, const void* in, int64_t rows, const Taps& taps, const AxisPiece& piece);
// Across them: result i is a row of `columns` weighted sums. The source has `extent` rows, the result last - first.
using AcrossKernel = void (*)(void* out, const void* in, int64_t columns, const Taps& taps, const AxisPiece& piece,
                              bool stream);
// Moves elements along rows, which begin anywhere: those of the source at element piece.origin.
using TakeKernel = void (*)(std::byte* const* out, const std::byte* const* in, int64_t rows, const Taps& taps,
                            const AxisPiece& piece);

struct WeighingKernels {
  LocateKernel locate = nullptr;
  AlongKernel along = nullptr;
  AcrossKernel across = nullptr;
  // Rounds n numbers, ties to even, and brings them into [0, 255], the range of uint8. None is NaN.
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
