// Results of functions with the parameters `dtype` and `out`, for reductions and scans.
#pragma once

#include <optional>
#include <utility>

#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace suanzi::python {

// Runs `compute` on x, and copies the result to `out` unless `out` is None. `compute` reads `dtype`. If the caller
// passes no type, `out` may determine `dtype`.
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
