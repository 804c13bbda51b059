// Functions that create tensors from a description: uninitialised tensors, tensors of zeros, and tensors of one value
// (clauses 7.2.1.3 to 7.2.1.5 of the standard).
#pragma once

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// The common parameters of operators that create tensors.
struct Description {
  Dims shape;
  DType dtype;
  std::optional<Dims> order;  // the logical order, fastest dimension first

  const Dims* order_if_any() const { return order ? &*order : nullptr; }
};

// Returns a tensor whose elements are any legal values.
Tensor empty(const char* op, const Description& described);
Tensor zeros(const char* op, const Description& described);
// Returns a tensor whose elements all equal the value. The function checks the value before it allocates memory.
Tensor full(const char* op, const Description& described, const Scalar& value);

}  // namespace suanzi
