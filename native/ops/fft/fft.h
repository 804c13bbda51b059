// Fourier transforms of tensors, which ops/fft/fft.binding.cpp binds. Elements other than float64 and complex128 are
// computed in float32.
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

// Along `axes` (by default as many last ones as there are lengths, or all), which then have these lengths; -1 and no
// lengths stand for those that they have.
Tensor fourier(const Fourier& op, const Tensor& x, const std::optional<Dims>& lengths, const std::optional<Dims>& axes,
               Norm norm);
// A transform along one axis.
Tensor fourier(const Fourier& op, const Tensor& x, std::optional<int64_t> length, int64_t axis, Norm norm);

// The number 0 of each axis moved to its middle, or back; by default of all axes.
Tensor shifted(const char* op, const Tensor& x, const std::optional<Dims>& axes, bool inverse);

// The frequencies of a transform of n samples `spacing` apart: all of them, or of its first half.
Tensor frequencies(const char* op, int64_t n, double spacing, DType dtype, bool half);

}  // namespace suanzi::fft
