// How a failure leaves the core: every exception becomes the Python class registered for its status.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>

#include "python/interpreter.h"
#include "tensor/status.h"

namespace suanzi::python {

// Thrown where a Python call has set the error already.
struct PythonErrorSet {};

// The classes that stand for each status, from tensor/status.py; index 0 is unused.
void register_error_classes(PyObject* classes);

void set_error(Status status, const char* message) noexcept;

// Sets the Python error for the exception being handled.
void set_error_from_current_exception() noexcept;

// Runs `body`, which returns a PyObject* (or int); on an exception sets the Python error and returns `failed`.
template <class Body, class R>
R guard_or(R failed, Body&& body) noexcept {
  try {
    ThreadEndGuard end;  // of a thread in Python code that the body calls
    const R result = body();
    end.pass();
    return result;
  } catch (...) {
    set_error_from_current_exception();
    return failed;
  }
}
template <class Body>
PyObject* guard(Body&& body) noexcept {
  return guard_or(static_cast<PyObject*>(nullptr), body);
}

}  // namespace suanzi::python
