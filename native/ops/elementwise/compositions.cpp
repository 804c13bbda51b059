#include "ops/elementwise/compositions.h"

#include <algorithm>

#include "walk/copy.h"

namespace suanzi {
namespace {

bool is_string(const Operand& x) {
  return x.tensor ? x.tensor->dtype == DType::string : x.scalar.kind == Scalar::Kind::string;
}

void check_number(const char* op, const Tensor& x) {
  check_alive(op, x);
  if (x.dtype == DType::string) fail(Status::type_mismatch, op, ": element type string is not a number");
}

}  // namespace

Clipping clip_by(const char* op, const Operand& x, const Operand* least, const Operand* greatest) {
  if (least && greatest) return {Operation::clip, {x, *least, *greatest}, 3};
  const Operand& bound = least ? *least : greatest ? *greatest : x;
  if (is_string(x) || is_string(bound))  // maximum and minimum accept strings, but clip does not
    fail(Status::type_mismatch, op, ": element type string is not one of bool, integer, floating");
  return {least ? Operation::maximum : Operation::minimum, {x, bound, {}}, 2};
}

KernelParams isclose_params(const char* op, double rtol, double atol, bool equal_nan) {
  if (!(atol >= 0) || !(rtol >= 0))
    fail(Status::invalid_argument, op, ": tolerances ", atol, " and ", rtol, " must not be negative");
  KernelParams params;
  params.real[0] = atol;
  params.real[1] = rtol;
  params.integer[0] = equal_nan;
  return params;
}

KernelParams round_params(int64_t decimals, int mode) {
  KernelParams params;
  // The clamp of `decimals` to [-400, 400] changes no result, because the greatest float64 has 309 digits, and the
  // least positive float64 is about 5 × 10^-324.
  params.integer[0] = std::clamp<int64_t>(decimals, -400, 400);
  params.integer[1] = mode;
  return params;
}

Tensor real_of(const Tensor& x) {
  check_number("real", x);
  return is_complex(x.dtype) ? complex_part(x, 0) : x;
}

Tensor imag_of(const Tensor& x) {
  check_number("imag", x);
  if (is_complex(x.dtype)) return complex_part(x, 1);
  Tensor zeros = make_empty_like("imag", x.shape, x.dtype, x);
  fill("imag", zeros, Scalar::of(int64_t{0}));
  return zeros;
}

}  // namespace suanzi
