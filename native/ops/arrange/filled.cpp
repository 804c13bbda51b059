#include "ops/arrange/filled.h"

#include <cstring>

#include "runtime/costs.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

Tensor allocated(const char* op, const Description& described) {
  return make_empty(op, described.shape, described.dtype, described.order_if_any());
}

void clear(const Tensor& x) { std::memset(x.data, 0, static_cast<size_t>(x.nbytes())); }

}  // namespace

Tensor empty(const char* op, const Description& described) {
  const Tensor result = allocated(op, described);
  if (result.dtype == DType::boolean) clear(result);  // the bytes of a bool tensor must be 0 or 1
  return result;
}

Tensor zeros(const char* op, const Description& described) {
  const Tensor result = allocated(op, described);
  if (result.nbytes() <= costs::cleared_at_once) {  // the bits of zero are 0 in every type
    clear(result);
  } else {
    fill(op, result, zero_of(result.dtype));
  }
  return result;
}

Tensor full(const char* op, const Description& described, const Scalar& value) {
  ElementBuffer element;
  store_scalar(op, value, described.dtype, element, Overflow::refused);
  const Tensor result = allocated(op, described);
  fill(op, result, value);
  return result;
}

}  // namespace suanzi
