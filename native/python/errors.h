// Converts failures of the core for Python. Every exception becomes an error of the Python class that is registered for
// the exception's status.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <string>

#include "base/status.h"
#include "python/interpreter.h"

namespace suanzi::python {

// The exception that the code throws if a Python call has already set the Python error.
struct PythonErrorSet {};

// An error of x[key] and x[key] = value for shapes that do not fit. In Python this error is also an IndexError, as in
// other libraries.
class KeyMismatch : public StatusError {
 public:
  explicit KeyMismatch(const StatusError& error) : StatusError(Status::dimensions_mismatch, error.what()) {}
};

// Registers the error class of each status, from tensor/status.py (index 0 is unused), and the class for KeyMismatch.
// Also registers the functions of tensor/messages.py that show values, return hints, and explain the error of a call.
void register_errors(PyObject* classes, PyObject* key_mismatch, PyObject* shown, PyObject* hint, PyObject* explain);

// Returns a short text of any value for messages, even if the value's __repr__ fails.
std::string shown(PyObject* value);

// Returns the end of a message with a hint from the table of hints (src/suanzi/hints). Returns an empty text if the
// table has no hint. `subject` names the table's rows for this error, and `about` is the object that the user passed.
std::string hint(const char* subject, PyObject* about = nullptr);

// Fails because the builtin `op` was called with a wrong number of arguments.
[[noreturn]] void fail_arguments(const char* op, Py_ssize_t given, Py_ssize_t taken);

void set_error(Status status, const char* message) noexcept;

// Sets the error of an attribute that cannot be read. The error is also an AttributeError (tensor/status.py).
void set_attribute_error(const StatusError& error) noexcept;

// Sets the Python error for the exception that is being handled. `name`, if given, is the name of the function that
// failed. If the failed code has no name, like the allocator, the message begins with `name`.
void set_error_from_current_exception(const char* name = nullptr) noexcept;

// Changes the message of the Python error, if the error is an instance of one of our classes. The message then begins
// with the name of the called function instead of the name of an operator that this function has called.
void name_error(PyObject* function) noexcept;

// Adds a hint to the message of the Python error if the table of hints contains a hint for these arguments of a public
// function. The arguments after the first `by_position` arguments have the names in `keywords`.
void explain_error(PyObject* function, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) noexcept;

// Runs `body`, which returns a PyObject* (or int). After an exception, the function sets the Python error and returns
// `failed`.
template <class Body, class R>
R guard_or(R failed, Body&& body, const char* name = nullptr) noexcept {
  try {
    // The body may call Python code, in which the thread may end.
    ThreadEndGuard end;
    const R result = body();
    end.pass();
    return result;
  } catch (...) {
    set_error_from_current_exception(name);
    return failed;
  }
}
template <class Body>
PyObject* guard(Body&& body) noexcept {
  return guard_or(static_cast<PyObject*>(nullptr), body);
}
template <class Body>
PyObject* guard(const char* name, Body&& body) noexcept {
  return guard_or(static_cast<PyObject*>(nullptr), body, name);
}

}  // namespace suanzi::python
