// Fourier transforms of tensors, which ops/fft/fft.binding.cpp binds. Elements of types other than float64 and
// complex128 are computed in float32.
#pragma once

#include <optional>

#include "ops/fft/transform.h"

namespace suanzi::fft {

enum class Norm { backward, ortho, forward };

struct Fourier {
  const char* name;
  Form form;  // complex, to_half or from_half
  bool inverse;
};

// Transforms along `axes` (by default, as many last axes as there are lengths, or all axes), which then have these
// lengths. A length of -1, and missing lengths, mean the size of the axis.
Tensor fourier(const Fourier& op, const Tensor& x, const std::optional<Dims>& lengths, const std::optional<Dims>& axes,
               Norm norm);
// Transforms along one axis.
Tensor fourier(const Fourier& op, const Tensor& x, std::optional<int64_t> length, int64_t axis, Norm norm);

// Moves element 0 of each axis to the middle of the axis, or, if `inverse`, back; the default is all axes.
Tensor shifted(const char* op, const Tensor& x, const std::optional<Dims>& axes, bool inverse);

// Returns the frequencies of a transform of n samples that are `spacing` apart: all of them, or the first half.
Tensor frequencies(const char* op, int64_t n, double spacing, DType dtype, bool half);

}  // namespace suanzi::fft
