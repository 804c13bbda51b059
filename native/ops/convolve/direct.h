// Sums straight from an image whose padding is in memory: for groups of few channels, for which packing patches would
// take longer than to multiply them.
#pragma once

#include <vector>

#include "ops/convolve/convolve.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/product/matrix.h"

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
  // Writes the elements of a group of an image; the padding around them is there.
  void fill(std::byte* padded, const std::byte* image) const;

  // Rows and columns of a slice of a result.
  struct Piece {
    int64_t slice, row, rows, column, columns;
  };
  void compute(const std::byte* padded, std::byte* result, int64_t unit, const Piece& piece) const;

  const Geometry& g_;
  const DType dtype_;
  const int size_;
  const DirectKernels& kernels_;
  const std::byte* const weight_;
  const std::byte* const bias_;
  const Ending& ending_;
  // The image with its padding. Where the stride along rows is more than 1, a row is stored as several, each of the
  // elements that are a stride apart: those that one tap reads follow one another.
  int64_t pitch_, row_, rows_, slices_;
  std::vector<int64_t> offsets_;  // offsets of the terms
};

}  // namespace suanzi::convolve
