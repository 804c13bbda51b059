// Non-maximum suppression: keeps boxes that do not overlap a box with a greater score too much.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

struct Suppression {
  double overlap;               // the greatest common part of two kept boxes, relative to their union
  std::optional<double> score;  // kept boxes have a score above this
  std::optional<int64_t> most;  // the greatest number of boxes kept for each class
  bool centred;                 // boxes are given by centres and sizes, instead of opposite corners
};

// Suppresses boxes (N, B, 4) with scores (N, C, B), both floating. Each row of the int64 result has the image, the
// class and the number of a kept box, by descending score in each class; among equal scores the first box comes first.
Tensor suppress_boxes(const char* op, const Tensor& boxes, const Tensor& scores, const Suppression& how);

}  // namespace suanzi
