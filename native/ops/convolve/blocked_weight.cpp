#include "ops/convolve/blocked_weight.h"

#include <cstring>

#include "ops/convolve/direct.h"
#include "ops/product/gemm.h"
#include "runtime/costs.h"
#include "runtime/share.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {

using products::ceiling;

namespace {

// Returns the size of the largest part if `whole` is cut evenly into the fewest parts of at most `most`.
int64_t evenly(int64_t whole, int64_t most) { return ceiling(whole, ceiling(whole, std::max<int64_t>(most, 1))); }

}  // namespace

// The weights of a block and a strip, for all taps, stay in the L1 cache. The order of the sums depends on the size of
// a block.
BlockedWeight::BlockedWeight(int64_t groups, int64_t out_channels, int64_t in_channels, int64_t taps, DType dtype)
    : size_(size_of(dtype)),
      groups_(groups),
      out_channels_(out_channels),
      in_channels_(in_channels),
      taps_(taps),
      strip_(direct_kernels(dtype)->places_strip),
      strips_(ceiling(out_channels_, strip_)),
      depth_(evenly(in_channels_, costs::strip_terms / taps_)) {}

template <class Body>
void BlockedWeight::for_strips(Body body) const {
  share(size() * size_, groups_ * strips_, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) body(i / strips_, i % strips_);
  });
}

products::Matrix BlockedWeight::rows_of(const std::byte* weight, int64_t group, int64_t strip) const {
  const int64_t terms = in_channels_ * taps_, row = group * out_channels_ + strip * strip_;
  return {const_cast<std::byte*>(weight) + row * terms * size_, channels_of(strip), terms, terms, 1};
}

void BlockedWeight::pack(const std::byte* weight, std::byte* packed) const {
  for_strips([&](int64_t group, int64_t strip) {
    const products::Matrix rows = rows_of(weight, group, strip);
    const ScratchArray<std::byte> panel(depth_ * taps_ * strip_ * size_);
    for (int64_t channel = 0; channel < in_channels_; channel += depth_) {
      const int64_t block = block_of(channel);
      std::byte* const target = packed + offset(group, strip, channel) * size_;
      products::copy_panel(panel.data(), rows.block(0, channel * taps_, rows.rows, block * taps_, size_).transposed(),
                           strip_, size_);
      for (int64_t tap = 0; tap < taps_; ++tap)
        products::copy_panel(target + tap * block * strip_ * size_,
                             {panel.data() + tap * strip_ * size_, block, strip_, taps_ * strip_, 1}, strip_, size_);
    }
  });
}

void BlockedWeight::unpack(const std::byte* packed, std::byte* weight) const {
  for_strips([&](int64_t group, int64_t strip) {
    const products::Matrix rows = rows_of(weight, group, strip);
    for (int64_t channel = 0; channel < in_channels_; channel += depth_) {
      const int64_t block = block_of(channel);
      const std::byte* const source = packed + offset(group, strip, channel) * size_;
      for (int64_t tap = 0; tap < taps_; ++tap)
        for (int64_t c = 0; c < block; ++c)
          for (int64_t m = 0; m < rows.rows; ++m)
            std::memcpy(rows.data + (m * rows.row_step + (channel + c) * taps_ + tap) * size_,
                        source + ((tap * block + c) * strip_ + m) * size_, static_cast<size_t>(size_));
    }
  });
}

}  // namespace suanzi::convolve
