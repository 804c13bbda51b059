#include "ops/quantized/products.h"

#include <algorithm>

#include "ops/elementwise/elementwise.h"
#include "ops/product/bfloat16.kernels.h"
#include "ops/product/matmul.h"
#include "walk/copy.h"

namespace suanzi::linalg {
namespace {

// The greatest magnitude of codes less their zero point.
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

// The types in which sums are exact up to here, the quickest first. bfloat16 stands for its kernels, which sum in
// float32: it holds 8 bits, and only where there are kernels and matrices is it the quickest.
DType exact_type(const char* op, const Tensor& x, const Tensor& y, double bound, int64_t terms) {
  if (bound <= 0x1p24) {
    const bool matrices = x.rank() >= 2 && y.rank() >= 2;
    return matrices && size_of(x.dtype) == 1 && size_of(y.dtype) == 1 && bfloat16_gemm() ? DType::bfloat16
                                                                                         : DType::float32;
  }
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

}  // namespace

Tensor multiply_codes(const char* op, const Tensor& x, int64_t x_zero, const Tensor& y, int64_t y_zero) {
  const double extents = extent(op, x, x_zero) * extent(op, y, y_zero);
  const int64_t terms = x.rank() ? x.shape[x.rank() - 1] : 1;
  const DType type = exact_type(op, x, y, extents * static_cast<double>(std::max<int64_t>(terms, 1)), terms);
  return matmul(op, centred(op, x, x_zero, type), centred(op, y, y_zero, type), nullptr, Rounding::none);
}

}  // namespace suanzi::linalg
