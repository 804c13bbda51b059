// A matrix that is packed once for many products. A BLAS library packs the matrix at every call. For a few rows, this
// packing takes longer than the product.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// The scales and zero points of a matrix of int8 or uint8 codes. A code represents the number (code - zero) * scale.
// Each tensor has one element for each column of the matrix. The scales are float32, and the zero points have the type
// of the codes.
struct Scaling {
  Tensor scales;
  // The pointer is null if all zero points are 0.
  const Tensor* zeros;
};

// Packs the columns of a matrix in panels. The result has the shape (panels, rows, columns of a panel), and the last
// panel is padded with zeros. The number of columns in a panel depends on the SIMD level. The elements are float32,
// float64, or codes of int8 or uint8. Panels of codes have the width of panels of float32. The function refuses a
// matrix without elements.
Tensor to_panels(const char* op, const Tensor& matrix);

// Computes x B and adds `bias`, a vector with one element for each column of B, if given. Without `scaling`, all
// operands have one type. An element of the result does not depend on the number of rows or of threads. If `scaling` is
// given, the panels are codes and x is float32. Each thread then decodes one panel at a time and reads B from memory as
// codes.
Tensor multiply_panels(const char* op, const Tensor& x, const Tensor& panels, int64_t columns, const Tensor* bias,
                       const Scaling* scaling = nullptr);

}  // namespace suanzi::products
