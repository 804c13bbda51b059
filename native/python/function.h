// Public functions, each of which Python declares: name, signature and documentation are a Python function's. A call
// goes straight to the builtin of the core that takes the same arguments, as a Python frame would cost a quarter of it.
// Where the declaration has a body instead of a builtin, the kinds of its operands are asked first, then the body runs.
//
// And those that Python composes of others, which ask no kinds. The steps of a body walk in tiles of their own,
// whatever tile shape the caller has asked for.
//
// The errors of all begin with the public name, whichever step failed.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Creates their type and adds to the module `declared(declaration, builtin or None, name)` and
// `composed(function, name)`, which make one each.
void add_function_type(PyObject* module);

}  // namespace suanzi::python
