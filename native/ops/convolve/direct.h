// Sums straight from an image whose padding is in memory, without patches: for few channels, for which to pack patches
// would take long beside multiplying them.
#pragma once

#include <vector>

#include "ops/convolve/convolve.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/pieces.h"
#include "ops/product/matrix.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {

// Null where a type has none.
const DirectKernels* direct_kernels(DType dtype);

// The end of the pass for some rows of the result, `offset` bytes from its beginning.
void end(const Ending& ending, const products::Matrix& sums, int64_t offset, DType dtype);

class Direct {
 public:
  static bool suits(const Geometry& g, DType dtype);

  Direct(const Geometry& g, const Tensor& weight, const std::byte* bias, const Ending& ending);

  // Images and groups of them from `first` to `last`.
  void run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const;

 private:
  // Writes the elements that a piece reads; `filled` is the piece for which the memory was filled before, if any.
  void fill(std::byte* memory, const std::byte* image, const Piece& piece, const Piece* filled) const;
  void compute(const std::byte* memory, std::byte* result, int64_t unit, const Piece& piece) const;
  void pack_weight() const;

  const Geometry& g_;
  const DType dtype_;
  const int size_;
  const DirectKernels& kernels_;
  const int64_t terms_;
  const std::byte* const weight_;
  const std::byte* const bias_;
  const Ending& ending_;
  const Pieces pieces_;
  int64_t depth_;  // terms that are summed for all channels before others are
  // The memory of a piece. Where the stride along rows is more than 1, a row is stored as several, each of the elements
  // that are a stride apart: those that one tap reads follow one another.
  int64_t pitch_, row_, rows_, slices_;
  std::vector<int64_t> offsets_;  // offsets of the terms
  // Channels in strips, as the kernel takes them; none where each is computed by itself.
  int64_t strips_;
  const ScratchArray<std::byte> packed_;
};

}  // namespace suanzi::convolve
