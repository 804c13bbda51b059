// Python functions for convolutions.
#include <algorithm>
#include <optional>

#include "ops/convolve/convolve.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

using convolve::Request;
using convolve::SamePadding;

// Reads an option: one integer for all spatial dimensions, or one integer for each spatial dimension.
Dims require_numbers(const char* op, const char* what, PyObject* object, int spatial) {
  Dims numbers = require_dims(op, what, object);
  return numbers.size() == 1 ? Dims(spatial, numbers[0]) : numbers;
}

bool is_list(PyObject* object) {
  return PySequence_Check(object) && !PyUnicode_Check(object) && !PyTensor_Check(object) && !is_single_integer(object);
}

// Reads `padding`, which is a string, one number, one number per dimension, or a pair per dimension (the padding before
// and after the elements).
void read_padding(const char* op, PyObject* object, int spatial, Request& request) {
  if (PyUnicode_Check(object)) {
    const int word = require_choice(op, "padding", object, {"valid", "same", "same_upper", "same_lower"});
    request.same = word == 0 ? SamePadding::none : word == 3 ? SamePadding::lower : SamePadding::upper;
    request.before = request.after = Dims(spatial, 0);
    return;
  }
  const Py_ssize_t count = is_list(object) ? PySequence_Size(object) : 0;
  if (count < 0) throw PythonErrorSet{};
  const nb::object first = count > 0 ? nb::steal(PySequence_GetItem(object, 0)) : nb::none();
  if (!first.is_valid()) throw PythonErrorSet{};
  if (!is_list(first.ptr())) {
    request.before = request.after = require_numbers(op, "padding", object, spatial);
    return;
  }
  if (count != spatial)
    fail(Status::dimensions_mismatch, op, ": padding has ", static_cast<int64_t>(count), " pairs, but there are ",
         spatial, " spatial dimensions");
  for (Py_ssize_t i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(object, i));
    if (!item.is_valid()) throw PythonErrorSet{};
    const Dims pair = require_dims(op, "padding", item.ptr());
    if (pair.size() != 2)
      fail(Status::dimensions_mismatch, op, ": padding has ", pair,
           " for a dimension, not a number before and one after");
    request.before.push_back(pair[0]);
    request.after.push_back(pair[1]);
  }
}

Request read_request(const char* op, int spatial, nb::handle stride, nb::handle padding, nb::handle groups,
                     nb::handle dilation) {
  Request request;
  request.stride = require_numbers(op, "stride", stride.ptr(), spatial);
  request.dilation = require_numbers(op, "dilation", dilation.ptr(), spatial);
  request.groups = require_integer(op, "groups", groups.ptr());
  read_padding(op, padding.ptr(), spatial, request);
  return request;
}

const Tensor* pointer(const std::optional<Tensor>& x) { return x ? &*x : nullptr; }

// Estimates the work as 8 times the number of elements of the larger operand, because each element is a factor of many
// products.
int64_t work_of(const Tensor& x, const Tensor& weight) {
  return 8 * std::min(std::max(x.size, weight.size), int64_t{1} << 32);
}

// Calls `compute` with `out`, and returns `out`, if given, or the new result.
template <class Compute>
nb::object delivered(const char* op, nb::handle out, int64_t work, Compute compute) {
  std::optional<Tensor> target;
  if (!out.is_none()) target = require_out(op, out.ptr());
  Tensor result = unlocked_if_long(work, [&] { return compute(pointer(target)); });
  return target ? nb::borrow(out) : wrapped(std::move(result));
}

nb::object convolve_to(nb::handle x, nb::handle weight, nb::handle bias, nb::handle stride, nb::handle padding,
                       nb::handle dilation, nb::handle groups, nb::handle out) {
  const char* op = "conv";
  const Tensor image = require_tensor(op, x.ptr()), factors = require_tensor(op, weight.ptr());
  const std::optional<Tensor> added = optional_tensor(op, bias);
  const int spatial = convolve::spatial_dimensions(op, image, factors);
  const Request request = read_request(op, spatial, stride, padding, groups, dilation);
  return delivered(op, out, work_of(image, factors), [&](const Tensor* target) {
    return convolve::convolve(op, image, factors, pointer(added), request, target);
  });
}

