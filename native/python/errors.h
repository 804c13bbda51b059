// Converts failures of the core for Python: every exception becomes the Python class registered for its status.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <string>

#include "base/status.h"
#include "python/interpreter.h"

namespace suanzi::python {

// Thrown if a Python call has already set the error.
struct PythonErrorSet {};

// An error for shapes that do not fit when x[key] is read or written. In Python this error is also an IndexError, as in
// other libraries.
class KeyMismatch : public StatusError {
 public:
  explicit KeyMismatch(const StatusError& error) : StatusError(Status::dimensions_mismatch, error.what()) {}
};

// Registers Python's part: the error class of each status, from tensor/status.py (index 0 is unused), the class for
// KeyMismatch, and the functions of tensor/messages.py that show values, give hints, and explain the error of a call.
void register_errors(PyObject* classes, PyObject* key_mismatch, PyObject* shown, PyObject* hint, PyObject* explain);

// Returns the text of a value for messages, cut short, whatever the value is and whatever its __repr__ does.
std::string shown(PyObject* value);

// Returns the end of a message that says what to write instead, from the table of hints (src/suanzi/hints), or nothing
// if the table has no hint. `subject` names the rows, `about` is the object that the user passed.
std::string hint(const char* subject, PyObject* about = nullptr);

// Fails because the builtin `op` was called with a wrong number of arguments.
[[noreturn]] void fail_arguments(const char* op, Py_ssize_t given, Py_ssize_t taken);

void set_error(Status status, const char* message) noexcept;

// Sets the error of an attribute that cannot be read, which is also an AttributeError (tensor/status.py).
void set_attribute_error(const StatusError& error) noexcept;

// Sets the Python error for the exception that is being handled. `name`, if given, is the name of the function that
// failed; the message begins with it if the failed code, such as the allocator, has no name of its own.
void set_error_from_current_exception(const char* name = nullptr) noexcept;

// Changes the message of the Python error, if the error is one of ours, to begin with the function that was called
// instead of a step of it.
void name_error(PyObject* function) noexcept;

// Adds a hint to the message of the Python error if the table of hints has one for these arguments of a public
// function. The names in `keywords` belong to the arguments after the first `by_position`.
void explain_error(PyObject* function, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) noexcept;

// Runs `body`, which returns a PyObject* (or int); on an exception sets the Python error and returns `failed`.
template <class Body, class R>
R guard_or(R failed, Body&& body, const char* name = nullptr) noexcept {
  try {
    ThreadEndGuard end;  // the body may call Python code, in which the thread may end
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
