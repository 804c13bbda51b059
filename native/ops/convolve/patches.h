// The patches of an image that a convolution multiplies, as panels of a matrix: a row for each channel and tap, a
// column for each place of the result.
#pragma once

#include "ops/convolve/convolve.h"

namespace suanzi::convolve {

// Returns the convolution with fewer dimensions where neighbours can be one: their elements are read in order.
Geometry with_merged_axes(const Geometry& g);

class Patches {
 public:
  // `image` has the channels of one group, contiguous elements of `size` bytes. `padding`: the element that stands for
  // 0, where elements are of one byte.
  Patches(const Geometry& g, int64_t size, const std::byte* image, uint8_t padding = 0)
      : g_(g), size_(size), image_(image), padding_(padding) {}

  // `count` columns from `column` on and `terms` rows from `term` on, which are `width` elements each.
  void pack(std::byte* panel, int64_t width, int64_t column, int64_t count, int64_t term, int64_t terms) const;

 private:
  const Geometry& g_;
  const int64_t size_;
  const std::byte* const image_;
  const uint8_t padding_;
};

}  // namespace suanzi::convolve
