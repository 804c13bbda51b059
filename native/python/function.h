// Public functions, each of which Python declares: name, signature and documentation are a Python function's. A call
// goes straight to the builtin of the core that takes the same arguments, as a Python frame would cost a quarter of it.
// Where the declaration has a body instead of a builtin, the kinds of its operands are asked first, then the body runs.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Creates their type and adds `declared(declaration, builtin or None)`, which makes one, to the module.
void add_function_type(PyObject* module);

}  // namespace suanzi::python
