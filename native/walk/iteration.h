// The order in which the engine walks the elements of a shape, and the path of each operand in this order.
//
// A walk numbers the elements 0 … size-1. The first dimension of a walk varies fastest. Each operand keeps its own
// dimensions, merged as far as the operand's strides allow. A contiguous operand therefore has one dimension even if
// other operands are broadcast.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace suanzi::walk {

// An operand for the engine. A View has an address and strides, and does not own its memory.
struct View {
  std::byte* data;
  DType dtype;
  Dims strides;  // one stride, in elements, for each dimension of the walk's shape

  static View of(const Tensor& x) { return {x.data, x.dtype, x.strides}; }
  // Returns a view of a tensor that is broadcast to a shape. The tensor's own shape, without its last `dropped`
  // dimensions, must broadcast to `shape`.
  static View broadcast(const Tensor& x, const Dims& shape, int dropped = 0);
};

// The path of one operand along a walk. The path consists of sizes, and of steps in bytes, beginning with the fastest
// dimension.
struct Path {
  Dims sizes;
  Dims steps;

  // Returns true if all elements are contiguous in memory.
  bool linear(int element_size) const {
    return sizes.empty() || (sizes.size() == 1 && (steps[0] == element_size || sizes[0] == 1));
  }
  // Returns true if all positions of the walk refer to one element.
  bool constant() const { return sizes.empty() || (sizes.size() == 1 && steps[0] == 0); }
};

// Returns the dimensions of `shape` in the order in which a walk through `view` follows memory. The fastest dimension
// comes first. The result omits dimensions of size 1.
Dims walking_order(const Dims& shape, const View& view);

// Returns all dimensions of `shape` in reverse order. Elements are numbered in this order.
Dims row_major_order(const Dims& shape);

// Returns the path of `view` for a walk whose dimensions are in `order`.
Path make_path(const Dims& shape, const Dims& order, const View& view);

// A position on a path consists of the coordinates of an element and its offset in bytes.
class Cursor {
 public:
  Cursor(const Path& path, int64_t start) : path_(path) {
    for (int d = 0; d < path.sizes.size(); ++d) {
      const int64_t size = path.sizes[d];
      at_[d] = d + 1 == path.sizes.size() ? start : start % size;
      start /= size;
      offset_ += at_[d] * path.steps[d];
    }
  }
  int64_t offset() const { return offset_; }
  int64_t left_in_row() const { return path_.sizes.empty() ? 1 : path_.sizes[0] - at_[0]; }
  int64_t step() const { return path_.sizes.empty() ? 0 : path_.steps[0]; }

  // Moves on by n elements, which must not pass the end of the row.
  void advance(int64_t n) {
    if (path_.sizes.empty()) return;
    at_[0] += n;
    offset_ += n * path_.steps[0];
    for (int d = 0; at_[d] == path_.sizes[d] && d + 1 < path_.sizes.size(); ++d) {
      offset_ += path_.steps[d + 1] - path_.sizes[d] * path_.steps[d];
      at_[d] = 0;
      ++at_[d + 1];
    }
  }

 private:
  const Path& path_;
  int64_t at_[max_rank];
  int64_t offset_ = 0;
};

}  // namespace suanzi::walk
