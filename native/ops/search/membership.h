// The test whether elements are among given ones, by a table.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// bool, of the shape of x: whether each integer of x is among the values, of which there is one at least. Nothing where
// the types have no integer type in common, or where the values are so far apart that a table of all between them would
// take more memory than the places of a search.
std::optional<Tensor> among_integers(const char* op, const Tensor& x, const Tensor& values);

}  // namespace suanzi
