// Operands that are not dense tensors of this process (sparse, quantized, on another device): the call is handed on.
//
// Their class has a static method `__suanzi_call__(name, arguments)`, which gives the result of the core's function of
// that name for these positional arguments, or NotImplemented. It is looked for only where a call with dense tensors
// has failed, so that these do not pay for it.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

#include "base/status.h"

namespace suanzi::python {

// What the class of the first operand that has the method says of the call; null where no class has an answer. The
// operands are the first `operands` arguments: the others, `out` among them, have no say, as what they are is for the
// operands to judge. For callers who see at once that an operand is no tensor: they save the error.
PyObject* offer(const char* name, PyObject* const* arguments, Py_ssize_t n, Py_ssize_t operands);

// The same while an error is handled, which is thrown again where it is not one of type, or where no class has an
// answer.
PyObject* hand_on(const StatusError& error, const char* name, PyObject* const* arguments, Py_ssize_t n,
                  Py_ssize_t operands);

// The same for functions that do not tell their operands: all arguments may be some, and the items of lists and tuples.
nanobind::object hand_on(const StatusError& error, const char* name, std::span<const nanobind::object> arguments);
PyObject* hand_on(const StatusError& error, const char* name, PyObject* const* arguments, Py_ssize_t n);

}  // namespace suanzi::python
