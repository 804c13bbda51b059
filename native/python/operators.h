// The elementwise operations as Python functions: one builtin for each row of kernels/operations.h.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Adds `<name>(operand…, out=None, parameter…)` for every operation, and the table `operations`.
void add_operations(PyObject* module);

}  // namespace suanzi::python
