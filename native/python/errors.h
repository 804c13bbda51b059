// The way of a failure out of the core: every exception becomes the Python class registered for its status.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <string>

#include "base/status.h"
#include "python/interpreter.h"

namespace suanzi::python {

// Thrown where a Python call has set the error already.
struct PythonErrorSet {};

// Shapes that do not fit where x[key] is read or written: to Python an IndexError too, as from other libraries.
class KeyMismatch : public StatusError {
 public:
  explicit KeyMismatch(const StatusError& error) : StatusError(Status::dimensions_mismatch, error.what()) {}
};

// The classes that stand for each status, from tensor/status.py; index 0 is unused. And the one for KeyMismatch, and
// the functions of tensor/messages.py that show values, give hints, and explain the error of a call.
void register_errors(PyObject* classes, PyObject* key_mismatch, PyObject* shown, PyObject* hint, PyObject* explain);

// A value as messages repeat it: cut short, whatever it is and whatever its own __repr__ does.
std::string shown(PyObject* value);

// The end of a message that says what to write instead, from the table of hints (src/suanzi/hints); empty where it has
// none. `subject` names the rows, `about` is the object that was met.
std::string hint(const char* subject, PyObject* about = nullptr);

// Refuses a call of the builtin `op` with another number of arguments than it takes.
[[noreturn]] void fail_arguments(const char* op, Py_ssize_t given, Py_ssize_t taken);

void set_error(Status status, const char* message) noexcept;

// Sets the error of an attribute that could not be had, which is an AttributeError too (tensor/status.py).
void set_attribute_error(const StatusError& error) noexcept;

// Sets the Python error for the exception being handled. `name`, if given, is the function that failed; code without a
// name of its own, such as the allocator, uses it.
void set_error_from_current_exception(const char* name = nullptr) noexcept;

// Has the message of the Python error, where it is one of ours, begin with the function that was called, in place of a
// step of it that failed.
void name_error(PyObject* function) noexcept;

// Adds what to write instead to the message of the Python error, where the table of hints knows it for these arguments
// of a public function. A name in `keywords` belongs to each argument after the first `by_position`.
void explain_error(PyObject* function, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) noexcept;

// Runs `body`, which returns a PyObject* (or int); on an exception sets the Python error and returns `failed`.
template <class Body, class R>
R guard_or(R failed, Body&& body, const char* name = nullptr) noexcept {
  try {
    ThreadEndGuard end;  // guards threads in Python code that the body calls
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
