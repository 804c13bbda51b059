#include <optional>

#include "ops/arrange/views.h"
#include "ops/linalg/batch.h"
#include "ops/linalg/linalg.h"
#include "ops/product/matmul.h"
#include "walk/copy.h"

namespace suanzi::linalg {

using products::as_type;
using products::matmul;
using products::working_type;

Tensor matrix_power(const Tensor& x, int64_t n) {
  const char* op = "matrix_power";
  check_alive(op, x);
  if (x.rank() < 2 || x.shape[x.rank() - 2] != x.shape[x.rank() - 1])
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not a square matrix or a stack of them");
  if (n == 0) {
    const Tensor identity = make_empty(op, x.shape, x.dtype);
    fill(op, identity, Scalar::of(false));
    if (x.size) fill(op, diagonal(op, identity, 0, -2, -1), Scalar::of(true));
    return identity;
  }
  // The binary digits of |n| determine the factors, beginning with the least significant digit. A negative power is a
  // power of the inverse.
  Tensor square = as_type(op, x, n < 0 ? computing_type(x.dtype) : working_type(x.dtype));
  if (n < 0) square = inv(op, square);
  const bool whole = !is_floating(x.dtype) && !is_complex(x.dtype);
  const DType type = n < 0 && whole ? DType::float32 : x.dtype;
  std::optional<Tensor> result;
  for (uint64_t digits = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);; digits /= 2) {
    if (digits % 2) result = result ? matmul(op, *result, square) : square;
    if (digits <= 1) break;
    square = matmul(op, square, square);
  }
  return result->storage.get() == x.storage.get() ? clone(op, x) : as_type(op, *result, type);
}

}  // namespace suanzi::linalg
