// A matrix that many others are multiplied by, packed once as the kernels of products read it; a library packs it anew
// at every call, which for a few rows takes longer than to multiply them.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// The numbers that the codes of int8 or uint8 of a matrix stand for: (code - zero) * scale. Each tensor has an element
// for each column of the matrix; the scales are float32, the zero points have the type of the codes.
struct Scaling {
  Tensor scales;
  const Tensor* zeros;  // null where all are zero
};

// The columns of a matrix, some at a time: (panels, rows, columns of a panel), the last panel filled up with zeros. The
// SIMD level determines how many columns a panel has. The elements are float32, float64, or codes of int8 or uint8,
// whose panels are as wide as those of float32. A matrix without elements is refused.
Tensor to_panels(const char* op, const Tensor& matrix);

// x B, plus a vector of as many elements as B has columns, if there is one; all of one type. Each element is the same
// whatever the number of rows and of threads. With a scaling, the panels are codes and x is float32: each thread
// decodes one panel at a time, so that B is read from memory as codes.
Tensor multiply_panels(const char* op, const Tensor& x, const Tensor& panels, int64_t columns, const Tensor* bias,
                       const Scaling* scaling = nullptr);

}  // namespace suanzi::products
