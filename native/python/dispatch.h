// Operands that are not dense tensors of this process (sparse, quantized, on another device): the call is handed on.
//
// Their class has a static method `__suanzi_call__(name, arguments)`, which gives the result of the core's function of
// that name for these positional arguments, or NotImplemented. It is looked for only where a call with dense tensors
// has failed, so that these do not pay for it.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

#include "tensor/status.h"

namespace suanzi::python {

// What the class of the first argument that has the method says of the call; null where no class has an answer. For
// callers who see at once that an operand is no tensor: they save the error.
PyObject* offer(const char* name, PyObject* const* arguments, Py_ssize_t n);

// While an error is handled: what the class of the first argument that has the method says of the call; the items of
// lists and tuples count as arguments. Throws the error again where it is not one of type, or where no class has an
// answer.
nanobind::object hand_on(const StatusError& error, const char* name, std::span<const nanobind::object> arguments);
PyObject* hand_on(const StatusError& error, const char* name, PyObject* const* arguments, Py_ssize_t n);

}  // namespace suanzi::python
