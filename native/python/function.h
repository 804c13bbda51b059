// The class of public functions. A Python function declares each public function, and provides its name, signature and
// documentation. A call directly runs the builtin of the core that accepts the same arguments, because a Python frame
// would take a quarter of the call's time. If the declaration has a body instead of a builtin, the call first queries
// the kinds of its operands, then runs the body.
//
// The class also holds functions that Python composes from other functions. Composed functions query no kinds. The
// steps of a body choose their own tiles, even if the caller has set a tile shape.
//
// The errors of a function of this class begin with the function's public name, whichever step failed.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Creates the class and adds `declared(declaration, builtin or None, name)` and `composed(function, name)` to the
// module. Each call of `declared` or `composed` makes one function.
void add_function_type(PyObject* module);

}  // namespace suanzi::python
