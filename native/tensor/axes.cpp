#include "tensor/axes.h"

#include "tensor/tensor.h"

namespace suanzi {

uint64_t axis_bits(const char* op, const Dims& axes, int rank) {
  uint64_t mask = 0;
  for (const int64_t axis : axes) {
    const uint64_t bit = uint64_t{1} << checked_axis(op, axis, rank);
    if (mask & bit) fail(Status::invalid_argument, op, ": axis ", axis, " is named twice");
    mask |= bit;
  }
  return mask;
}

uint64_t unit_axes(const Dims& shape) {
  uint64_t axes = 0;
  for (int i = 0; i < shape.size(); ++i) axes |= uint64_t{shape[i] == 1} << i;
  return axes;
}

}  // namespace suanzi
