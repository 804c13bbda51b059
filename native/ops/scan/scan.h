// Scans compute the sums or products of all elements up to each element, along one axis.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/scan/scan.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

struct ScanOptions {
  // Without an axis, all elements form one line in row-major order.
  std::optional<int64_t> axis;
  std::optional<DType> dtype;  // the type of the result, and of the converted elements
  bool include_initial = false;
  bool exclusive = false;
  bool reverse = false;
};

// Scans a tensor. By default, the results for bool and integers have 64 bits. Floating types accumulate in float64 and
// are rounded once. Results have the same bits on any number of threads.
Tensor scan(const char* name, Scan op, const Tensor& x, const ScanOptions& options);

}  // namespace suanzi
