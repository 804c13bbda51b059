// Quantizing, dequantizing and the arithmetic of codes as Python functions. suanzi.quantized checks scales and zero
// points.
#include <optional>
#include <string_view>

#include "ops/quantized/code_parameters.h"
#include "ops/quantized/dynamic.h"
#include "ops/quantized/products.h"
#include "ops/quantized/quantized.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// An operand and the tensors that the operand refers to. The tensors stay alive while the interpreter lock is released.
class HeldOperand {
 public:
  // Reads elements with their scale and zero point, or a number. A scale is a tensor, a number, or None, which means 1.
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

// The parameters of the result, and the tensor that receives the codes, unless the caller passes None for the tensor.
class HeldResult {
 public:
  HeldResult(const char* op, nb::handle scale, nb::handle zero, nb::handle codes, bool symmetric, nb::handle out)
      : scale_(require_tensor(op, scale.ptr())),
        result_{&scale_, require_integer(op, "zero_point", zero.ptr()), require_dtype(op, codes.ptr()), symmetric} {
    if (!out.is_none()) out_ = require_out(op, out.ptr());
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

Operation require_operation(const char* op, std::string_view name) {
  for (const Operation operation : quantized_operations)
    if (info(operation).name == name) return operation;
  fail(Status::invalid_argument, op, ": ", name, " is not an operation of codes");
}

// Returns the requested kind of codes. The arguments are the type of the codes, a bool (true for symmetric codes), and
// the axis of channels or None.
CodeKind code_kind(const char* op, nb::handle codes, nb::handle symmetric, nb::handle axis) {
  CodeKind kind{require_dtype(op, codes.ptr()), require_truth(op, "symmetric", symmetric.ptr())};
  if (!axis.is_none()) kind.axis = static_cast<int>(require_integer(op, "axis", axis.ptr()));
  return kind;
}

nb::tuple as_tuple(Quantized&& found) {
  return nb::make_tuple(wrapped(std::move(found.codes)), wrapped(std::move(found.scale)), found.zero);
}

void bind_combining(nb::module_& m) {
  nb::list names;
  for (const Operation operation : quantized_operations) names.append(info(operation).name.data());
  m.attr("quantized_operations") = nb::tuple(names);
  define(m, "quantized_combine",
         "(operator: str, operation: str, x: Tensor | float, x_scale: Tensor | None, x_zero: int, y: Tensor | float, "
         "y_scale: Tensor | None, y_zero: int, codes: DType, symmetric: bool, axis: int | None, /) -> tuple[Tensor, "
         "Tensor, int]",
         [](const char* op, const char* operation, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle y,
            nb::handle y_scale, nb::handle y_zero, nb::handle codes, nb::handle symmetric, nb::handle axis) {
           const Operation which = require_operation(op, operation);
           const HeldOperand first(op, x, x_scale, x_zero), second(op, y, y_scale, y_zero);
           const CodeKind kind = code_kind(op, codes, symmetric, axis);
           return as_tuple(unlocked_if_long(first.size() + second.size(),
                                            [&] { return combine_finest(op, which, *first, *second, kind); }));
         });
  define(m, "quantized_combine_into",
         "(operator: str, operation: str, x: Tensor | float, x_scale: Tensor | None, x_zero: int, y: Tensor | float, "
         "y_scale: Tensor | None, y_zero: int, scale: Tensor, zero_point: int, codes: DType, symmetric: bool, out: "
         "Tensor, /) -> None",
         [](const char* op, const char* operation, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle y,
            nb::handle y_scale, nb::handle y_zero, nb::handle scale, nb::handle zero, nb::handle codes, bool symmetric,
            nb::handle out) {
           const Operation which = require_operation(op, operation);
           const HeldOperand first(op, x, x_scale, x_zero), second(op, y, y_scale, y_zero);
           const HeldResult result(op, scale, zero, codes, symmetric, out);
           unlocked_if_long(first.size() + second.size(),
                            [&] { return combine(op, which, *first, *second, *result, result.out()); });
         });
}

// Reads an operand of a product. The operand must be codes, and not a number.
HeldOperand require_codes(const char* op, nb::handle elements, nb::handle scale, nb::handle zero) {
  require_tensor(op, elements.ptr());
  require_tensor(op, scale.ptr());
  return HeldOperand(op, elements, scale, zero);
}

// Returns the work of a product, in which each element takes part in many multiplications.
int64_t product_work(const HeldOperand& x, const HeldOperand& y) { return 8 * (x.size() + y.size()); }

void bind_products_of_codes(nb::module_& m) {
  define(m, "quantized_matmul",
         "(operator: str, x: Tensor, x_scale: Tensor, x_zero: int, y: Tensor, y_scale: Tensor, y_zero: int, codes: "
         "DType, symmetric: bool, /) -> tuple[Tensor, Tensor, int]",
         [](const char* op, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle y, nb::handle y_scale,
            nb::handle y_zero, nb::handle codes, nb::handle symmetric) {
           const HeldOperand first = require_codes(op, x, x_scale, x_zero);
           const HeldOperand second = require_codes(op, y, y_scale, y_zero);
           const CodeKind kind = code_kind(op, codes, symmetric, nb::none());
           return as_tuple(unlocked_if_long(product_work(first, second), [&] {
             const Product product = multiply_codes(op, *first, *second);
             return quantize_finest(op, {&product.elements, nullptr, 0, product.factor}, kind);
           }));
         });
  define(m, "quantized_matmul_into",
         "(operator: str, x: Tensor, x_scale: Tensor, x_zero: int, y: Tensor, y_scale: Tensor, y_zero: int, scale: "
         "Tensor, zero_point: int, codes: DType, symmetric: bool, out: Tensor, /) -> None",
         [](const char* op, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle y, nb::handle y_scale,
            nb::handle y_zero, nb::handle scale, nb::handle zero, nb::handle codes, bool symmetric, nb::handle out) {
           const HeldOperand first = require_codes(op, x, x_scale, x_zero);
           const HeldOperand second = require_codes(op, y, y_scale, y_zero);
           const HeldResult result(op, scale, zero, codes, symmetric, out);
           unlocked_if_long(product_work(first, second), [&] {
             const Product product = multiply_codes(op, *first, *second);
             return quantize(op, {&product.elements, nullptr, 0, product.factor}, *result, result.out());
           });
         });
}

}  // namespace

void bind_quantization(nb::module_& m) {
  define(m, "dynamic_codes", "(x: Tensor, /) -> tuple[Tensor, Tensor, Tensor]", [](nb::handle given) {
    const Tensor x = require_tensor("dynamic_codes", given.ptr());
    DynamicCodes found = unlocked_if_long(x.size, [&] { return dynamic_codes("dynamic_codes", x); });
    return nb::make_tuple(wrapped(std::move(found.codes)), wrapped(std::move(found.step)),
                          wrapped(std::move(found.zero)));
  });
  define(m, "quantized_encode",
         "(operator: str, x: Tensor, x_scale: Tensor | float | None, x_zero: int, scale: Tensor, zero_point: int, "
         "codes: DType, symmetric: bool, out: Tensor | None, /) -> Tensor",
         [](const char* op, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle scale, nb::handle zero,
            nb::handle codes, bool symmetric, nb::handle out) {
           require_tensor(op, x.ptr());
           const HeldOperand numbers(op, x, x_scale, x_zero);
           const HeldResult result(op, scale, zero, codes, symmetric, out);
           return unlocked_if_long(numbers.size(), [&] { return quantize(op, *numbers, *result, result.out()); });
         });
  define(m, "quantize_finest",
         "(operator: str, x: Tensor, x_scale: Tensor | float | None, x_zero: int, codes: DType, symmetric: bool, axis: "
         "int | None, /) -> tuple[Tensor, Tensor, int]",
         [](const char* op, nb::handle x, nb::handle x_scale, nb::handle x_zero, nb::handle codes, nb::handle symmetric,
            nb::handle axis) {
           require_tensor(op, x.ptr());
           const HeldOperand numbers(op, x, x_scale, x_zero);
           const CodeKind kind = code_kind(op, codes, symmetric, axis);
           return as_tuple(unlocked_if_long(numbers.size(), [&] { return quantize_finest(op, *numbers, kind); }));
         });
  define(m, "quantized_decode", "(codes: Tensor, scale: Tensor, zero_point: int, real: DType, /) -> Tensor",
         [](nb::handle x, nb::handle scale, nb::handle zero, nb::handle real) {
           constexpr const char* op = "dequantize";
           require_tensor(op, x.ptr());
           const HeldOperand codes(op, x, scale, zero);
           const DType type = require_dtype(op, real.ptr());
           return unlocked_if_long(codes.size(), [&] { return dequantize(op, *codes, type); });
         });
  bind_combining(m);
  bind_products_of_codes(m);
}

}  // namespace suanzi::python
