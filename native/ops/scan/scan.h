// Scans: the sums or products of all elements up to each element, along one axis.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/scan/scan.kernels.h"
#include "tensor/tensor.h"

namespace suanzi {

struct ScanOptions {
  std::optional<int64_t> axis;  // without an axis, the elements in the default order form one line
  std::optional<DType> dtype;   // the type of the result, to which elements are converted first
  bool include_initial = false;
  bool exclusive = false;
  bool reverse = false;
};

// By default, the results for bool and integers have 64 bits. Floating types accumulate in float64 and are rounded
// once. Results have the same bits on any number of threads.
Tensor scan(const char* name, Scan op, const Tensor& x, const ScanOptions& options);

}  // namespace suanzi
