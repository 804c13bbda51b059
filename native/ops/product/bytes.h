// Products of stacks of matrices of 8-bit integers.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// Computes C = (A - zero_a) (B - zero_b) over the common batch. C is contiguous. The elements of C are int32, whose
// sums wrap, or int64. The element type of each operand must hold the operand's zero point. The scratch memory is 4
// MiB, and 400 KiB for each thread.
void multiply_bytes(const char* op, const Tensor& a, int zero_a, const Tensor& b, int zero_b, const Tensor& c,
                    const Dims& batch);

// A matrix of 8-bit integers that is packed once for many products. The packed words depend on the instructions of the
// processor. `panels` has the matrix's element type.
struct BytePanels {
  Tensor panels;
  int64_t terms, columns;  // the shape of the matrix
  int zero;
};

// Packs a matrix of int8 or uint8. The matrix must have elements.
Tensor to_byte_panels(const char* op, const Tensor& matrix, int zero);

// Returns the product (x - zero_x) (B - zero). The sums are int32 and wrap. x is int8 or uint8.
Tensor multiply_byte_panels(const char* op, const Tensor& x, int zero_x, const BytePanels& b);

}  // namespace suanzi::products
