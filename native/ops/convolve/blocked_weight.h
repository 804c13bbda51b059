// The order of the elements of a packed weight, in which the class Blocked (blocked.h) reads the elements. A model
// packs a constant weight once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/convolve/convolve.h"
#include "ops/product/matrix.h"

namespace suanzi::convolve {

// A strip is a range of output channels of a group, and a block is a range of input channels. The elements are ordered
// by groups, blocks, strips, taps, input channels and output channels. The last strip is padded to a full strip.
class BlockedWeight {
 public:
  BlockedWeight(int64_t groups, int64_t out_channels, int64_t in_channels, int64_t taps, DType dtype);
  BlockedWeight(const Geometry& g, DType dtype)
      : BlockedWeight(g.groups, g.out_channels, g.in_channels, g.taps(), dtype) {}

  int64_t strips() const { return strips_; }
  int64_t strip() const { return strip_; }
  int64_t depth() const { return depth_; }  // the number of input channels in a block, except the last block
  int64_t channels_of(int64_t strip) const { return std::min(strip_, out_channels_ - strip * strip_); }
  int64_t block_of(int64_t channel) const { return std::min(depth_, in_channels_ - channel); }

  // Returns the number of packed elements.
  int64_t size() const { return groups_ * strips_ * strip_ * in_channels_ * taps_; }
  // Returns the number of packed elements before the elements of a strip and of the block that begins at `channel`.
  int64_t offset(int64_t group, int64_t strip, int64_t channel) const {
    return ((group * in_channels_ + channel) * strips_ + strip * block_of(channel)) * taps_ * strip_;
  }

  // `weight` and `packed` are contiguous.
  void pack(const std::byte* weight, std::byte* packed) const;
  void unpack(const std::byte* packed, std::byte* weight) const;

 private:
  // Calls body(group, strip) for all strips, on several threads.
  template <class Body>
  void for_strips(Body body) const;
  // Returns the rows of a weight for the output channels of a strip. Each row has the elements of one output channel.
  products::Matrix rows_of(const std::byte* weight, int64_t group, int64_t strip) const;

  const int size_;
  const int64_t groups_, out_channels_, in_channels_, taps_;  // the numbers of channels in a group
  const int64_t strip_, strips_, depth_;
};

}  // namespace suanzi::convolve
