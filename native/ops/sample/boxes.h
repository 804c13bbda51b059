// Non-maximum suppression removes each box that overlaps a kept box with a greater score by more than a limit.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

struct Suppression {
  double overlap;               // the greatest common part of two kept boxes, relative to their union
  std::optional<double> score;  // the score that all kept boxes exceed
  std::optional<int64_t> most;  // the greatest number of kept boxes in each class
  // `centred` is true if centres and sizes define boxes, and false if opposite corners define boxes.
  bool centred;
};

// Suppresses boxes of shape (N, B, 4) with scores of shape (N, C, B). Boxes and scores are floating. Each row of the
// int64 result holds the index of the image, the class and the index of a kept box. In each class, the rows are in the
// order of descending scores. Among equal scores, the first box comes first.
Tensor suppress_boxes(const char* op, const Tensor& boxes, const Tensor& scores, const Suppression& how);

}  // namespace suanzi
