// Python functions for products of vectors and matrices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/built.h"
#include "kernels/kernel.h"
#include "ops/linalg/linalg.h"
#include "ops/product/bytes.h"
#include "ops/product/contraction.h"
#include "ops/product/einsum.h"
#include "ops/product/matmul.h"
#include "ops/product/packed.h"
#include "ops/product/prepacked.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// Estimates the work from the number of elements. With the factor 8, a product releases the interpreter lock if an
// operand has more than costs::unlocked_elements / 8 elements.
int64_t work_of(const Tensor& a, const Tensor& b) { return 8 * std::min(std::max(a.size, b.size), int64_t{1} << 32); }

Tensor multiply_as(const Tensor& x1, const Tensor& x2, DType dtype, const Tensor* out) {
  const Tensor target = out ? *out : Tensor{};
  return unlocked_if_long(
      work_of(x1, x2),
      [&](const Tensor& a, const Tensor& b) {
        return products::matmul_as("matmul", a, b, dtype, out ? &target : nullptr);
      },
      x1, x2);
}

PyObject* matmul_to(PyObject* x1, PyObject* x2, PyObject* named, PyObject* out) {
  const char* op = "matmul";
  const Tensor &a = require_tensor(op, x1), &b = require_tensor(op, x2);
  if (named != Py_None) {
    const DType dtype = require_dtype(op, named);
    if (out == Py_None) return wrap(multiply_as(a, b, dtype, nullptr));
    multiply_as(a, b, dtype, &require_out(op, out));
    return Py_NewRef(out);
  }
  if (out == Py_None) return wrap(multiply_matrices(a, b, nullptr));
  multiply_matrices(a, b, &require_out(op, out));
  return Py_NewRef(out);
}

// Reads two tensors, and returns compute(x1, x2).
template <class Compute>
Tensor product_of(const char* op, nb::handle x1, nb::handle x2, Compute compute) {
  const Tensor a = require_tensor(op, x1.ptr()), b = require_tensor(op, x2.ptr());
  return unlocked_if_long(work_of(a, b), [&] { return compute(a, b); });
}

// Reads `axes`, which is a number or two lists of axes. A number n means the last n axes of `a` and the first n axes of
// `b`.
void read_axes(nb::handle axes, const Tensor& a, Dims& axes_a, const Tensor& b, Dims& axes_b) {
  const char* op = "tensordot";
  if (is_single_integer(axes.ptr())) {
    const int64_t count = require_integer(op, "axes", axes.ptr());
    if (count < 0 || count > std::min(a.rank(), b.rank()))
      fail(Status::out_of_range, op, ": axes = ", count, " does not fit the dimensions of shapes ", a.shape, " and ",
           b.shape);
    for (int64_t i = 0; i < count; ++i) {
      axes_a.push_back(a.rank() - count + i);
      axes_b.push_back(i);
    }
    return;
  }
  const Py_ssize_t count = PySequence_Check(axes.ptr()) ? PySequence_Size(axes.ptr()) : -1;
  if (count < 0) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
    PyErr_Clear();
    fail(Status::type_mismatch, op, ": axes must be an integer or two sequences, not ", Py_TYPE(axes.ptr())->tp_name);
  }
  if (count != 2) fail(Status::invalid_argument, op, ": axes are ", count, " sequences, not two");
  const nb::object of_a = nb::steal(PySequence_GetItem(axes.ptr(), 0));
  if (!of_a.is_valid()) throw PythonErrorSet{};
  const nb::object of_b = nb::steal(PySequence_GetItem(axes.ptr(), 1));
  if (!of_b.is_valid()) throw PythonErrorSet{};
  axes_a = require_dims(op, "axes", of_a.ptr());
  axes_b = require_dims(op, "axes", of_b.ptr());
}

