// Quantizing, dequantizing and the arithmetic of codes as Python functions; scales and zero points are checked by
// suanzi.quantized.
#include <optional>

#include "ops/quantized/products.h"
#include "ops/quantized/quantized.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

constexpr const char* names[quantized_operation_count] = {"add", "subtract", "multiply", "maximum", "minimum"};

// An operand and the tensors that it refers to, which stay alive while the lock is released.
class HeldOperand {
 public:
  // Elements and what they stand for, or a number. A scale is a tensor, a number, or None, which is 1.
  HeldOperand(const char* op, nb::handle elements, nb::handle scale, nb::handle zero) {
    if (!PyTensor_Check(elements.ptr())) {
      operand_.factor = require_real(op, "operand", elements.ptr());
      return;
    }
    elements_ = tensor_of(elements.ptr());
    operand_.elements = &elements_;
    if (PyTensor_Check(scale.ptr())) {
      scale_ = tensor_of(scale.ptr());
      operand_.scale = &scale_;
    } else if (!scale.is_none()) {
      operand_.factor = require_real(op, "scale", scale.ptr());
    }
    operand_.zero = require_integer(op, "zero_point", zero.ptr());
  }
  HeldOperand(const HeldOperand&) = delete;
  HeldOperand& operator=(const HeldOperand&) = delete;

  const QuantizedOperand& operator*() const { return operand_; }
  int64_t size() const { return elements_.size; }

 private:
  Tensor elements_, scale_;
  QuantizedOperand operand_;
};

// The same for the result: its parameters, and the codes it goes to unless they are None.
class HeldResult {
 public:
  HeldResult(const char* op, nb::handle scale, nb::handle zero, int64_t codes, bool symmetric, nb::handle out)
      : scale_(require_tensor(op, scale.ptr())),
        result_{&scale_, require_integer(op, "zero_point", zero.ptr()), require_dtype(op, codes), symmetric} {
    if (!out.is_none()) out_ = require_tensor(op, out.ptr());
  }
  HeldResult(const HeldResult&) = delete;
  HeldResult& operator=(const HeldResult&) = delete;

  const Quantization& operator*() const { return result_; }
  const Tensor* out() const { return out_ ? &*out_ : nullptr; }

 private:
  Tensor scale_;
  Quantization result_;
  std::optional<Tensor> out_;
};

QuantizedOperation require_operation(int64_t number) {
  if (number < 0 || number >= quantized_operation_count)
    fail(Status::invalid_argument, "quantized_combine: operation ", number, " is not known");
  return static_cast<QuantizedOperation>(number);
}

}  // namespace

void bind_quantization(nb::module_& m) {
  define(m, "quantize",
         [](const char* op, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle scale, nb::handle zero,
            int64_t codes, bool symmetric, nb::handle out) {
           require_tensor(op, x.ptr());
           const HeldOperand numbers(op, x, x_scale, x_zero);
           const HeldResult result(op, scale, zero, codes, symmetric, out);
           return unlocked_if_long(numbers.size(), [&] { return quantize(op, *numbers, *result, result.out()); });
         });
  define(m, "dequantize", [](nb::handle x, nb::handle scale, nb::handle zero, int64_t real) {
    constexpr const char* op = "dequantize";
    require_tensor(op, x.ptr());
    const HeldOperand codes(op, x, scale, zero);
    const DType type = require_dtype(op, real);
    return unlocked_if_long(codes.size(), [&] { return dequantize(op, *codes, type); });
  });
  define(m, "quantized_combine",
         [](int64_t operation, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle y, nb::handle y_scale,
            nb::handle y_zero, nb::handle scale, nb::handle zero, int64_t codes, bool symmetric, nb::handle out) {
           const QuantizedOperation which = require_operation(operation);
           const char* op = names[operation];
           const HeldOperand first(op, x, x_scale, x_zero), second(op, y, y_scale, y_zero);
           const HeldResult result(op, scale, zero, codes, symmetric, out);
           return unlocked_if_long(first.size() + second.size(),
                                   [&] { return combine(op, which, *first, *second, *result, result.out()); });
         });
  define(m, "quantized_range",
         [](int64_t operation, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle y, nb::handle y_scale,
            nb::handle y_zero) -> nb::object {
           const QuantizedOperation which = require_operation(operation);
           const char* op = names[operation];
           const HeldOperand first(op, x, x_scale, x_zero), second(op, y, y_scale, y_zero);
           const auto range = unlocked_if_long(first.size() + second.size(),
                                               [&] { return combined_range(op, which, *first, *second); });
           if (!range) return nb::none();
           return nb::make_tuple(range->least, range->greatest);
         });
  define(m, "quantized_sums", [](nb::handle x, nb::handle x_zero, nb::handle y, nb::handle y_zero) {
    constexpr const char* op = "matmul";
    const Tensor a = require_tensor(op, x.ptr()), b = require_tensor(op, y.ptr());
    const int64_t a_zero = require_integer(op, "zero_point", x_zero.ptr());
    const int64_t b_zero = require_integer(op, "zero_point", y_zero.ptr());
    return unlocked_if_long(8 * (a.size + b.size),  // each element takes part in many multiplications
                            [&] { return linalg::multiply_codes(op, a, a_zero, b, b_zero); });
  });
}

}  // namespace suanzi::python
