// Operators that call elementwise operations of other names, and parameters of operations.
#pragma once

#include <string_view>

#include "ops/elementwise/elementwise.h"

namespace suanzi {

// The treatments of the quotient by divide, in the order of these names.
inline constexpr std::string_view division_names[] = {"None", "trunc", "floor"};
inline constexpr Operation divisions[] = {Operation::true_divide, Operation::trunc_divide, Operation::floor_divide};

// clip by the bounds that there are: an operation and its operands. Without any it is the lesser of each element and
// itself, which also checks x and out.
struct Clipping {
  Operation operation;
  Operand operands[3];
  int count;
};
Clipping clip_by(const char* op, const Operand& x, const Operand* least, const Operand* greatest);

// INVALID_ARGUMENT for tolerances that are negative or NaN.
KernelParams isclose_params(const char* op, double rtol, double atol, bool equal_nan);

// `mode` is a place among the names.
inline constexpr std::string_view rounding_modes[] = {"half_even", "half_up", "half_away", "half_down",
                                                      "floor",     "ceil",    "trunc"};
KernelParams round_params(int64_t decimals, int mode);

// The parts of a tensor of any numbers: of a complex one views, of another itself and zeros.
Tensor real_of(const Tensor& x);
Tensor imag_of(const Tensor& x);

}  // namespace suanzi