Tensor tensordot_of(nb::handle x1, nb::handle x2, nb::handle axes) {
  const Tensor a = require_tensor("tensordot", x1.ptr()), b = require_tensor("tensordot", x2.ptr());
  Dims axes_a, axes_b;
  check_alive("tensordot", a);
  check_alive("tensordot", b);
  read_axes(axes, a, axes_a, b, axes_b);
  return unlocked_if_long(work_of(a, b), [&] { return products::tensordot("tensordot", a, b, axes_a, axes_b); });
}

Tensor einsum_of(nb::handle subscripts, nb::tuple operands, nb::handle dtype) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_Check(subscripts.ptr()) ? PyUnicode_AsUTF8AndSize(subscripts.ptr(), &length) : nullptr;
  if (!text) {
    PyErr_Clear();
    fail(Status::type_mismatch, "einsum: the subscripts must be a string, not ", Py_TYPE(subscripts.ptr())->tp_name);
  }
  const std::string terms(text, static_cast<size_t>(length));
  std::vector<Tensor> tensors;
  int64_t work = 0;
  for (nb::handle operand : operands) {
    tensors.push_back(require_tensor("einsum", operand.ptr()));
    work = std::max(work, work_of(tensors.back(), tensors.back()));
  }
  const std::optional<DType> named = optional_dtype("einsum", dtype.ptr());
  return unlocked_if_long(work, [&] { return products::einsum(terms, tensors, named); });
}

// Reads the bias of a layer, which is a vector or a number. A number is the bias of every feature of the weight's first
// axis.
std::optional<Tensor> optional_bias(const char* op, nb::handle bias, nb::handle x, const Tensor& weight) {
  if (bias.is_none()) return std::nullopt;
  if (PyTensor_Check(bias.ptr())) return require_tensor(op, bias.ptr());
  DType beside = weight.dtype;
  // If the two types do not promote, the operator later refuses the operands.
  (void)promote(require_tensor(op, x.ptr()).dtype, weight.dtype, beside);
  const Tensor one = require_operand(op, bias.ptr(), beside);
  return weight.rank() == 0 ? one : expand(op, one, {weight.shape[0]});
}

Tensor by_panels(nb::handle x, nb::handle panels, nb::handle columns, nb::handle bias, nb::handle scales,
                 nb::handle zeros) {
  const char* op = "matmul";
  const Tensor a = require_tensor(op, x.ptr()), b = require_tensor(op, panels.ptr());
  const int64_t count = require_integer(op, "columns", columns.ptr());
  const std::optional<Tensor> added = optional_tensor(op, bias), shifts = optional_tensor(op, zeros);
  std::optional<products::Scaling> scaling;
  if (!scales.is_none()) scaling = {require_tensor(op, scales.ptr()), shifts ? &*shifts : nullptr};
  return unlocked_if_long(work_of(a, b), [&] {
    return products::multiply_panels(op, a, b, count, added ? &*added : nullptr, scaling ? &*scaling : nullptr);
  });
}

Tensor by_bytes(nb::handle x1, nb::handle zero1, nb::handle x2, nb::handle zero2) {
  const char* op = "matmul_integers";
  const Tensor a = require_tensor(op, x1.ptr()), b = require_tensor(op, x2.ptr());
  const int of_a = require_zero_point(op, "the zero point of x1", zero1.ptr(), a.dtype),
            of_b = require_zero_point(op, "the zero point of x2", zero2.ptr(), b.dtype);
  return unlocked_if_long(work_of(a, b),
                          [&] { return products::multiply_integers(op, a, of_a, b, of_b, DType::int32); });
}

Tensor by_byte_panels(nb::handle x, nb::handle zero, nb::handle panels, nb::handle terms, nb::handle columns,
                      nb::handle zero_point) {
  const char* op = "matmul_integers";
  const Tensor a = require_tensor(op, x.ptr()), b = require_tensor(op, panels.ptr());
  const products::BytePanels of_b{b, require_integer(op, "terms", terms.ptr()),
                                  require_integer(op, "columns", columns.ptr()),
                                  require_zero_point(op, "the zero point of the panels", zero_point.ptr(), b.dtype)};
  const int of_a = require_zero_point(op, "the zero point of x", zero.ptr(), a.dtype);
  return unlocked_if_long(work_of(a, b), [&] { return products::multiply_byte_panels(op, a, of_a, of_b); });
}

