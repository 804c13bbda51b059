// The operators that are builtins of Python's C API. A call of a builtin takes less time than a call through nanobind.
// The builtins are the elementwise operations, one for each row of kernels/operations.h, and the reductions.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <span>

#include "tensor/tensor.h"

namespace suanzi::python {

// Adds `<name>(operand…, parameter…, out=None)` for every operation, and the table `operations`.
void add_operations(PyObject* module);

// Returns the matrix product. If the product takes long, the function releases the interpreter lock meanwhile. `out`
// may be null.
Tensor multiply_matrices(const Tensor& x1, const Tensor& x2, const Tensor* out);

// Adds a function for each definition, which must outlive the module. Python calls each function with the function's
// index in the list as `self`.
void add_builtins(PyObject* module, std::span<PyMethodDef> definitions);

template <class F>
PyCFunction as_builtin(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

// Adds a hint to the error of one of Python's operators (explain_error in errors.h). `b` may be null.
[[gnu::cold]] void explain_operator(const char* name, PyObject* a, PyObject* b) noexcept;

// Returns the result of an operator, and adds a hint to the error if the operator failed.
inline PyObject* explained(const char* name, PyObject* a, PyObject* b, PyObject* result) noexcept {
  if (!result) [[unlikely]]
    explain_operator(name, a, b);
  return result;
}

}  // namespace suanzi::python
