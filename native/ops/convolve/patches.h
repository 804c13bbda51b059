// Patches of an image that a convolution multiplies, packed as panels of a matrix. The matrix has a row for each
// channel and tap, and a column for each position of the result.
#pragma once

#include "ops/convolve/convolve.h"

namespace suanzi::convolve {

// Returns the geometry of the same convolution after a merge of neighbouring dimensions whose elements the convolution
// reads in order.
Geometry with_merged_axes(const Geometry& g);

class Patches {
 public:
  // `image` holds the channels of one group as contiguous elements of `size` bytes. `padding` is the value of padded
  // elements of one byte.
  Patches(const Geometry& g, int64_t size, const std::byte* image, uint8_t padding = 0)
      : g_(g), size_(size), image_(image), padding_(padding) {}

  // Packs `count` columns and `terms` rows. The first column is `column`, and the first row is `term`. Each packed row
  // has `width` elements.
  void pack(std::byte* panel, int64_t width, int64_t column, int64_t count, int64_t term, int64_t terms) const;

 private:
  const Geometry& g_;
  const int64_t size_;
  const std::byte* const image_;
  const uint8_t padding_;
};

}  // namespace suanzi::convolve