struct Codes {
  nb::handle codes, scales, zeros;
};

Tensor by_codes(const char* op, nb::handle x, const Codes& weight, nb::handle bias, nb::handle bits) {
  const Tensor a = require_tensor(op, x.ptr());
  const std::optional<Tensor> zeros = optional_tensor(op, weight.zeros), added = optional_tensor(op, bias);
  const products::PackedWeight w{require_tensor(op, weight.codes.ptr()), require_tensor(op, weight.scales.ptr()),
                                 zeros ? &*zeros : nullptr, require_integer(op, "bits", bits.ptr())};
  return unlocked_if_long(work_of(a, w.codes),
                          [&] { return products::linear_packed(op, a, w, added ? &*added : nullptr); });
}

void define_packed(nb::module_& m) {
  define(m, "to_panels", "(matrix: Tensor, /) -> Tensor", [](nb::handle matrix) {
    const Tensor b = require_tensor("to_panels", matrix.ptr());
    return unlocked_if_long(b.size, [](const Tensor& x) { return products::to_panels("to_panels", x); }, b);
  });
  define(m, "multiply_panels",
         "(x: Tensor, panels: Tensor, columns: int, bias: Tensor | None, scales: Tensor | None, zeros: Tensor | None, "
         "/) -> Tensor",
         [](nb::handle x, nb::handle panels, nb::handle columns, nb::handle bias, nb::handle scales, nb::handle zeros) {
           return by_panels(x, panels, columns, bias, scales, zeros);
         });
  define(m, "linear_packed",
         "(operator: str, x: Tensor, codes: Tensor, scales: Tensor, zero_points: Tensor | None, bias: Tensor | None, "
         "bits: int, /) -> Tensor",
         [](const char* op, nb::handle x, nb::handle codes, nb::handle scales, nb::handle zeros, nb::handle bias,
            nb::handle bits) { return by_codes(op, x, {codes, scales, zeros}, bias, bits); });
  define(m, "to_byte_panels", "(matrix: Tensor, zero: int, /) -> Tensor", [](nb::handle matrix, nb::handle zero) {
    const char* op = "to_byte_panels";
    const Tensor b = require_tensor(op, matrix.ptr());
    const int point = require_zero_point(op, "the zero point", zero.ptr(), b.dtype);
    return unlocked_if_long(b.size, [&](const Tensor& x) { return products::to_byte_panels(op, x, point); }, b);
  });
  define(m, "multiply_byte_panels",
         "(x: Tensor, zero_x: int, panels: Tensor, terms: int, columns: int, zero: int, /) -> Tensor",
         [](nb::handle x, nb::handle zero_x, nb::handle panels, nb::handle terms, nb::handle columns, nb::handle zero) {
           return by_byte_panels(x, zero_x, panels, terms, columns, zero);
         });
  define(
      m, "matmul_integers", "(x1: Tensor, zero1: int, x2: Tensor, zero2: int, /) -> Tensor",
      [](nb::handle x1, nb::handle zero1, nb::handle x2, nb::handle zero2) { return by_bytes(x1, zero1, x2, zero2); });
}

void define_instructions(nb::module_& m) {
  // Returns the name of the product instruction for each element type. A name is "" if the level has no instruction for
  // the type.
  define(m, "product_instructions", "() -> dict[str, str]", [] {
    const auto named = [](const char* instruction) { return nb::str(instruction ? instruction : ""); };
    nb::dict names;
    names["bfloat16"] = named(bfloat16_instruction());
    names["int8"] = named(byte_instruction());
    return names;
  });
  // Returns the names of this machine's product instructions. SUANZI_SIMD accepts these names and the names of levels.
  define(m, "available_product_instructions", "() -> tuple[str, ...]", [] {
    nb::list names;
    for (const BuiltProducts* products : available_products()) names.append(products->name);
    return nb::tuple(names);
  });
}

}  // namespace

