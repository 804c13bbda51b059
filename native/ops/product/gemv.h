// Products with a vector: a matrix times one, and the inner product of two; on several threads where there is enough to
// do.
#pragma once

#include "ops/product/matrix.h"

namespace suanzi::products {

struct Vector {
  std::byte* data;
  int64_t step;  // in elements
};

// y = A x, and `start`, contiguous, if given, all of the type of A, or float32 where that is a 16-bit floating one; for
// an A that is contiguous by rows, or by columns where y is contiguous. False for others. The bits do not depend on the
// number of threads. Scratch memory: a copy of an x that is not contiguous, and 4 KiB.
bool multiply_vector(DType dtype, const Matrix& a, Vector x, Vector y, const std::byte* start = nullptr);

// The sum of the products of two vectors, contiguous or not, on several threads; `conjugate`: of the conjugates of a
// with b. `out` has room for one element; the product of halves is of float32.
void inner_product(const char* op, const Tensor& a, const Tensor& b, std::byte* out, bool conjugate = false);

}  // namespace suanzi::products
