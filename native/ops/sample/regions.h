// Region sampling (RoIAlign) computes the values of images at the points of a grid in each region.
#pragma once

#include "tensor/tensor.h"

namespace suanzi {

struct RegionSampling {
  int64_t height, width;  // the numbers of results of a region
  double scale;           // the factor by which the function multiplies corners
  // The number of samples in each result along an axis. If `samples` is not positive, the number of samples is the
  // number of elements that a result spans, rounded up.
  int64_t samples;
  // If `aligned` is true, elements are at half-integers, and regions may be smaller than an element.
  bool aligned;
  // If `greatest` is true, a result is the greatest weighted element of its samples. Otherwise, a result is the mean of
  // its samples.
  bool greatest;
};

// Samples x, which is floating and has the shape (N, C, height, width). Boxes have the shape (K, 4) and consist of
// corners x1, y1, x2, y2. `images` holds the indices of the boxes' images. The result has the shape (K, C, height,
// width).
Tensor align_regions(const char* op, const Tensor& x, const Tensor& boxes, const Tensor& images,
                     const RegionSampling& how);

}  // namespace suanzi
