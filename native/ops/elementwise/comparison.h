// Comparison of integer tensors with numbers outside the range of the tensors' type. A number outside the range is
// greater than every element or less than every element, so the comparison has one answer for all elements.
#pragma once

#include <span>

#include "ops/elementwise/elementwise.h"

namespace suanzi {

// Returns true if an operand of a comparison is a number outside the range of the other operand's type.
bool past_range(Operation op, std::span<const Operand> operands);

// Replaces a comparison with a number outside the range by a comparison with the same answer. The first operand of the
// new comparison is the tensor. The second operand is the least number of the type if the original number is negative,
// and the greatest number of the type otherwise.
Operation within_range(Operation op, std::span<const Operand> operands, Operand (&replaced)[2]);

}  // namespace suanzi
