// Pieces of a convolution's result. The code computes each piece from a copy of the elements that the piece reads, with
// padding in memory, so the sums need no bounds tests.
#pragma once

#include <algorithm>

#include "ops/convolve/convolve.h"
#include "ops/product/matrix.h"

namespace suanzi::convolve {

// Returns the number of elements, with padding, from the first to the last element that `places` positions of the
// result read along one dimension.
int64_t span(const Axis& axis, int64_t places);

// The part of a copy, along one dimension, that holds elements of the image. `place` is the first position of the part,
// `element` is the element at this position, and `count` is the number of elements.
struct Part {
  int64_t place, element, count;
};
Part part_of(const Axis& axis, int64_t first, int64_t places);

// A range of rows and columns, in all slices of the result.
struct Piece {
  int64_t row, rows, column, columns;
};

// The division of the positions along a dimension of the result into nearly equal ranges, whose lengths are multiples
// of a unit. The last range may be shorter.
struct Cut {
  int64_t places, unit, ranges;

  // Returns the division into the fewest ranges of at most `most` positions, or of one unit.
  static Cut into(int64_t places, int64_t most, int64_t unit = 1);
  int64_t begin(int64_t range) const { return std::min(units() * range / ranges * unit, places); }
  int64_t units() const { return products::ceiling(places, unit); }
  // Returns the length of the longest range.
  int64_t longest() const { return std::min(products::ceiling(units(), ranges) * unit, places); }
};

// The division of a result into pieces.
struct Pieces {
  const Geometry& g;
  Cut down, across;  // the ranges of rows, and of columns

  // These functions return the numbers of rows and of columns in the largest piece.
  int64_t rows() const { return down.longest(); }
  int64_t columns() const { return across.longest(); }
  int64_t count() const { return down.ranges * across.ranges; }
  Piece piece(int64_t number) const;
  // Returns the number of positions in the largest piece.
  int64_t places() const { return g.axes[0].out * rows() * columns(); }
  // Cuts rows, or columns if the rows are too few, into more ranges, so that every thread has equally many pieces. A
  // range of rows keeps at least `least` rows.
  void balance(int threads, int64_t least);
  // Returns the number of elements of a channel that the largest piece reads. The number includes stride - 1
  // more elements for each row, because a copy rounds the length of a row up to a multiple of the stride.
  double elements() const;
  // Returns true if the copies of all pieces are small compared with the image, or with the number of multiply-adds.
  bool copies_little() const;

  // Calls body(first, count, place) for each run of neighbouring positions of the result. `first` is the run's first
  // position within the piece, and `place` is the run's first position within the result.
  template <class Body>
  void for_runs(const Piece& piece, int64_t slice, Body body) const {
    const bool is_whole = piece.columns == g.axes[2].out;
    const int64_t runs = is_whole ? 1 : piece.rows, count = is_whole ? piece.rows * piece.columns : piece.columns;
    const int64_t place = (slice * g.axes[1].out + piece.row) * g.axes[2].out + piece.column;
    for (int64_t i = 0; i < runs; ++i)
      body(slice * piece.rows * piece.columns + i * count, count, place + i * g.axes[2].out);
  }
};

}  // namespace suanzi::convolve
