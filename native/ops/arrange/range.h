// Sequences of evenly spaced numbers (7.2.1.12 and 7.2.1.13).
#pragma once

#include <optional>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// start, start + step, … as far as stop, which is left out.
Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype);

// An element of the range of three integers that a floating or complex type rounds; none where all are exact, or where
// one of the three is no integer.
std::optional<Scalar> inexact_element(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype);

// `count` numbers from start to stop, both included.
Tensor linspace(const Scalar& start, const Scalar& stop, int64_t count, DType dtype);

}  // namespace suanzi
