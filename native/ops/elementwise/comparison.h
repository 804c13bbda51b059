// Comparison of integer tensors with numbers that their type does not hold: such a number is greater or less than every
// element, and the answer is known.
#pragma once

#include <span>

#include "ops/elementwise/elementwise.h"

namespace suanzi {

// True if one of two operands of a comparison is such a number.
bool past_range(Operation op, std::span<const Operand> operands);

// The replacement: the comparison with the same answer of the tensor, now the first operand, and the end of its type's
// range that the number lies beyond.
Operation within_range(Operation op, std::span<const Operand> operands, Operand (&replaced)[2]);

}  // namespace suanzi
