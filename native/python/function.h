// Public functions that Python only declares: name, signature and documentation are a Python function's, a call goes
// straight to the builtin of the core that takes the same arguments. A Python frame would cost a quarter of it.
//
// And those that Python composes of others: a call is one of the Python function. The steps of it walk in tiles of
// their own, whatever tile shape the caller has asked for.
//
// The errors of both begin with the public name, whichever step failed.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Creates their type and adds to the module `declared(declaration, builtin, name)` and `composed(function, name)`,
// which make one each.
void add_function_type(PyObject* module);

}  // namespace suanzi::python
