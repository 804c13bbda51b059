// Sequences of evenly spaced numbers (clauses 7.2.1.12 and 7.2.1.13 of the standard).
#pragma once

#include <optional>

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// Returns start, start + step, … in ascending or descending order up to stop, which is excluded.
Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype);

// Returns an element of arange(start, stop, step) that the floating or complex type `dtype` would round. Returns
// nothing if the type holds all elements exactly, or if one of the three numbers is not an integer.
std::optional<Scalar> inexact_element(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype);

// Returns `count` numbers from start to stop, including start and stop.
Tensor linspace(const Scalar& start, const Scalar& stop, int64_t count, DType dtype);

}  // namespace suanzi
