// Regions of images, each sampled at the points of a grid (RoIAlign).
#pragma once

#include "tensor/tensor.h"

namespace suanzi {

struct RegionSampling {
  int64_t height, width;  // results of a region
  double scale;           // the factor of corners
  int64_t samples;        // in each result along an axis; as many as it spans elements where not positive
  bool aligned;           // elements lie at halves, and regions may be smaller than an element
  bool greatest;          // the greatest weighted element of the samples, not their mean
};

// x is (N, C, height, width) and floating; boxes are (K, 4), corners x1, y1, x2, y2, and `images` their images. The
// result is (K, C, height, width).
Tensor align_regions(const char* op, const Tensor& x, const Tensor& boxes, const Tensor& images,
                     const RegionSampling& how);

}  // namespace suanzi
