// Operators made of matrix products: inner and outer products, sums over any axes, and the two layers.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi::products {

// The sum over axes_a of `a` and axes_b of `b`, pair by pair; the other axes follow, those of `a` first.
Tensor tensordot(const char* op, const Tensor& a, const Tensor& b, const Dims& axes_a, const Dims& axes_b);
// The product of numpy.dot: the last axis of `a` with the last but one of `b`; a tensor without axes multiplies.
Tensor dot(const Tensor& a, const Tensor& b);
// The sum of conj(a) b along one axis; the others broadcast.
Tensor vecdot(const Tensor& a, const Tensor& b, int64_t axis);
Tensor outer(const Tensor& a, const Tensor& b);
// Cross products of vectors of three elements along an axis of the common shape; the others broadcast. Halves are
// computed in float32.
Tensor cross(const Tensor& a, const Tensor& b, int64_t axis);

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias);
// Takes scratch memory for the weight in another order, and 4 MiB or one row of the product with it.
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor* bias);

}  // namespace suanzi::products
