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

// Returns whether elements are 8-bit integers, whose products are exact in 32 bits.
bool is_byte(DType t);

// Multiplies 8-bit integers less a zero point each; the sums are int32, which wrap, or int64, which are
// exact.
Tensor multiply_integers(const char* op, const Tensor& x1, int zero1, const Tensor& x2, int zero2, DType sums);

// The product computed in `dtype`, which must hold what the operands have: int32 and int64 sums of 8-bit integers,
// float32 ones of halves that are not rounded, or the product of both operands cast to it.
Tensor matmul_as(const char* op, const Tensor& x1, const Tensor& x2, DType dtype, const Tensor* out);

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