Tensor multiply_matrices(const Tensor& x1, const Tensor& x2, const Tensor* out) {
  // The number of multiply-adds that together take as long as one element of an elementwise operation.
  constexpr double per_element = 16;
  const int64_t terms = x1.rank() > 0 ? std::max<int64_t>(x1.shape[x1.rank() - 1], 1) : 1;
  const double work = static_cast<double>(x1.size) * static_cast<double>(x2.size) / static_cast<double>(terms);
  const auto elements = static_cast<int64_t>(std::min(work / per_element, 1e15));
  const auto multiply = [](const auto&... x) { return products::matmul("matmul", x...); };
  if (!out) return unlocked_if_long(elements, multiply, x1, x2);
  return unlocked_if_long(
      elements, [&](const Tensor& a, const Tensor& b, const Tensor& c) { return multiply(a, b, &c); }, x1, x2, *out);
}

void bind_products(nb::module_& m) {
  define(m, "dot", [](nb::handle x1, nb::handle x2, nb::handle dtype) {
    const std::optional<DType> named = optional_dtype("dot", dtype.ptr());
    return product_of("dot", x1, x2, [&](const Tensor& a, const Tensor& b) { return products::dot(a, b, named); });
  });
  define(m, "outer", [](nb::handle x1, nb::handle x2) { return product_of("outer", x1, x2, products::outer); });
  define(m, "vecdot", [](nb::handle x1, nb::handle x2, nb::handle axis) {
    const int64_t along = require_integer("vecdot", "axis", axis.ptr());
    return product_of("vecdot", x1, x2,
                      [&](const Tensor& a, const Tensor& b) { return products::vecdot(a, b, along); });
  });
  define(m, "cross", [](nb::handle x1, nb::handle x2, nb::handle axis) {
    const Tensor a = require_tensor("cross", x1.ptr()), b = require_tensor("cross", x2.ptr());
    const int64_t along = require_integer("cross", "axis", axis.ptr());
    return unlocked_if_long(unlocked_work(a, b), [&] { return products::cross(a, b, along); });
  });
  define(m, "tensordot", [](nb::handle x1, nb::handle x2, nb::handle axes) { return tensordot_of(x1, x2, axes); });
  define_of_lists(m, "einsum", "(subscripts: str, operands: tuple[Tensor, ...], dtype: DTypeLike | None, /) -> Tensor",
                  [](nb::handle subscripts, nb::tuple operands, nb::handle dtype) {
                    return einsum_of(subscripts, operands, dtype);
                  });
  define(m, "matrix_power", [](nb::handle operand, nb::handle power) {
    const Tensor x = require_tensor("matrix_power", operand.ptr());
    const int64_t n = require_integer("matrix_power", "n", power.ptr());
    return unlocked_if_long(work_of(x, x), [&] { return linalg::matrix_power(x, n); });
  });
  define(m, "linear", [](nb::handle x, nb::handle weight, nb::handle bias, nb::handle dtype) {
    const std::optional<DType> named = optional_dtype("linear", dtype.ptr());
    const auto added = optional_bias("linear", bias, x, require_tensor("linear", weight.ptr()));
    return product_of("linear", x, weight, [&](const Tensor& a, const Tensor& w) {
      return products::linear(a, w, added ? &*added : nullptr, named);
    });
  });
  define(m, "bilinear", [](nb::handle x1, nb::handle x2, nb::handle weight, nb::handle bias) {
    const Tensor w = require_tensor("bilinear", weight.ptr());
    const auto added = optional_bias("bilinear", bias, x1, w);
    return product_of("bilinear", x1, x2, [&](const Tensor& a, const Tensor& b) {
      return products::bilinear(a, b, w, added ? &*added : nullptr);
    });
  });
  define_packed(m);
  define_instructions(m);
  define(m, "matmul", [](nb::handle x1, nb::handle x2, nb::handle dtype, nb::handle out) {
    return nb::steal(matmul_to(x1.ptr(), x2.ptr(), dtype.ptr(), out.ptr()));
  });
}

}  // namespace suanzi::python