nb::object transpose_to(nb::handle x, nb::handle weight, nb::handle bias, nb::handle stride, nb::handle padding,
                        nb::handle output_padding, nb::handle groups, nb::handle dilation, nb::handle out) {
  const char* op = "conv_transpose";
  const Tensor image = require_tensor(op, x.ptr()), factors = require_tensor(op, weight.ptr());
  const std::optional<Tensor> added = optional_tensor(op, bias);
  const int spatial = convolve::spatial_dimensions(op, image, factors);
  Request request = read_request(op, spatial, stride, padding, groups, dilation);
  request.more = require_numbers(op, "output_padding", output_padding.ptr(), spatial);
  return delivered(op, out, work_of(image, factors), [&](const Tensor* target) {
    return convolve::transpose(op, image, factors, pointer(added), request, target);
  });
}

// Reads a packed weight: a tuple of the elements and the shape of the weight.
convolve::PackedWeight require_packed(const char* op, PyObject* object, int64_t groups) {
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2)
    fail(Status::type_mismatch, op, ": a packed weight is not a tuple of a tensor and a shape");
  const Dims shape = require_dims(op, "shape", PyTuple_GET_ITEM(object, 1));
  if (shape.size() <= convolve::leading_dimensions)
    fail(Status::dimensions_mismatch, op, ": weight of shape ", shape, " has no spatial dimension");
  return {require_tensor(op, PyTuple_GET_ITEM(object, 0)), shape, groups};
}

convolve::Activation read_activation(const char* op, PyObject* object) {
  if (object == Py_None) return {};
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 3)
    fail(Status::type_mismatch, op, ": an activation is not a tuple of a name and two numbers");
  const auto part = [&](Py_ssize_t i) { return PyTuple_GET_ITEM(object, i); };
  return {static_cast<EndFunction>(require_choice(op, "activation", part(0), end_function_names)),
          require_real(op, "a number", part(1)), require_real(op, "a number", part(2))};
}

// Computes a convolution and the two steps that follow the convolution in an ONNX model: the addition of a tensor and
// an activation. If `overwrites` is true, the function may store the result in the memory of `added`.
nb::object convolve_ended(nb::handle x, nb::handle weight, nb::handle bias, nb::handle stride, nb::handle padding,
                          nb::handle dilation, nb::handle groups, nb::handle added, nb::handle activation,
                          bool overwrites) {
  const char* op = "conv";
  const Tensor image = require_tensor(op, x.ptr());
  const std::optional<Tensor> vector = optional_tensor(op, bias), sum = optional_tensor(op, added);
  const convolve::Ending ending{pointer(sum), read_activation(op, activation.ptr()), overwrites};
  if (PyTuple_Check(weight.ptr())) {
    const convolve::PackedWeight factors =
        require_packed(op, weight.ptr(), require_integer(op, "groups", groups.ptr()));
    const Request request =
        read_request(op, factors.shape.size() - convolve::leading_dimensions, stride, padding, groups, dilation);
    return wrapped(unlocked_if_long(work_of(image, factors.elements), [&] {
      return convolve::convolve_packed(op, image, factors, pointer(vector), request, ending);
    }));
  }
  const Tensor factors = require_tensor(op, weight.ptr());
  const int spatial = convolve::spatial_dimensions(op, image, factors);
  const Request request = read_request(op, spatial, stride, padding, groups, dilation);
  return wrapped(unlocked_if_long(work_of(image, factors), [&] {
    return convolve::convolve(op, image, factors, pointer(vector), request, nullptr, ending);
  }));
}

// Returns true if a convolution of an image of the size of x takes less time with a packed weight. The argument
// `weight` may be a packed weight.
bool packing_pays(nb::handle x, nb::handle weight, nb::handle stride, nb::handle padding, nb::handle dilation,
                  nb::handle groups) {
  const char* op = "conv";
  const Tensor image = require_tensor(op, x.ptr());
  const auto pays = [&](const auto& factors, int spatial) {
    return convolve::packing_pays(op, image, factors, read_request(op, spatial, stride, padding, groups, dilation));
  };
  if (PyTuple_Check(weight.ptr())) {
    const convolve::PackedWeight packed = require_packed(op, weight.ptr(), require_integer(op, "groups", groups.ptr()));
    return pays(packed, packed.shape.size() - convolve::leading_dimensions);
  }
  const Tensor factors = require_tensor(op, weight.ptr());
  return pays(factors, convolve::spatial_dimensions(op, image, factors));
}

