// Public functions that Python only declares: name, signature and documentation are a Python function's, a call goes
// straight to the builtin of the core that takes the same arguments. A Python frame would cost a quarter of it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Creates their type and adds `declared(declaration, builtin)`, which makes one, to the module.
void add_function_type(PyObject* module);

}  // namespace suanzi::python
