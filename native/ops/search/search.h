// The operators argmax and argmin return the index of the greatest and of the least element, along one axis or among
// all elements. The operators return the first of equal elements, and prefer NaN to any number.
#pragma once

#include <optional>

#include "ops/search/search.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

inline constexpr const char* search_names[search_count] = {"argmax", "argmin"};

// Returns the indices of the greatest or the least elements along an axis. Without an axis, elements are numbered in
// row-major order. The result is int64.
Tensor search(Search search, const Tensor& x, std::optional<int> axis, bool keepdims);

}  // namespace suanzi
