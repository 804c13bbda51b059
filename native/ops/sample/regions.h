// Samples regions of images at the points of a grid (RoIAlign).
#pragma once

#include "tensor/tensor.h"

namespace suanzi {

struct RegionSampling {
  int64_t height, width;  // the numbers of results of a region
  double scale;           // the factor by which corners are multiplied
  // the number of samples in each result along an axis; if it is not positive, the number of elements that a result
  // spans
  int64_t samples;
  bool aligned;   // elements are at half-integers, and regions may be smaller than an element
  bool greatest;  // compute the greatest weighted element of the samples instead of their mean
};

// Samples x, which is (N, C, height, width) and floating. Boxes are (K, 4) with corners x1, y1, x2, y2, and `images`
// are the numbers of their images. The result is (K, C, height, width).
Tensor align_regions(const char* op, const Tensor& x, const Tensor& boxes, const Tensor& images,
                     const RegionSampling& how);

}  // namespace suanzi
