// Calls of small tensors on devices, without the interpreter between an operator and the function of another library.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Adds the class `Shortcut` to the module: an implementation for a table of kinds. Called with operands of one class,
// on one device and of one accepted element type, and None for all further arguments, an object of the class calls the
// function with the memory of the operands, and returns a new object of their class. It hands all other calls to
// `otherwise`.
void add_shortcuts(PyObject* module);

}  // namespace suanzi::python
