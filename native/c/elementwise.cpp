// The functions of suanzi/elementwise.h, which are the operators of the table in kernels/operations.h, and operators
// that call these operators.
#include <array>

#include "c/arguments.h"
#include "c/handle.h"
#include "kernels/operations.h"
#include "ops/elementwise/compositions.h"
#include "ops/reduce/named.h"

namespace suanzi::c {
namespace {

static_assert(SUANZI_DIVIDE_FLOOR + 1 == std::size(divisions));
static_assert(SUANZI_ROUND_TRUNC + 1 == std::size(rounding_modes));

template <size_t n>
SuanziStatus apply(Operation op, SuanziTensor* y, const std::array<SuanziTensor, n>& x) noexcept {
  const char* const name = info(op).name.data();
  return give(name, y, [&] {
    std::array<Operand, n> operands;
    for (size_t i = 0; i < n; ++i) operands[i] = operand(name, x[i]);
    return elementwise(op, operands);
  });
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;
using suanzi::Operation;

extern "C" {

#define SUANZI_UNARY(name)                                            \
  SuanziStatus suanzi_##name(const SuanziTensor x, SuanziTensor* y) { \
    return apply(Operation::name, y, std::array{SuanziTensor(x)});    \
  }
#define SUANZI_BINARY(name)                                                                   \
  SuanziStatus suanzi_##name(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y) { \
    return apply(Operation::name, y, std::array{SuanziTensor(x1), SuanziTensor(x2)});         \
  }
#define SUANZI_TERNARY(name)                                                                                         \
  SuanziStatus suanzi_##name(const SuanziTensor x1, const SuanziTensor x2, const SuanziTensor x3, SuanziTensor* y) { \
    return apply(Operation::name, y, std::array{SuanziTensor(x1), SuanziTensor(x2), SuanziTensor(x3)});              \
  }
#define SUANZI_FUNCTION(OP, name) SUANZI_UNARY(name)

SUANZI_UNARY(isfinite)
SUANZI_UNARY(isinf)
SUANZI_UNARY(isnan)
SUANZI_BINARY(add)
SUANZI_BINARY(subtract)
SUANZI_BINARY(multiply)
SUANZI_TERNARY(multiply_add)
SUANZI_BINARY(floor_divide)
SUANZI_BINARY(true_divide)
SUANZI_BINARY(remainder)
SUANZI_BINARY(maximum)
SUANZI_BINARY(minimum)
SUANZI_UNARY(abs)
SUANZI_UNARY(reciprocal)
SUANZI_BINARY(equal)
SUANZI_BINARY(not_equal)
SUANZI_BINARY(greater)
SUANZI_BINARY(greater_equal)
SUANZI_BINARY(less)
SUANZI_BINARY(less_equal)
SUANZI_BINARY(logical_and)
SUANZI_BINARY(logical_or)
SUANZI_UNARY(logical_not)
SUANZI_BINARY(logical_xor)
SUANZI_BINARY(bitwise_and)
SUANZI_BINARY(bitwise_or)
SUANZI_BINARY(bitwise_xor)
SUANZI_UNARY(bitwise_invert)
SUANZI_BINARY(bitwise_left_shift)
SUANZI_BINARY(bitwise_right_shift)
SUANZI_BINARY(pow)
SUANZI_UNARY(sqrt)
SUANZI_UNARY(square)
SUANZI_UNARY(floor)
SUANZI_UNARY(ceil)
SUANZI_UNARY(trunc)
SUANZI_UNARY(rint)
SUANZI_FUNCTIONS(SUANZI_FUNCTION, )
SUANZI_BINARY(complex)
SUANZI_UNARY(conj)
SUANZI_UNARY(sign)
SUANZI_TERNARY(where)

SuanziStatus suanzi_divide(const SuanziTensor x1, const SuanziTensor x2, int32_t rounding, SuanziTensor* y) {
  constexpr const char* op = "divide";
  return give(op, y, [&] {
    const suanzi::Operand operands[] = {operand(op, x1), operand(op, x2)};
    const int which = choice(op, "rounding", rounding, std::size(suanzi::divisions));
    return elementwise(suanzi::divisions[which], operands, nullptr, {}, op);
  });
}

SuanziStatus suanzi_clip(const SuanziTensor x, const SuanziTensor min, const SuanziTensor max, SuanziTensor* y) {
  constexpr const char* op = "clip";
  return give(op, y, [&] {
    std::optional<suanzi::Operand> least, greatest;
    if (min) least = operand(op, min);
    if (max) greatest = operand(op, max);
    const auto clipping =
        suanzi::clip_by(op, operand(op, x), least ? &*least : nullptr, greatest ? &*greatest : nullptr);
    const std::span operands(clipping.operands, static_cast<size_t>(clipping.count));
    return elementwise(clipping.operation, operands, nullptr, {}, op);
  });
}

SuanziStatus suanzi_isclose(const SuanziTensor x1, const SuanziTensor x2, double rtol, double atol, bool equal_nan,
                            SuanziTensor* y) {
  constexpr const char* op = "isclose";
  return give(op, y, [&] {
    const suanzi::Operand operands[] = {operand(op, x1), operand(op, x2)};
    return elementwise(Operation::isclose, operands, nullptr, suanzi::isclose_params(op, rtol, atol, equal_nan));
  });
}

SuanziStatus suanzi_round(const SuanziTensor x, int64_t decimals, int32_t mode, SuanziTensor* y) {
  constexpr const char* op = "round";
  return give(op, y, [&] {
    const suanzi::Operand operands[] = {operand(op, x)};
    const int how = choice(op, "mode", mode, std::size(suanzi::rounding_modes));
    return elementwise(Operation::round, operands, nullptr, suanzi::round_params(decimals, how));
  });
}

SuanziStatus suanzi_trace(const SuanziTensor x, int64_t offset, SuanziTensor* y) {
  return give("trace", y, [&] { return suanzi::trace(dense("trace", x), offset); });
}

SuanziStatus suanzi_real(const SuanziTensor x, SuanziTensor* y) {
  return give("real", y, [&] { return suanzi::real_of(dense("real", x)); });
}

SuanziStatus suanzi_imag(const SuanziTensor x, SuanziTensor* y) {
  return give("imag", y, [&] { return suanzi::imag_of(dense("imag", x)); });
}
}
