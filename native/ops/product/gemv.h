// The product of a matrix and a vector, and the inner product of two vectors. Large products run on several threads.
#pragma once

#include "ops/product/matrix.h"

namespace suanzi::products {

struct Vector {
  std::byte* data;
  int64_t step;  // the step in elements
};

// Computes y = A x and adds `start`, a contiguous vector, if given. All other operands have the type of A, or float32
// if A is float16 or bfloat16. The rows of A must be contiguous, or the columns of A and y must be contiguous.
// Otherwise, the function computes nothing and returns false. The bits do not depend on the number of threads. The
// scratch memory is at most 8 KiB, and a copy of x if the rows of A are contiguous and x is not.
bool multiply_vector(DType dtype, const Matrix& a, Vector x, Vector y, const std::byte* start = nullptr);

// Sums the products of the elements of two vectors, which may have any step, on several threads. If `conjugate` is
// true, the function conjugates the elements of `a`. `out` has room for one element, which is float32 if the operands
// are float16 or bfloat16.
void inner_product(const char* op, const Tensor& a, const Tensor& b, std::byte* out, bool conjugate = false);

}  // namespace suanzi::products
