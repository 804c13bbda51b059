// The table of one axis of an interpolation: from which elements each result is made, and with what weights.
//
// The modes differ in nothing else. Positions are computed in the type of the weights and rounded where PyTorch rounds
// them: where a position lies decides which elements are taken, and two libraries that round it differently do not
// give the same picture.
#pragma once

#include "ops/interpolate/interpolation.kernels.h"
#include "tensor/scratch.h"

namespace suanzi {

enum class Filter : uint8_t {
  nearest,        // the element at the left edge of a result
  nearest_exact,  // the element at its centre
  linear,
  cubic,
  area,         // the mean of all elements that a result touches
  wide_linear,  // linear and cubic, stretched over all elements that a result covers
  wide_cubic,
};

struct InterpolatedAxis {
  int64_t in, out;
  double scale;        // results for each element, as the caller gave it; 0 where the two sizes tell
  bool align_corners;  // the centres of the first and last elements are those of the first and last results
};

class TapTable {
 public:
  // The table for the results [first, last), counted from 0. Weights are of type T; filters that only choose elements
  // have none.
  template <class T>
  static TapTable make(Filter filter, const InterpolatedAxis& axis, int64_t first, int64_t last);
  template <class T>
  static TapTable make(Filter filter, const InterpolatedAxis& axis) {
    return make<T>(filter, axis, 0, axis.out);
  }

  const Taps& taps() const { return taps_; }

  // Results of the table, where [first, last) made up to a multiple of `vector` can be read.
  AxisPiece piece(int64_t first, int64_t last, int64_t vector) const;
  // The whole tables, which take all elements.
  AxisPiece whole() const { return {0, results_, 0, elements_}; }

 private:
  Taps taps_{};
  int64_t results_ = 0, elements_ = 0;
  Scratch memory_;
};

// True if the results of an axis are its elements, so that it needs no table.
bool keeps_elements(Filter filter, const InterpolatedAxis& axis);

}  // namespace suanzi
