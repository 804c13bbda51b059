// Pooling: results that are made of the elements of a window each.
#pragma once

#include <optional>

#include "ops/pool/windows.h"

namespace suanzi {

struct PoolRequest {
  Pool pool = Pool::max;
  WindowRequest windows;
  // Averages: whether the padding counts, or a divisor in place of the count.
  bool counts_padding = false;
  std::optional<int64_t> divisor = {};
  double order = 2;  // the order of a norm
};

struct Pooled {
  Tensor values;
  Tensor places;  // int64, of the same shape; without storage where they are not asked for
};

// x is (N, C, spatial ...). The result is in the type of x; halves are computed in float32. Writes to `out` where that
// is given.
Pooled pool(const char* op, const Tensor& x, const PoolRequest& request, bool with_places, const Tensor* out);

// One result for each of `size` even parts of every axis; a negative size is that of x.
Pooled adaptive_pool(const char* op, const Tensor& x, Pool pool, const Dims& size, bool with_places, const Tensor* out);

// The greatest elements in even parts of regions: a row of `regions` is the number of an image, and the corners x1, y1,
// x2, y2, which are multiplied by `scale` and rounded. The regions are (K, 5), the results (K, C, height, width). A
// part without elements gives 0.
Tensor pool_regions(const char* op, const Tensor& x, const Tensor& regions, int64_t height, int64_t width,
                    double scale);

}  // namespace suanzi
