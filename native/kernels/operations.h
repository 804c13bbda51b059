// The table of elementwise operations and reductions. Each row lists the accepted types, the type of the computation
// and the type of the result. Python names, checks, promotion and kernel tables are derived from this table.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.h"

namespace suanzi {

// The kinds of element types that an operation accepts.
enum Accepts : uint8_t {
  B = 1,   // the type bool
  I = 2,   // integer types
  F = 4,   // floating types
  C = 8,   // complex types
  S = 16,  // the type string
};

// The type in which the operation computes, as derived from the promoted type of the operands.
enum class Compute : uint8_t {
  promoted,  // the promoted type
  floating,  // float32 for integers and bool, and the promoted type otherwise
};

// The wider type in which an operation computes float16 and bfloat16. float32 suffices if the float32 result, rounded
// again, is the correctly rounded half. The operations + - * / and sqrt have this property (Figueroa 1995).
// Mathematical functions need float64 for correctly rounded halves. Operations with `bits` only move elements or change
// the signs of elements, and need no wider type.
enum class Half : uint8_t { float32, float64, bits };

enum class Result : uint8_t {
  computed,  // the type in which the operation computes
  boolean,
  real,     // the type of the real part
  complex,  // the complex type of the operands
};

struct OperationInfo {
  std::string_view name;
  uint8_t arity;
  uint8_t accepts;
  Compute compute;
  Half half;
  Result result;
};

// Mathematical functions of one operand. The rows of these functions are alike, and their kernels are alike. The kernel
// for real numbers calls the function of the same name in math/ (ops/elementwise/math.kernels.cpp). The kernel for
// complex numbers calls the function in ops/elementwise/complex_functions.cpp, or the C library's function if this file
// does not contain such a function.
#define SUANZI_FUNCTIONS(F, OP) \
  F(OP, rsqrt)                  \
  F(OP, sin)                    \
  F(OP, cos)                    \
  F(OP, tan)                    \
  F(OP, asin)                   \
  F(OP, acos)                   \
  F(OP, atan)                   \
  F(OP, sinh)                   \
  F(OP, cosh)                   \
  F(OP, tanh)                   \
  F(OP, asinh)                  \
  F(OP, acosh)                  \
  F(OP, atanh)                  \
  F(OP, exp)                    \
  F(OP, expm1)                  \
  F(OP, log)                    \
  F(OP, log1p)                  \
  F(OP, log10)                  \
  F(OP, log2)
#define SUANZI_FUNCTION_ROW(OP, name) OP(name, 1, B | I | F | C, floating, float64, computed)

// The columns are the name, the arity, the accepted types, the type of the computation, the type for halves, and the
// type of the result.
#define SUANZI_OPERATIONS(OP)                                     \
  OP(add, 2, B | I | F | C, promoted, float32, computed)          \
  OP(subtract, 2, I | F | C, promoted, float32, computed)         \
  OP(multiply, 2, B | I | F | C, promoted, float32, computed)     \
  OP(multiply_add, 3, B | I | F | C, promoted, float64, computed) \
  OP(true_divide, 2, B | I | F | C, floating, float32, computed)  \
  OP(trunc_divide, 2, I | F, promoted, float32, computed)         \
  OP(floor_divide, 2, I | F, promoted, float32, computed)         \
  OP(remainder, 2, I | F, promoted, float32, computed)            \
  OP(fmod, 2, I | F, promoted, float32, computed)                 \
  OP(maximum, 2, B | I | F | S, promoted, float32, computed)      \
  OP(minimum, 2, B | I | F | S, promoted, float32, computed)      \
  OP(abs, 1, B | I | F | C, promoted, bits, real)                 \
  OP(negative, 1, I | F | C, promoted, bits, computed)            \
  OP(positive, 1, I | F | C, promoted, bits, computed)            \
  OP(reciprocal, 1, I | F | C, floating, float32, computed)       \
  OP(sign, 1, B | I | F | C, promoted, float32, computed)         \
  OP(copysign, 2, I | F, floating, float32, computed)             \
  OP(nextafter, 2, I | F, floating, bits, computed)               \
  OP(signbit, 1, I | F, floating, float32, boolean)               \
  OP(clip, 3, B | I | F, promoted, float32, computed)             \
  OP(equal, 2, B | I | F | C | S, promoted, float32, boolean)     \
  OP(not_equal, 2, B | I | F | C | S, promoted, float32, boolean) \
  OP(greater, 2, B | I | F | S, promoted, float32, boolean)       \
  OP(greater_equal, 2, B | I | F | S, promoted, float32, boolean) \
  OP(less, 2, B | I | F | S, promoted, float32, boolean)          \
  OP(less_equal, 2, B | I | F | S, promoted, float32, boolean)    \
  OP(isclose, 2, B | I | F | C, promoted, float32, boolean)       \
  OP(isfinite, 1, B | I | F | C, promoted, float32, boolean)      \
  OP(isinf, 1, B | I | F | C, promoted, float32, boolean)         \
  OP(isnan, 1, B | I | F | C, promoted, float32, boolean)         \
  OP(logical_and, 2, B | I | F | C, promoted, float32, boolean)   \
  OP(logical_or, 2, B | I | F | C, promoted, float32, boolean)    \
  OP(logical_xor, 2, B | I | F | C, promoted, float32, boolean)   \
  OP(logical_not, 1, B | I | F | C, promoted, float32, boolean)   \
  OP(bitwise_and, 2, B | I, promoted, float32, computed)          \
  OP(bitwise_or, 2, B | I, promoted, float32, computed)           \
  OP(bitwise_xor, 2, B | I, promoted, float32, computed)          \
  OP(bitwise_invert, 1, B | I, promoted, float32, computed)       \
  OP(bitwise_left_shift, 2, I, promoted, float32, computed)       \
  OP(bitwise_right_shift, 2, I, promoted, float32, computed)      \
  OP(pow, 2, I | F | C, promoted, float64, computed)              \
  OP(sqrt, 1, B | I | F | C, floating, float32, computed)         \
  OP(square, 1, B | I | F | C, promoted, float32, computed)       \
  OP(hypot, 2, I | F, floating, float64, computed)                \
  OP(floor, 1, B | I | F, promoted, float32, computed)            \
  OP(ceil, 1, B | I | F, promoted, float32, computed)             \
  OP(trunc, 1, B | I | F, promoted, float32, computed)            \
  OP(rint, 1, B | I | F | C, promoted, float32, computed)         \
  OP(round, 1, B | I | F | C, promoted, float64, computed)        \
  OP(atan2, 2, B | I | F, floating, float64, computed)            \
  OP(logaddexp, 2, I | F, floating, float64, computed)            \
  SUANZI_FUNCTIONS(SUANZI_FUNCTION_ROW, OP)                       \
  OP(erf, 1, B | I | F, floating, float64, computed)              \
  OP(erfc, 1, B | I | F, floating, float64, computed)             \
  OP(gelu, 1, B | I | F, floating, float64, computed)             \
  OP(complex, 2, I | F, floating, float32, complex)               \
  OP(conj, 1, B | I | F | C, promoted, bits, computed)            \
  OP(where, 3, B | I | F | C | S, promoted, bits, computed)

enum class Operation : uint8_t {
#define SUANZI_NAME(name, ...) name,
  SUANZI_OPERATIONS(SUANZI_NAME)
#undef SUANZI_NAME
      count
};
inline constexpr int operation_count = static_cast<int>(Operation::count);

inline constexpr OperationInfo operation_table[operation_count] = {
#define SUANZI_ROW(name, arity, accepts, compute, half, result) \
  {#name, arity, accepts, Compute::compute, Half::half, Result::result},
    SUANZI_OPERATIONS(SUANZI_ROW)
#undef SUANZI_ROW
};

constexpr const OperationInfo& info(Operation op) { return operation_table[static_cast<int>(op)]; }

// The folds that the engine runs. ops/reduce/reduce.h builds the reductions that users call from these folds.
enum class Reduction : uint8_t {
  sum,
  prod,
  max,
  min,
  all,
  any,
  magnitudes,        // the sum of |x|
  squares,           // the sum of x^2
  squares_of_large,  // the sum of (x / scale)^2, where x^2 may overflow
  squares_of_small,  // the sum of (x scale)^2, where x^2 may underflow
  moments,           // the mean, and the sum of (x - mean)^2
  exponentials,      // the maximum, and the sum of exp(x - maximum)
  count
};
inline constexpr int reduction_count = static_cast<int>(Reduction::count);
inline constexpr double square_scale = 0x1p600;

// Returns true if an accumulator is a pair of float64 numbers. Code that only moves a pair treats the pair as one
// element of complex128.
constexpr bool folds_to_pair(Reduction op) { return op == Reduction::moments || op == Reduction::exponentials; }

// Returns the fold that combines accumulators of the fold `op`. These accumulators must not be pairs.
constexpr Reduction merging(Reduction op) {
  return op == Reduction::magnitudes || op == Reduction::squares || op == Reduction::squares_of_large ||
                 op == Reduction::squares_of_small
             ? Reduction::sum
             : op;
}

// Returns the type in which a reduction accumulates. This type is wide enough for the result and its rounding.
constexpr DType accumulator_type(Reduction op, DType in) {
  if (op == Reduction::all || op == Reduction::any) return DType::boolean;
  if (op == Reduction::max || op == Reduction::min) return is_half(in) ? DType::float32 : in;
  if (folds_to_pair(op)) return DType::complex128;
  switch (kind(in)) {
    case Kind::boolean:
    case Kind::signed_integer:
      return DType::int64;
    case Kind::unsigned_integer:
      return DType::uint64;
    case Kind::floating:
      return DType::float64;
    case Kind::complex:
      return DType::complex128;
    case Kind::string:
      break;
  }
  return in;
}

}  // namespace suanzi
