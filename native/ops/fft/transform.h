// Fourier transforms along one axis of a tensor, with any strides.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::fft {

enum class Form {
  complex,    // n complex numbers become n complex numbers
  to_half,    // n real numbers become the first n / 2 + 1 complex numbers of the transform
  to_whole,   // n real numbers become all n complex numbers
  from_half,  // n / 2 + 1 complex numbers and their conjugates become n real numbers
};

struct Transform {
  Form form;
  bool inverse;  // an inverse transform uses exp(+2πi jk / n)
  int64_t n;
  double scale;
};

// These functions return the number of elements along the axis that a transform reads (`taken`) or writes (`given`).
int64_t taken(const Transform& t);
int64_t given(const Transform& t);

// Transforms `source` to `target`. The form decides whether the source is real (float32 or float64) or complex. If the
// axis has fewer elements than the transform reads, zeros follow the elements of the axis. If the axis has more
// elements, the function ignores the end of the axis. The target has the same precision as the source. A complex source
// may also be the target.
void transform_axis(const Tensor& target, const Tensor& source, int axis, const Transform& t);

}  // namespace suanzi::fft
