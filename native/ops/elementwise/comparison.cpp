#include "ops/elementwise/comparison.h"

#include "base/limits.h"

namespace suanzi {
namespace {

bool is_comparison(Operation op) { return op >= Operation::equal && op <= Operation::less_equal; }

Scalar scalar_of(uint64_t magnitude) {
  return {Scalar::Kind::integer, false, false, magnitude, {static_cast<double>(magnitude)}};
}

// Returns the result of the comparison `x op number` if the number is greater than every x.
bool holds_below(Operation op) {
  return op == Operation::less || op == Operation::less_equal || op == Operation::not_equal;
}
// Returns the result of the comparison `x op number` if the number is less than every x.
bool holds_above(Operation op) {
  return op == Operation::greater || op == Operation::greater_equal || op == Operation::not_equal;
}

// Returns the comparison for which `x comparison number` has the same result as `number op x`.
Operation mirrored(Operation op) {
  switch (op) {
    case Operation::less:
      return Operation::greater;
    case Operation::less_equal:
      return Operation::greater_equal;
    case Operation::greater:
      return Operation::less;
    case Operation::greater_equal:
      return Operation::less_equal;
    default:
      return op;
  }
}

// Returns the index of the operand that is a number.
size_t place_of_number(std::span<const Operand> operands) { return operands[0].tensor ? 1 : 0; }

DType common_type(const Operand& x, const Operand& number) { return promote_scalar(x.tensor->dtype, number.scalar); }

}  // namespace

bool past_range(Operation op, std::span<const Operand> operands) {
  if (!is_comparison(op)) return false;
  const size_t at = place_of_number(operands);
  const Operand &number = operands[at], &x = operands[1 - at];
  if (number.tensor || !x.tensor || number.scalar.kind != Scalar::Kind::integer) return false;
  const DType t = common_type(x, number);
  if (!is_integer(t)) return false;
  const IntegerLimits limits = limits_of(t);
  const uint64_t deepest = ~static_cast<uint64_t>(limits.least) + 1;  // the magnitude of the least element
  return number.scalar.huge || number.scalar.magnitude > (number.scalar.negative ? deepest : limits.greatest);
}

Operation within_range(Operation op, std::span<const Operand> operands, Operand (&replaced)[2]) {
  const size_t at = place_of_number(operands);
  const Operand &number = operands[at], &x = operands[1 - at];
  const IntegerLimits limits = limits_of(common_type(x, number));
  if (at == 0) op = mirrored(op);
  replaced[0] = x;
  if (number.scalar.negative) {
    replaced[1].scalar = Scalar::of(limits.least);
    return holds_above(op) ? Operation::greater_equal : Operation::less;
  }
  replaced[1].scalar = scalar_of(limits.greatest);
  return holds_below(op) ? Operation::less_equal : Operation::greater;
}

}  // namespace suanzi
