// Convolutions with few channels, summed directly from a copy of the image with padding in memory. For few channels,
// packing patches would take long compared with the multiplications.
#pragma once

#include <vector>

#include "ops/convolve/convolve.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/pieces.h"
#include "ops/product/matrix.h"
#include "tensor/scratch.h"

namespace suanzi::convolve {

// Returns null for element types without kernels for direct sums.
const DirectKernels* direct_kernels(DType dtype);

// Applies the ending to some rows of the result, which begin `offset` bytes after the first byte of the result.
void end(const Ending& ending, const products::Matrix& sums, int64_t offset, DType dtype);

class Direct {
 public:
  static bool suits(const Geometry& g, DType dtype);

  Direct(const Geometry& g, const Tensor& weight, const std::byte* bias, const Ending& ending);

  // Computes the results of the pairs (image, group) whose indices are in [first, last).
  void run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const;

 private:
  // A piece, and the parts of its copy that hold elements of the image.
  struct Copied {
    Piece piece;
    Part slices, rows, row;
  };
  // Copies the elements that a piece reads to `memory`. `before` is the piece whose copy the memory held before, or
  // null.
  void fill(std::byte* memory, const std::byte* image, const Copied& copied, const Copied* before) const;
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
  std::vector<Copied> copied_;  // all pieces
  int64_t depth_;               // the number of terms that are summed for all channels before the next terms
  // The layout of a piece in memory. If the stride along rows is greater than 1, each row is split into `stride` rows
  // of every stride-th element, so that the elements that one tap reads are neighbours.
  int64_t pitch_, row_, rows_, slices_;
  std::vector<int64_t> offsets_;  // offsets of the terms
  int64_t side_;                  // the side of the square of taps if the square has all terms, or 0
  // The number of strips of channels, or 0 if the kernel computes each channel by itself.
  int64_t strips_;
  const ScratchArray<std::byte> packed_;
};

}  // namespace suanzi::convolve
