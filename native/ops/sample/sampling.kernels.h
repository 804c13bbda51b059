// The kernels of sampling: results at points that lie anywhere among the elements of a plane, the same for all planes.
//
// ops/sample/grid_sample.cpp and ops/sample/regions.cpp say where the points lie.
#pragma once

#include <cstddef>
#include <cstdint>

#include "walk/movement.kernels.h"

namespace suanzi {

inline constexpr int sampled_axes = 3;
inline constexpr int64_t sampled_vector = 16;  // results are made up to whole vectors of so many lanes at most

enum class Sampling : uint8_t { nearest, linear, cubic };
enum class Outside : uint8_t { zeros, border, reflection };

// Points of a grid: their coordinates from -1 to 1, `axes` of them for each point, the fastest axis first.
struct GridPoints {
  Sampling sampling;
  Outside outside;
  bool align_corners;  // the ends are the centres of the first and last elements, not their edges
  int axes;
  int64_t size[sampled_axes];  // sizes of a plane, from the slowest axis to the fastest
  const void* coordinates;
  int64_t count;
};

// The elements that make up results: element places[t * step + i] of a plane by weights[t * step + i], for each of
// `taps`; `step` is the number of results made up to whole vectors. A weight of 0 keeps an element out, be it NaN or
// infinite; its place is 0.
struct SampledTable {
  int64_t results, step, taps;
  int64_t* places;
  void* weights;
};

// The results of a separable sampling, a row for each of `rows` and a column for each of `columns`: each is a weighted
// sum of the elements between a first and an end, the weights following those of the result before.
struct SampledAxis {
  int64_t results;
  const int64_t* first;  // the first element of each result
  const int64_t* end;
  const int64_t* offset;  // the place of each result's first weight
  const void* weights;
};

// Makes the table of points; `scratch` is for a coordinate of each, and for a place and a weight of each tap of each
// axis.
using LocateGridKernel = void (*)(const SampledTable& table, const GridPoints& points, void* scratch);
// Weighs the elements of `planes` planes, which are `in_step` apart; the results of a plane are `out_step` apart.
using WeighKernel = void (*)(void* out, const void* in, const SampledTable& table, int64_t planes, int64_t in_step,
                             int64_t out_step);
// The weighted elements of rows of `width`, then of the sums; `scratch` is for a row.
using WeighSeparablyKernel = void (*)(void* out, const void* in, int64_t width, const SampledAxis& rows,
                                      const SampledAxis& columns, void* scratch);

struct SamplingOf {
  LocateGridKernel locate;
  WeighKernel weigh;
  WeighSeparablyKernel weigh_separably;
};

struct SamplingKernels {
  SamplingOf float32, float64;
  // Moves the elements of weight 1, those of weight 0 being zeros; by the logarithm of an element's size and by the
  // size of a weight.
  WeighKernel move[move_sizes][2];

  template <class T>
  const SamplingOf& of() const {
    return sizeof(T) == 4 ? float32 : float64;
  }
};

// Taps along one axis.
constexpr int64_t taps_along(Sampling sampling) {
  return sampling == Sampling::nearest ? 1 : sampling == Sampling::linear ? 2 : 4;
}

}  // namespace suanzi
