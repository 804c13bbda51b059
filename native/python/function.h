// The class of public functions. Each public function is declared by a Python function, which provides name, signature
// and documentation. A call goes directly to the builtin of the core that takes the same arguments, because a Python
// frame would cost a quarter of the call. If the declaration has a body instead of a builtin, the call first asks the
// kinds of its operands, then runs the body.
//
// The class also holds functions that Python composes from other functions; these ask no kinds. The steps of a body use
// tiles of their own, whatever tile shape the caller has set.
//
// Errors of all these functions begin with the public name, whichever step failed.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Creates the class and adds `declared(declaration, builtin or None, name)` and `composed(function, name)` to the
// module, which make one function each.
void add_function_type(PyObject* module);

}  // namespace suanzi::python
