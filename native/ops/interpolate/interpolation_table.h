// The table of one axis of an interpolation lists the elements of each result and the weights of these elements.
//
// The modes differ only in their tables. Positions are computed in the type of the weights and rounded where PyTorch
// rounds positions. A position determines the elements of a result. Two libraries that round positions differently
// therefore produce different pictures.
#pragma once

#include "ops/interpolate/interpolation.kernels.h"
#include "tensor/scratch.h"

namespace suanzi {

enum class Filter : uint8_t {
  nearest,        // the element at the left edge of a result
  nearest_exact,  // the element at the centre of a result
  linear,
  cubic,
  area,         // the mean of all elements that a result overlaps
  wide_linear,  // linear and cubic kernels, stretched over all elements that a result covers
  wide_cubic,
};

struct InterpolatedAxis {
  int64_t in, out;
  // The requested number of results for each element. The number is 0 if the two sizes determine the scale.
  double scale;
  // If `align_corners` is true, the centres of the first and last elements are the centres of the first and last
  // results.
  bool align_corners;
};

class TapTable {
 public:
  // Makes the table for the results [first, last), counted from 0. Weights have the type T. Filters that only choose
  // elements have no weights.
  template <class T>
  static TapTable make(Filter filter, const InterpolatedAxis& axis, int64_t first, int64_t last);
  template <class T>
  static TapTable make(Filter filter, const InterpolatedAxis& axis) {
    return make<T>(filter, axis, 0, axis.out);
  }

  const Taps& taps() const { return taps_; }

  // Returns a piece of the table's results. Kernels must be able to read the results [first, last) rounded up to a
  // multiple of `vector`.
  AxisPiece piece(int64_t first, int64_t last, int64_t vector) const;
  // Returns the whole table as a piece, which needs all elements.
  AxisPiece whole() const { return {0, results_, 0, elements_}; }

 private:
  Taps taps_{};
  int64_t results_ = 0, elements_ = 0;
  Scratch memory_;
};

// Returns true if the results of an axis are the elements of the axis. An axis whose results are its elements needs no
// table.
bool keeps_elements(Filter filter, const InterpolatedAxis& axis);

}  // namespace suanzi
