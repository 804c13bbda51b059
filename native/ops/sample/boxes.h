// Boxes of which those are kept that overlap none with a greater score too much (non-maximum suppression).
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

struct Suppression {
  double overlap;               // the most that two kept boxes may share, as a part of what they cover together
  std::optional<double> score;  // kept boxes have more than this
  std::optional<int64_t> most;  // boxes kept of each class
  bool centred;                 // boxes are centres and sizes, not opposite corners
};

// Boxes are (N, B, 4), scores (N, C, B), both floating. The rows of the result, int64, are the image, the class and the
// box of each one that is kept, by descending score in each class; of equal scores the first box comes first.
Tensor suppress_boxes(const char* op, const Tensor& boxes, const Tensor& scores, const Suppression& how);

}  // namespace suanzi
