// Pooling computes each result from the elements of a window.
#pragma once

#include <optional>

#include "ops/pool/windows.h"

namespace suanzi {

struct PoolRequest {
  Pool pool = Pool::max;
  WindowRequest windows;
  // Two options of averages. If `counts_padding` is true, padding counts as elements. `divisor` replaces the number of
  // elements.
  bool counts_padding = false;
  std::optional<int64_t> divisor = {};
  double order = 2;  // the order of a norm
};

struct Pooled {
  Tensor values;
  // A place is the row-major index of the greatest element within the plane. The places are int64 and have the shape of
  // the values. If the caller requests no places, the tensor has no storage.
  Tensor places;
};

// Pools x, of shape (N, C, spatial ...). The result has the type of x. Maxima and averages of 16-bit floating types are
// computed in float32, and norms in float64. If `out` is given, the function writes the results to the tensors of
// `out`. If these tensors have another type than x, the code converts float32 results of 16-bit types to that type.
Pooled pool(const char* op, const Tensor& x, const PoolRequest& request, bool with_places, const Pooled* out);

// Divides every axis into `size` even parts, and returns one result for each part. A negative size means the size of x.
Pooled adaptive_pool(const char* op, const Tensor& x, Pool pool, const Dims& size, bool with_places, const Pooled* out);

// Returns the greatest elements in even parts of regions. A row of `regions` holds the index of an image, and the
// corners x1, y1, x2, y2. The function multiplies the corners by `scale` and rounds the products. The shape of the
// regions is (K, 5), and the shape of the results is (K, C, height, width). The result of a part without elements is 0.
Tensor pool_regions(const char* op, const Tensor& x, const Tensor& regions, int64_t height, int64_t width,
                    double scale);

}  // namespace suanzi
