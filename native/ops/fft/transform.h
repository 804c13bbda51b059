// Fourier transforms along one axis of a tensor, wherever its elements lie.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::fft {

enum class Form {
  complex,    // n complex numbers of n complex ones
  to_half,    // n real ones to the first n / 2 + 1: the others are their conjugates
  to_whole,   // n real ones to all of them
  from_half,  // n real numbers of n / 2 + 1 complex ones, whose conjugates follow
};

struct Transform {
  Form form;
  bool inverse;  // with exp(+2πi jk / n)
  int64_t n;
  double scale;
};

// The numbers of elements along the axis that a transform takes and gives.
int64_t taken(const Transform& t);
int64_t given(const Transform& t);

// Transforms `source` (float32 or float64 and their complex types, as the form asks; zeros follow too short an axis,
// the end of too long a one is ignored) to `target`, of the same precision, which may be the source if it is complex.
void transform_axis(const Tensor& target, const Tensor& source, int axis, const Transform& t);

}  // namespace suanzi::fft
