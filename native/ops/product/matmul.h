// Products of stacks of matrices: shapes, element types, and how the work is cut into tasks.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// The matrix product as the array API has it: the last two axes are matrices, the others broadcast, a vector is a row
// on the left and a column on the right. float16 and bfloat16 are summed in float32 and rounded once, or not at all;
// that takes scratch memory for the operands and the result in float32, or for what ops/product/bfloat16.h says. The
// result does not depend on the number of threads. `start`, if given, is a vector that is added to every row of what is
// not rounded, and of its type.
enum class Rounding { to_operands, none };
Tensor matmul(const char* op, const Tensor& x1, const Tensor& x2, const Tensor* out = nullptr,
              Rounding rounding = Rounding::to_operands, const Tensor* start = nullptr);

// The type in which operands are multiplied: the promoted one, and float32 for what it holds exactly and does better.
DType common_type(const char* op, const Tensor& x1, const Tensor& x2);
DType working_type(DType t);

// `x` itself where it has the type.
Tensor as_type(const char* op, Tensor x, DType dtype);

// The transpose of the last two axes.
Tensor swap_last(const Tensor& x);

// sums += addend, which broadcasts to them and has their type.
void add_in_place(const Tensor& sums, const Tensor& addend);

// Gives a result: `out`, if there is one, filled with it; else the result itself, cast to `dtype`.
Tensor deliver(const char* op, Tensor result, DType dtype, const Tensor* out);

}  // namespace suanzi::products
