// Interpolation as a Python function.
#include <algorithm>
#include <vector>

#include "ops/interpolate/interpolate.h"
#include "ops/interpolate/lines.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

constexpr const char* op = "interpolate";

InterpolationMode require_mode(PyObject* object) {
  return static_cast<InterpolationMode>(require_choice(op, "mode", object, interpolation_mode_names));
}

// Reads one number for all of `count` dimensions, or a sequence with one number for each dimension.
std::vector<double> require_factors(PyObject* object, int count) {
  const bool has_items = PySequence_Check(object) && !PyUnicode_Check(object) && !PyTensor_Check(object);
  const Py_ssize_t n = has_items ? PySequence_Size(object) : -1;
  if (n < 0) {
    // A TypeError means that the object has no length, like an array without dimensions.
    if (has_items && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
    PyErr_Clear();
    return std::vector<double>(static_cast<size_t>(count), require_real(op, "scale_factor", object));
  }
  if (n > max_rank)
    fail(Status::dimensions_mismatch, op, ": scale_factor of ", n, " numbers does not have one for each of the ", count,
         " dimensions");
  std::vector<double> factors;
  for (Py_ssize_t i = 0; i < n; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(object, i));
    if (!item.is_valid()) throw PythonErrorSet{};
    factors.push_back(require_real(op, "scale_factor", item.ptr()));
  }
  return factors;
}

Tensor interpolate_to(nb::handle operand, nb::handle size, nb::handle factors, nb::handle mode,
                      nb::handle align_corners, nb::handle antialias, nb::handle recompute_scale_factor) {
  const Tensor x = require_tensor(op, operand.ptr());
  InterpolationRequest request;
  request.recompute = require_truth(op, "recompute_scale_factor", recompute_scale_factor.ptr());
  request.mode = require_mode(mode.ptr());
  request.align_corners = require_truth(op, "align_corners", align_corners.ptr());
  request.antialias = require_truth(op, "antialias", antialias.ptr());
  const int spatial = spatial_dimensions(x);
  if (!size.is_none()) {
    request.size = is_single_integer(size.ptr()) ? Dims(spatial, require_integer(op, "size", size.ptr()))
                                                 : require_dims(op, "size", size.ptr());
  }
  if (!factors.is_none()) request.factors = require_factors(factors.ptr(), spatial);
  const Interpolation how = resolve(x, request);
  return unlocked_if_long(unlocked_work(x, std::max(x.size, product(how.size))), [&] { return interpolate(x, how); });
}

}  // namespace

void bind_interpolation(nb::module_& m) {
  define(m, "on_lines",
         "(operator: str, x: Tensor, xp: Tensor, fp: Tensor, left: float | None, right: float | None, /) -> Tensor",
         [](const char* op, nb::handle x, nb::handle xp, nb::handle fp, nb::handle left, nb::handle right) {
           const auto end = [&](const char* what, nb::handle value) {
             return value.is_none() ? std::nullopt : std::optional(require_real(op, what, value.ptr()));
           };
           const std::optional<double> before = end("left", left), after = end("right", right);
           const Tensor wanted = require_tensor(op, x.ptr()), at = require_tensor(op, xp.ptr()),
                        of = require_tensor(op, fp.ptr());
           return unlocked_if_long(unlocked_work(wanted, at, of),
                                   [&] { return on_lines(op, wanted, at, of, before, after); });
         });
  define(m, op,
         [](nb::handle x, nb::handle size, nb::handle scale_factor, nb::handle mode, nb::handle align_corners,
            nb::handle antialias, nb::handle recompute) {
           return interpolate_to(x, size, scale_factor, mode, align_corners, antialias, recompute);
         });
}

}  // namespace suanzi::python
