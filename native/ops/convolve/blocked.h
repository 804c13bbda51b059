// Sums straight from copies of an image, for many channels: a block of those of the image is copied, and its products
// with the weights of the result's channels are added before the next block is. Channels are neighbours in a copy, and
// those of the result lie across the lanes of vectors, so that rows of any length fill them.
#pragma once

#include <algorithm>
#include <vector>

#include "ops/convolve/convolve.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/pieces.h"
#include "ops/product/matrix.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {

class Blocked {
 public:
  static bool suits(const Geometry& g, DType dtype);

  Blocked(const Geometry& g, const Tensor& weight, const std::byte* bias, const Ending& ending);

  // Images and groups of them from `first` to `last`.
  void run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const;

 private:
  // A piece of the result for one image and some strips of its group's channels.
  struct Task {
    int64_t unit;
    Piece piece;
    int64_t first_strip, last_strip;
  };
  void compute(const Tensor& x, const Tensor& result, const Task& task) const;
  // Writes the elements that a piece reads of some channels, of which `image` is the first.
  void fill(std::byte* memory, const std::byte* image, const Piece& piece, int64_t channels) const;
  void write(const std::byte* sums, const Tensor& result, const Task& task, int64_t strip) const;
  void pack_weight(const std::byte* weight) const;
  std::byte* weights(int64_t group, int64_t strip, int64_t channel) const;
  int64_t channels_of(int64_t strip) const { return std::min(strip_, g_.out_channels - strip * strip_); }
  int64_t block_of(int64_t channel) const { return std::min(depth_, g_.in_channels - channel); }

  const Geometry& g_;
  const DType dtype_;
  const int size_;
  const DirectKernels& kernels_;
  const Ending& ending_;
  const int64_t strip_, strips_;  // channels of a strip of the result, and strips of a group
  const int64_t depth_;           // channels of a block of the image
  const Pieces pieces_;
  // In a copy: the elements from a place to the next one, the places of a row, and its rows.
  const int64_t pitch_, row_, rows_;
  std::vector<int64_t> taps_;  // where the elements of each tap are in a copy, counted from those of the first one
  const ScratchArray<std::byte> packed_;  // the weights of groups by blocks, strips, taps and channels
  const ScratchArray<std::byte> starts_;  // the bias, or zeros, by strips
};

}  // namespace suanzi::convolve