nb::object pack_weight(nb::handle weight, nb::handle groups) {
  const char* op = "conv";
  const Tensor factors = require_tensor(op, weight.ptr());
  const int64_t count = require_integer(op, "groups", groups.ptr());
  return wrapped(unlocked_if_long(factors.size, [&] { return convolve::pack(op, factors, count).elements; }));
}

nb::object unpack_weight(nb::handle weight, nb::handle groups) {
  const char* op = "conv";
  const convolve::PackedWeight packed = require_packed(op, weight.ptr(), require_integer(op, "groups", groups.ptr()));
  return wrapped(packed.unpacked(op));
}

// Computes a convolution of 8-bit integers with zero points.
nb::object convolve_codes(nb::handle x, nb::handle zero_x, nb::handle weight, nb::handle zero_weight, nb::handle stride,
                          nb::handle padding, nb::handle dilation, nb::handle groups) {
  const char* op = "conv_integers";
  const Tensor image = require_tensor(op, x.ptr()), factors = require_tensor(op, weight.ptr());
  const int spatial = convolve::spatial_dimensions(op, image, factors);
  const Request request = read_request(op, spatial, stride, padding, groups, dilation);
  const int of_x = require_zero_point(op, "the zero point of x", zero_x.ptr(), image.dtype),
            of_weight = require_zero_point(op, "the zero point of the weight", zero_weight.ptr(), factors.dtype);
  return wrapped(unlocked_if_long(
      work_of(image, factors), [&] { return convolve::convolve_bytes(op, image, of_x, factors, of_weight, request); }));
}

}  // namespace

void bind_convolution(nb::module_& m) {
  define(m, "conv",
         [](nb::handle x, nb::handle weight, nb::handle bias, nb::handle stride, nb::handle padding,
            nb::handle dilation, nb::handle groups,
            nb::handle out) { return convolve_to(x, weight, bias, stride, padding, dilation, groups, out); });
  define(m, "conv_ended",
         "(x: Tensor, weight: Tensor | tuple[Tensor, tuple[int, ...]], bias: Tensor | None,"
         " stride: int | Sequence[int], padding: str | int | Sequence[int] | Sequence[Sequence[int]],"
         " dilation: int | Sequence[int], groups: int, added: Tensor | None,"
         " activation: tuple[str, float, float] | None, overwrites: bool, /) -> Tensor",
         [](nb::handle x, nb::handle weight, nb::handle bias, nb::handle stride, nb::handle padding,
            nb::handle dilation, nb::handle groups, nb::handle added, nb::handle activation, bool overwrites) {
           return convolve_ended(x, weight, bias, stride, padding, dilation, groups, added, activation, overwrites);
         });
  define(m, "conv_packing_pays",
         "(x: Tensor, weight: Tensor | tuple[Tensor, tuple[int, ...]], stride: int | Sequence[int],"
         " padding: str | int | Sequence[int] | Sequence[Sequence[int]], dilation: int | Sequence[int], groups: int, /)"
         " -> bool",
         [](nb::handle x, nb::handle weight, nb::handle stride, nb::handle padding, nb::handle dilation,
            nb::handle groups) { return packing_pays(x, weight, stride, padding, dilation, groups); });
  define(m, "conv_pack", "(weight: Tensor, groups: int, /) -> Tensor",
         [](nb::handle weight, nb::handle groups) { return pack_weight(weight, groups); });
  define(m, "conv_unpack", "(weight: tuple[Tensor, tuple[int, ...]], groups: int, /) -> Tensor",
         [](nb::handle weight, nb::handle groups) { return unpack_weight(weight, groups); });
  define(m, "conv_integers",
         "(x: Tensor, zero_x: int, weight: Tensor, zero_weight: int, stride: int | Sequence[int],"
         " padding: str | int | Sequence[int] | Sequence[Sequence[int]], dilation: int | Sequence[int], groups: int, /)"
         " -> Tensor",
         [](nb::handle x, nb::handle zero_x, nb::handle weight, nb::handle zero_weight, nb::handle stride,
            nb::handle padding, nb::handle dilation, nb::handle groups) {
           return convolve_codes(x, zero_x, weight, zero_weight, stride, padding, dilation, groups);
         });
  define(m, "conv_transpose",
         [](nb::handle x, nb::handle weight, nb::handle bias, nb::handle stride, nb::handle padding,
            nb::handle output_padding, nb::handle groups, nb::handle dilation, nb::handle out) {
           return transpose_to(x, weight, bias, stride, padding, output_padding, groups, dilation, out);
         });
}

}  // namespace suanzi::python
