// Interpolation as a Python function.
#include <cmath>

#include "ops/interpolate/interpolate.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

constexpr const char* op = "interpolate";

InterpolationMode require_mode(PyObject* object) {
  return static_cast<InterpolationMode>(require_choice(op, "mode", object, interpolation_mode_names));
}

double require_factor(PyObject* object) {
  const double factor = require_real(op, "scale_factor", object);
  if (!std::isfinite(factor) || factor <= 0)
    fail(Status::invalid_argument, op, ": scale_factor ", factor, " is not positive and finite");
  return factor;
}

// A number for all of `count` dimensions, or a sequence of one for each.
void require_factors(PyObject* object, int count, double* factors) {
  if (!PySequence_Check(object) || PyUnicode_Check(object) || PyTensor_Check(object)) {
    std::fill_n(factors, count, require_factor(object));
    return;
  }
  const Py_ssize_t n = PySequence_Size(object);
  if (n < 0) throw PythonErrorSet{};
  if (n != count)
    fail(Status::dimensions_mismatch, op, ": scale_factor has ", n, " numbers for ", count, " spatial dimensions");
  for (int i = 0; i < count; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(object, i));
    if (!item.is_valid()) throw PythonErrorSet{};
    factors[i] = require_factor(item.ptr());
  }
}

Tensor interpolate_to(nb::handle operand, nb::handle size, nb::handle factors, nb::handle mode,
                      nb::handle align_corners, nb::handle antialias, nb::handle recompute_scale_factor) {
  const Tensor x = require_tensor(op, operand.ptr());
  const bool recompute = require_truth(op, "recompute_scale_factor", recompute_scale_factor.ptr());
  Interpolation how{require_mode(mode.ptr()),
                    require_truth(op, "align_corners", align_corners.ptr()),
                    require_truth(op, "antialias", antialias.ptr()),
                    false,
                    {},
                    {}};
  const int spatial = spatial_dimensions(x);
  if (size.is_none() == factors.is_none())
    fail(Status::invalid_argument, op, size.is_none() ? ": neither" : ": both",
         " of size and scale_factor given; one is needed");
  if (recompute && factors.is_none())
    fail(Status::invalid_argument, op, ": recompute_scale_factor has no meaning with a size");
  if (factors.is_none()) {
    how.size = require_dims(op, "size", size.ptr());
    if (PyIndex_Check(size.ptr())) how.size = Dims(spatial, how.size[0]);
    if (how.size.empty()) fail(Status::dimensions_mismatch, op, ": size () has no numbers");
  } else {
    require_factors(factors.ptr(), spatial, how.scale);
    how.keep_scale = !recompute && how.mode != InterpolationMode::area;
  }
  resolve(x, how);
  return unlocked_if_long(unlocked_work(x, std::max(x.size, product(how.size))), [&] { return interpolate(x, how); });
}

}  // namespace

void bind_interpolation(nb::module_& m) {
  define(m, op,
         [](nb::handle x, nb::handle size, nb::handle scale_factor, nb::handle mode, nb::handle align_corners,
            nb::handle antialias, nb::handle recompute) {
           return interpolate_to(x, size, scale_factor, mode, align_corners, antialias, recompute);
         });
}

}  // namespace suanzi::python
