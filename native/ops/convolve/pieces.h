// Pieces of the result of a convolution, of which each is made of a copy of what it reads of an image, with the padding
// in memory: sums of its elements need no test of where these are.
#pragma once

#include "ops/convolve/convolve.h"

namespace suanzi::convolve {

// The elements of one dimension from the first to the last one that some places read, with padding.
int64_t span(const Axis& axis, int64_t places);

// The places of a copy, along one dimension, at which elements of the image are, and the first of these.
struct Part {
  int64_t place, element, count;
};
Part part_of(const Axis& axis, int64_t first, int64_t places);

// Rows and columns of all slices of a result.
struct Piece {
  int64_t row, rows, column, columns;
};

// The division of a result.
struct Pieces {
  const Geometry& g;
  int64_t rows, columns;  // the size of the largest piece

  int64_t count() const;
  Piece piece(int64_t number) const;
  // Places of the largest piece.
  int64_t places() const { return g.axes[0].out * rows * columns; }
  // Elements of a channel that the largest piece reads. A row is made up to a multiple of its stride, which may be
  // longer than all of it.
  double elements() const;
  // True if the copies of all pieces are at most a few times as large as the image and its result.
  bool copies_little() const;

  // Calls body(first, count, place) for the places of a slice that follow one another in the result: `first` counts
  // those of the piece, `place` those of the result.
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
