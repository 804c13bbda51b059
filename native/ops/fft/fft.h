// Functions for Fourier transforms of tensors. ops/fft/fft.binding.cpp binds these functions to Python. Transforms of
// element types other than float64 and complex128 are computed in float32.
#pragma once

#include <optional>

#include "ops/fft/transform.h"

namespace suanzi::fft {

enum class Norm { backward, ortho, forward };

struct Fourier {
  const char* name;
  Form form;  // one of complex, to_half and from_half
  bool inverse;
};

// Transforms x along `axes`. Along these axes, the transforms have the lengths `lengths`. Without `axes`, the function
// transforms the last axes, one axis for each number in `lengths`. Without `axes` and `lengths`, the function
// transforms all axes. A length of -1 or a missing length means the size of the axis.
Tensor fourier(const Fourier& op, const Tensor& x, const std::optional<Dims>& lengths, const std::optional<Dims>& axes,
               Norm norm);
// Transforms x along one axis, whose size becomes `length`. Without `length`, the size does not change.
Tensor fourier(const Fourier& op, const Tensor& x, std::optional<int64_t> length, int64_t axis, Norm norm);

// Moves element 0 of each axis to the middle of the axis. If `inverse` is true, the function moves the middle element
// to index 0. Without `axes`, the function moves the elements along all axes.
Tensor shifted(const char* op, const Tensor& x, const std::optional<Dims>& axes, bool inverse);

// Returns the frequencies of a transform of n samples that are `spacing` apart. If `half` is true, the function returns
// only the first half of the frequencies.
Tensor frequencies(const char* op, int64_t n, double spacing, DType dtype, bool half);

}  // namespace suanzi::fft
