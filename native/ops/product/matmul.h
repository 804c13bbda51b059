// Products of stacks of matrices. The files matmul.h and matmul.cpp determine the shapes and element types of these
// products, and divide the products into tasks.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::products {

// Computes the matrix product of the array API. The last two axes are matrices, and the other axes broadcast. A vector
// on the left is a row, and a vector on the right is a column. Sums of float16 and bfloat16 are float32. The function
// rounds these sums once, to the common type of the operands. If `out` has another floating or complex type, or if
// `rounding` is Rounding::none, the function does not round the sums to this type. For float16 and bfloat16, the
// product needs scratch memory for the operands and the result in float32, or the memory described in
// ops/product/bfloat16.h. The result does not depend on the number of threads. `start`, if given, is a vector that the
// function adds to every row before rounding. `start` has the type of the unrounded sums.
enum class Rounding { to_operands, none };
Tensor matmul(const char* op, const Tensor& x1, const Tensor& x2, const Tensor* out = nullptr,
              Rounding rounding = Rounding::to_operands, const Tensor* start = nullptr);

// Returns true if t is a type of 8-bit integers, whose products are exact in 32 bits.
bool is_byte(DType t);

// Multiplies 8-bit integers, after subtracting a zero point from each operand. The sums are int32, which wrap, or
// int64, which are exact.
Tensor multiply_integers(const char* op, const Tensor& x1, int zero1, const Tensor& x2, int zero2, DType sums);

// Returns the type of sums whose result has the type `dtype`. The sums of integers are not rounded before the end, so
// these sums are float64 or complex128 if `dtype` is a floating or complex type. Fails unless `common`, the common type
// of the operands, promotes to `dtype`.
DType sums_type(const char* op, DType common, DType dtype);

// Computes the product in `dtype`, to which the operands' types must promote. Sums of 8-bit integers are int32 or
// int64, and sums of float16 or bfloat16 for a float32 result are not rounded. For other types, the function casts the
// two operands to the type of the sums. `start`, if given, is a vector that the function adds to every row before
// rounding. The type of `start` must promote to `dtype`.
Tensor matmul_as(const char* op, const Tensor& x1, const Tensor& x2, DType dtype, const Tensor* out = nullptr,
                 const Tensor* start = nullptr);

// common_type returns the promoted type of two operands, and fails if elements of this type cannot be multiplied.
// working_type returns the type in which the code multiplies operands of type t, which is float32 for float16 and
// bfloat16.
DType common_type(const char* op, const Tensor& x1, const Tensor& x2);
DType working_type(DType t);

// Returns the type to which sums are rounded before the sums are written to `out`, if given. `common` is the common
// type of the operands.
DType rounded_type(DType common, const Tensor* out);

// Returns `x` cast to the type. If `x` has this type, the function returns `x` without a copy.
Tensor as_type(const char* op, Tensor x, DType dtype);

// Returns a view with the last two axes exchanged.
Tensor swap_last(const Tensor& x);

// Computes sums += addend. The addend broadcasts to the sums and has their type.
void add_in_place(const Tensor& sums, const Tensor& addend);

// Casts a result to `dtype`. If `out` is given, the function copies the cast result to `out` and returns `out`.
// Otherwise, the function returns the cast result.
Tensor deliver(const char* op, Tensor result, DType dtype, const Tensor* out);

}  // namespace suanzi::products
