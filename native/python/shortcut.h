// Passes calls on tensors of devices from an operator to another library's function without Python code in between. The
// time of this Python code matters for small tensors.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace suanzi::python {

// Adds the class `Shortcut` to the module. A Shortcut is an implementation for a table of kinds. A Shortcut handles
// calls whose operands have one class, one device and one of the Shortcut's element types, and whose further arguments
// have their defaults or are None. For some element types, the second operand may be a small number. The Shortcut
// passes the memory of the operands to the function, and returns a new object of the operands' class. The Shortcut
// passes all other calls to `otherwise`.
void add_shortcuts(PyObject* module);

}  // namespace suanzi::python
