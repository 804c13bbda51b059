// The kernels of sampling compute results at points with arbitrary positions between the elements of a plane. The
// points are the same for all planes.
//
// For the points of a grid, these kernels also compute the positions. ops/sample/regions.cpp computes the positions of
// the samples of regions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "walk/movement.kernels.h"

namespace suanzi {

inline constexpr int sampled_axes = 3;
// The greatest number of lanes. Results are padded to a multiple of sampled_vector.
inline constexpr int64_t sampled_vector = 16;

enum class Sampling : uint8_t { nearest, linear, cubic };
enum class Outside : uint8_t { zeros, border, reflection };

// The points of a grid. Each point has `axes` coordinates, and the coordinate of the fastest axis comes first. The
// coordinates -1 and 1 are the ends of the image.
struct GridPoints {
  Sampling sampling;
  Outside outside;
  // If `align_corners` is true, -1 and 1 are the centres of the first and last elements. Otherwise, -1 and 1 are the
  // outer edges of these elements.
  bool align_corners;
  int axes;
  int64_t size[sampled_axes];  // the sizes of a plane, from the slowest axis to the fastest
  const void* coordinates;
  int64_t count;
};

// The elements from which results are computed. For each tap t of `taps` taps, element places[t * step + i] of a plane
// has the weight weights[t * step + i] in result i. `step` is the number of results, padded to whole vectors. A weight
// of 0 excludes an element, even if the element is NaN or infinite. The place of an excluded element is 0.
struct SampledTable {
  int64_t results, step, taps;
  int64_t* places;
  void* weights;
};

// One axis of a separable sampling. Each result is a weighted sum of the elements from a first element to an end. The
// weights of a result follow the weights of the previous result.
struct SampledAxis {
  int64_t results;
  const int64_t* first;  // the first element of each result
  const int64_t* end;
  const int64_t* offset;  // the position of each result's first weight
  const void* weights;
};

// Computes the places and weights of a table for the points of a grid. `scratch` has room for a coordinate of each
// point, and for a place and a weight of each tap of each axis.
using LocateGridKernel = void (*)(const SampledTable& table, const GridPoints& points, void* scratch);
// Computes the weighted sums of `planes` planes. The planes are `in_step` apart, and their results are `out_step`
// apart.
using WeighKernel = void (*)(void* out, const void* in, const SampledTable& table, int64_t planes, int64_t in_step,
                             int64_t out_step);
// Computes weighted sums of rows of `width` elements, and then weighted sums of the elements of the resulting row.
// `scratch` has room for a row.
using WeighSeparablyKernel = void (*)(void* out, const void* in, int64_t width, const SampledAxis& rows,
                                      const SampledAxis& columns, void* scratch);

struct SamplingOf {
  LocateGridKernel locate;
  WeighKernel weigh;
  WeighSeparablyKernel weigh_separably;
};

struct SamplingKernels {
  SamplingOf float32, float64;
  // The kernels copy the elements of weight 1 and write zeros for weight 0. The first index is the logarithm of an
  // element's size, and the second index depends on the size of a weight.
  WeighKernel move[move_sizes][2];

  template <class T>
  const SamplingOf& of() const {
    return sizeof(T) == 4 ? float32 : float64;
  }
};

// Returns the number of taps of a sampling along one axis.
constexpr int64_t taps_along(Sampling sampling) {
  return sampling == Sampling::nearest ? 1 : sampling == Sampling::linear ? 2 : 4;
}

}  // namespace suanzi
