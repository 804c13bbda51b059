#include "ops/quantized/products.h"

#include <algorithm>

#include "ops/elementwise/elementwise.h"
#include "ops/product/matmul.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

// Returns the greatest magnitude that a code of x minus the zero point can have.
double extent(const char* op, const Tensor& x, int64_t zero) {
  check_alive(op, x);
  const int bits = 8 * size_of(x.dtype);
  if (!is_integer(x.dtype) || bits > 16)
    fail(Status::type_mismatch, op, ": codes have element type ", name(x.dtype), ", not an integer of 8 or 16 bits");
  const bool is_unsigned = x.dtype == DType::uint8 || x.dtype == DType::uint16;
  const int64_t codes = int64_t{1} << bits, least = is_unsigned ? 0 : -codes / 2, greatest = least + codes - 1;
  if (zero < least || zero > greatest)
    fail(Status::out_of_range, op, ": zero point ", zero, " is outside [", least, ", ", greatest, "]");
  return static_cast<double>(std::max(greatest - zero, zero - least));
}

// Returns the fastest type in which sums with magnitudes up to `bound` are exact.
DType exact_type(const char* op, double bound, int64_t terms) {
  if (bound <= 0x1p24) return DType::float32;
  if (bound <= 0x1p53) return DType::float64;
  if (bound < 0x1p63) return DType::int64;
  fail(Status::invalid_argument, op, ": the sum of ", terms, " products may pass 64 bits");
}

Tensor centred(const char* op, const Tensor& x, int64_t zero, DType type) {
  const Tensor wide = cast(op, x, type);
  if (zero == 0) return wide;
  const Operand operands[] = {{&wide, {}}, {nullptr, Scalar::of(zero)}};
  return elementwise(Operation::subtract, operands, &wide);
}

Tensor product_of(const Tensor& x, const Tensor& y) {
  const Operand operands[] = {{&x, {}}, {&y, {}}};
  return elementwise(Operation::multiply, operands);
}

// Returns the scale of x in float64, in a shape that broadcasts to the product of x and an operand of rank `other`. If
// the other operand is a vector, the function removes the summed axis.
Tensor scale_of(const char* op, const QuantizedOperand& x, int summed, int other) {
  const Tensor scale = cast(op, *x.scale, DType::float64);
  if (scale.size == 1) return reshape(op, scale, {});
  Dims shape(x.elements->rank(), 1);
  std::copy(scale.shape.begin(), scale.shape.end(), shape.end() - scale.rank());
  if (other > 1) return reshape(op, scale, shape);
  Dims left;
  for (int i = 0; i < shape.size(); ++i)
    if (i != summed) left.push_back(shape[i]);
  return reshape(op, scale, left);
}

// Returns the sums of products of centred codes (codes minus their zero points). No magnitude of a sum exceeds `bound`.
Tensor sums_of(const char* op, const QuantizedOperand& x, const QuantizedOperand& y, double bound, int64_t terms) {
  const Tensor &a = *x.elements, &b = *y.elements;
  if (products::is_byte(a.dtype) && products::is_byte(b.dtype))
    return products::multiply_integers(op, a, static_cast<int>(x.zero), b, static_cast<int>(y.zero),
                                       bound < 0x1p31 ? DType::int32 : DType::int64);
  const DType type = exact_type(op, bound, terms);
  return products::matmul(op, centred(op, a, x.zero, type), centred(op, b, y.zero, type), nullptr,
                          products::Rounding::none);
}

}  // namespace

Product multiply_codes(const char* op, const QuantizedOperand& x, const QuantizedOperand& y) {
  const Tensor &a = *x.elements, &b = *y.elements;
  const double extents = extent(op, a, x.zero) * extent(op, b, y.zero);
  const int64_t terms = a.rank() ? a.shape[a.rank() - 1] : 1;
  const double bound = extents * static_cast<double>(std::max<int64_t>(terms, 1));
  const Tensor sums = sums_of(op, x, y, bound, terms);
  const Tensor left = scale_of(op, x, a.rank() - 1, b.rank());
  const Tensor right = scale_of(op, y, std::max(b.rank() - 2, 0), a.rank());
  const Tensor scale = product_of(left, right);
  if (scale.rank() == 0) return {sums, *scale.as<double>()};
  return {product_of(cast(op, sums, DType::float64), scale), 1};
}

}  // namespace suanzi
