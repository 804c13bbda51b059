// Pooling: each result is computed from the elements of a window.
#pragma once

#include <optional>

#include "ops/pool/windows.h"

namespace suanzi {

struct PoolRequest {
  Pool pool = Pool::max;
  WindowRequest windows;
  // Options of averages: `counts_padding` makes padding count as elements, and `divisor` replaces the number of
  // elements.
  bool counts_padding = false;
  std::optional<int64_t> divisor = {};
  double order = 2;  // the order of a norm
};

struct Pooled {
  Tensor values;
  Tensor places;  // int64, with the same shape; without storage if places are not requested
};

// Pools x, of shape (N, C, spatial ...). The result has the type of x; halves are computed in float32. Writes to the
// tensors of `out` if they are given. If their type is not that of x, results for halves are rounded once, to their
// type.
Pooled pool(const char* op, const Tensor& x, const PoolRequest& request, bool with_places, const Pooled* out);

// Returns one result for each of `size` even parts of every axis; a negative size means the size of x.
Pooled adaptive_pool(const char* op, const Tensor& x, Pool pool, const Dims& size, bool with_places, const Pooled* out);

// Returns the greatest elements in even parts of regions. A row of `regions` has the number of an image, and the
// corners x1, y1, x2, y2, which are multiplied by `scale` and rounded. The regions are (K, 5), the results (K, C,
// height, width). The result of a part without elements is 0.
Tensor pool_regions(const char* op, const Tensor& x, const Tensor& regions, int64_t height, int64_t width,
                    double scale);

}  // namespace suanzi
