// Results of functions that take `dtype` and `out`, for reductions and scans.
#pragma once

#include <optional>
#include <utility>

#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace suanzi::python {

// Runs `compute` on x, into `out` unless that is None. `compute` reads `dtype`, which `out` may set if the caller has
// not.
template <class Compute>
PyObject* compute_into(const char* op, const Tensor& x, std::optional<DType>& dtype, PyObject* out, Compute compute) {
  if (out != Py_None && !dtype) dtype = wider_type(x.dtype, require_out(op, out));
  Tensor result = unlocked_if_long(unlocked_work(x), compute);
  if (out == Py_None) return wrap(std::move(result));
  const Tensor target = require_out(op, out);
  check_out(op, target, result.shape, result.dtype);
  copy_into(op, target, result);
  return Py_NewRef(out);
}

}  // namespace suanzi::python
