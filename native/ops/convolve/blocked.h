// Convolutions with many channels, summed directly from copies of the image. The code copies a block of the image's
// channels, and adds the products of this block and the weights to the sums before it copies the next block. In the
// copy, the channels of a position are neighbours. Each lane of a vector holds the sum of one channel of the result, so
// vectors are full even if rows are short.
#pragma once

#include <algorithm>
#include <vector>

#include "ops/convolve/blocked_weight.h"
#include "ops/convolve/convolve.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/pieces.h"
#include "ops/product/matrix.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {

class Blocked {
 public:
  // Returns true if this class is the fastest method. With a packed weight, the class also suits results with few
  // positions, for which packing the weight in each call would take too long.
  static bool suits(const Geometry& g, DType dtype, bool is_packed);

  // If `is_packed` is true, the elements of `weight` are in the order of BlockedWeight.
  Blocked(const Geometry& g, const Tensor& weight, bool is_packed, const std::byte* bias, const Ending& ending);

  // Computes the results of the pairs (image, group) whose indices are in [first, last).
  void run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const;

 private:
  // A piece of the result for one image and some strips of its group's channels.
  struct Task {
    int64_t unit;
    Piece piece;
    int64_t first_strip, last_strip;
  };
  // The geometry of the copied image. Along a dimension with a kernel of one element and without padding, the results
  // depend only on every `steps`-th element of the image, so a copy contains only these elements.
  struct Copied {
    explicit Copied(const Geometry& g);
    Geometry read;
    int64_t steps[max_spatial];
  };
  void compute(const Tensor& x, const Tensor& result, const Task& task) const;
  // Copies the elements that a piece reads from `channels` channels. `image` points to the first of these channels. If
  // `fetches` is true, the function prefetches each row while it copies the row before.
  void fill(std::byte* memory, const std::byte* image, const Piece& piece, int64_t channels, bool fetches) const;
  // Returns the address of the element at a position of the copied image, in the first channel of `image`.
  const std::byte* row_of(const std::byte* image, int64_t slice, int64_t row, int64_t element) const;
  // Prefetches one of the rows that `fill` copies, in the first slice.
  void fetch(const std::byte* image, const Piece& piece, int64_t number, int64_t channels) const;
  // Copies the sums of a strip to the result, and applies the ending.
  void write(std::byte* sums, const Tensor& result, const Task& task, int64_t strip) const;

  const Geometry& image_;
  const Copied copied_;
  const Geometry& g_;  // the geometry of the convolution of the copied elements
  const DType dtype_;
  const int size_;
  const DirectKernels& kernels_;
  const Ending& ending_;
  const BlockedWeight layout_;
  const int64_t strip_, strips_;  // the number of channels in a strip of the result, and of strips in a group
  const Pieces pieces_;
  // The layout of a copy: the number of elements from one position to the next, the number of positions in a row, and
  // the number of rows in a slice.
  const int64_t pitch_, row_, rows_;
  std::vector<int64_t> taps_;             // the offset of each tap's elements in a copy, relative to the first tap
  const ScratchArray<std::byte> packed_;  // the weight, unless the given weight is packed
  const std::byte* const weight_;         // the packed weight
  const ScratchArray<std::byte> starts_;  // the bias by strips, or zeros
  const bool fetches_;                    // true if the image is so large that prefetches save time
};

}  // namespace suanzi::convolve
