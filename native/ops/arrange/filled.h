// Tensors by their description alone: not initialised, of zeros, of one value (7.2.1.3 to 7.2.1.5).
#pragma once

#include "tensor/tensor.h"
#include "walk/scalar.h"

namespace suanzi {

// The common parameters of the operators of creation.
struct Description {
  Dims shape;
  DType dtype;
  std::optional<Dims> order;  // fastest first

  const Dims* order_if_any() const { return order ? &*order : nullptr; }
};

// Returns a tensor of any legal values.
Tensor empty(const char* op, const Description& described);
Tensor zeros(const char* op, const Description& described);
// The value is checked before memory is taken.
Tensor full(const char* op, const Description& described, const Scalar& value);

}  // namespace suanzi
