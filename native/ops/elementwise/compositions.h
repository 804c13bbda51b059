// Operators that call elementwise operations of other names, and functions that make the parameters of operations.
#pragma once

#include <string_view>

#include "ops/elementwise/elementwise.h"

namespace suanzi {

// The names of the rounding modes of divide, and the operation for each rounding mode.
inline constexpr std::string_view division_names[] = {"None", "trunc", "floor"};
inline constexpr Operation divisions[] = {Operation::true_divide, Operation::trunc_divide, Operation::floor_divide};

// The operation that computes clip with the given bounds, and the operands of this operation. Without bounds, the
// operation is the minimum of x and x. This operation also checks x and out.
struct Clipping {
  Operation operation;
  Operand operands[3];
  int count;
};
Clipping clip_by(const char* op, const Operand& x, const Operand* least, const Operand* greatest);

// Returns the parameters of isclose. Fails with INVALID_ARGUMENT for tolerances that are negative or NaN.
KernelParams isclose_params(const char* op, double rtol, double atol, bool equal_nan);

// round_params returns the parameters of `round`. `mode` is an index into rounding_modes.
inline constexpr std::string_view rounding_modes[] = {"half_even", "half_up", "half_away", "half_down",
                                                      "floor",     "ceil",    "trunc"};
KernelParams round_params(int64_t decimals, int mode);

// These functions return the real and the imaginary parts of a tensor of any numeric type. For a complex tensor, the
// parts are views. For a real tensor, the parts are the tensor itself and zeros.
Tensor real_of(const Tensor& x);
Tensor imag_of(const Tensor& x);

}  // namespace suanzi
