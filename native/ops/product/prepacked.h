// A matrix that is packed once for many products. A BLAS library packs the matrix at every call, which for a few rows
// takes longer than the product.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// The scales and zero points of a matrix of int8 or uint8 codes. A code represents the number (code - zero) * scale.
// Each tensor has one element per column of the matrix; the scales are float32, the zero points have the type of the
// codes.
struct Scaling {
  Tensor scales;
  const Tensor* zeros;  // null where all are zero
};

// Packs the columns of a matrix in panels: the result has the shape (panels, rows, columns of a panel), and the last
// panel is padded with zeros. The number of columns in a panel depends on the SIMD level. The elements are float32,
// float64, or codes of int8 or uint8, whose panels are as wide as those of float32. A matrix without elements is
// refused.
Tensor to_panels(const char* op, const Tensor& matrix);

// Computes x B, plus a vector with one element per column of B, if given. All operands have one type. An element of the
// result does not depend on the number of rows or of threads. With a scaling, the panels are codes and x is float32:
// each thread decodes one panel at a time, so that B is read from memory as codes.
Tensor multiply_panels(const char* op, const Tensor& x, const Tensor& panels, int64_t columns, const Tensor* bias,
                       const Scaling* scaling = nullptr);

}  // namespace suanzi::products
