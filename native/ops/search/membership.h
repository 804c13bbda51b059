// A test that finds the elements among given values by a table.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

// Returns a bool tensor of the shape of x that is true for the integers of x that are among the values. `values` must
// not be empty. Returns nothing if the types have no common integer type. The function also returns nothing if the
// values are so far apart that a table of all integers between these values would use more memory than the places of a
// search.
std::optional<Tensor> among_integers(const char* op, const Tensor& x, const Tensor& values);

}  // namespace suanzi
