// Operators that compute products and sums of products: inner, outer and cross products, sums over pairs of axes, and
// the layers linear and bilinear.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi::products {

// Sums products over pairs of axes. Axis axes_a[i] of `a` and axis axes_b[i] of `b` are a pair. The result has the
// other axes of `a`, followed by the other axes of `b`. In this file, `dtype`, if given, is the type of the result, to
// which the operands' types must promote.
Tensor tensordot(const char* op, const Tensor& a, const Tensor& b, const Dims& axes_a, const Dims& axes_b,
                 std::optional<DType> dtype = {});
// Computes numpy.dot, which sums over the last axis of `a` and the last but one axis of `b` (or the only axis of a
// vector `b`). An operand without axes multiplies the other operand.
Tensor dot(const Tensor& a, const Tensor& b, std::optional<DType> dtype = {});
// Sums conj(a) b along one axis. The other axes of `a` and `b` broadcast.
Tensor vecdot(const Tensor& a, const Tensor& b, int64_t axis);
Tensor outer(const Tensor& a, const Tensor& b);
// Computes cross products of vectors of three elements along an axis of the common shape. The other axes broadcast.
// Cross products of float16 and bfloat16 are computed in float32.
Tensor cross(const Tensor& a, const Tensor& b, int64_t axis);

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias, std::optional<DType> dtype = {});
// Computes x1 W x2ᵀ + bias for each matrix W of the weight (the layer bilinear). The scratch memory is a copy of the
// weight in another order, and the products of some rows of x1 with the weight. The scratch memory holds at most 2^19
// products, or the products of a single row of x1.
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor* bias);

}  // namespace suanzi::products
