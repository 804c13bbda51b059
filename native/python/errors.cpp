#include "python/errors.h"

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace suanzi::python {
namespace {
PyObject* error_classes[status_count] = {};
PyObject *all_classes = nullptr, *key_mismatch_class = nullptr, *shown_function = nullptr, *hint_function = nullptr,
         *explain_function = nullptr;

// Returns the position after the name at the start of a message, or 0 if the message has no name. A colon and a blank
// follow the name.
size_t end_of_name(std::string_view message) {
  size_t end = 0;
  while (end < message.size() &&
         (std::isalnum(static_cast<unsigned char>(message[end])) || message[end] == '_' || message[end] == '.'))
    ++end;
  return message.substr(end, 2) == ": " ? end : 0;
}

// Returns the message with `name` in place of the name at its start.
std::string renamed(std::string_view message, std::string_view name) {
  const size_t end = end_of_name(message);
  std::string text(name);
  return text.append(end > 0 ? "" : ": ").append(message.substr(end));
}

// Sets a Python error of the class `type`. From Python 3.12 on, PyErr_SetString calls the class, so the function may
// run Python code.
void set_error_of(PyObject* type, const char* message) noexcept {
  in_python([&] {
    PyErr_SetString(type ? type : PyExc_RuntimeError, message);
    return true;
  });
}

// A Python error that take_error has taken from the thread.
struct RaisedError {
  PyObject *type, *value, *trace;
};
RaisedError take_error() noexcept {
  RaisedError error;
  PyErr_Fetch(&error.type, &error.value, &error.trace);
  in_python([&] {
    PyErr_NormalizeException(&error.type, &error.value, &error.trace);
    return true;
  });
  return error;
}
// Sets the thread's Python error to `error`. An error that was set after the call of take_error is lost.
void give_back(const RaisedError& error) noexcept {
  PyErr_Clear();
  PyErr_Restore(error.type, error.value, error.trace);
}
PyObject* attribute(PyObject* object, const char* name) noexcept {
  return in_python([&] { return PyObject_GetAttrString(object, name); });
}
}  // namespace

void register_errors(PyObject* classes, PyObject* key_mismatch, PyObject* shown, PyObject* hint, PyObject* explain) {
  if (!PyTuple_Check(classes) || PyTuple_GET_SIZE(classes) != status_count)
    fail(Status::invalid_argument, "register: expected a tuple of ", status_count, " exception classes");
  for (int i = 0; i < status_count; ++i) Py_XSETREF(error_classes[i], Py_NewRef(PyTuple_GET_ITEM(classes, i)));
  Py_XSETREF(all_classes, PyTuple_GetSlice(classes, 1, status_count));
  Py_XSETREF(key_mismatch_class, Py_NewRef(key_mismatch));
  Py_XSETREF(shown_function, Py_NewRef(shown));
  Py_XSETREF(hint_function, Py_NewRef(hint));
  Py_XSETREF(explain_function, Py_NewRef(explain));
}

std::string shown(PyObject* value) {
  if (!shown_function) return Py_TYPE(value)->tp_name;
  const nanobind::object text = nanobind::steal(PyObject_CallOneArg(shown_function, value));
  const char* const characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!characters) throw PythonErrorSet{};
  return characters;
}

std::string hint(const char* subject, PyObject* about) {
  if (!hint_function) return {};
  const nanobind::object text =
      nanobind::steal(PyObject_CallFunction(hint_function, "sO", subject, about ? about : Py_None));
  const char* const characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!characters) throw PythonErrorSet{};
  return characters;
}

void fail_arguments(const char* op, Py_ssize_t given, Py_ssize_t taken) {
  fail(Status::type_mismatch, op, ": ", taken, " arguments are needed, but ", given, " are given");
}

void set_error(Status status, const char* message) noexcept {
  set_error_of(error_classes[static_cast<int>(status)], message);
}

void set_attribute_error(const StatusError& error) noexcept {
  PyObject* const type = error_classes[static_cast<int>(error.status())];
  const nanobind::object both = nanobind::steal(type ? attribute(type, "_of_attribute") : nullptr);
  // If the class has no attribute `_of_attribute`, the look-up has set a Python error.
  PyErr_Clear();
  set_error_of(both.is_valid() ? both.ptr() : type, error.what());
}

void set_error_from_current_exception(const char* name) noexcept {
  const auto set = [name](Status status, std::string_view message) {
    set_error(status, (name ? renamed(message, name) : std::string(message)).c_str());
  };
  try {
    throw;
  } catch (const PythonErrorSet&) {
  } catch (const KeyMismatch& e) {
    set_error_of(key_mismatch_class, e.what());
  } catch (const StatusError& e) {
    if (e.status() == Status::alloc_failed)
      set(e.status(), e.what());
    else
      set_error(e.status(), e.what());
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    set_error(Status::alloc_failed, "the process is out of memory");
  } catch (const std::exception& e) {
    set(Status::internal_error, e.what());
  } catch (...) {
    set(Status::internal_error, "unknown failure in the native core");
  }
}

void name_error(PyObject* function) noexcept {
  if (!function || !all_classes || !PyErr_ExceptionMatches(all_classes)) return;
  const RaisedError error = take_error();
  const nanobind::object given = nanobind::steal(attribute(error.value, "args"));
  const nanobind::object speaks = nanobind::steal(attribute(error.value, "speaks_for_its_caller"));
  if (given.is_valid() && speaks.ptr() == Py_False && PyTuple_Check(given.ptr()) &&
      PyTuple_GET_SIZE(given.ptr()) == 1) {
    Py_ssize_t length = 0, name_length = 0;
    PyObject* const first = PyTuple_GET_ITEM(given.ptr(), 0);
    const char* const message = PyUnicode_Check(first) ? PyUnicode_AsUTF8AndSize(first, &length) : nullptr;
    const char* const name = PyUnicode_AsUTF8AndSize(function, &name_length);
    if (message && name) {
      const std::string text =
          renamed({message, static_cast<size_t>(length)}, {name, static_cast<size_t>(name_length)});
      const nanobind::object arguments =
          nanobind::steal(Py_BuildValue("(s#)", text.data(), static_cast<Py_ssize_t>(text.size())));
      if (arguments.is_valid()) in_python([&] { return PyObject_SetAttrString(error.value, "args", arguments.ptr()); });
    }
  }
  give_back(error);
}

void explain_error(PyObject* function, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) noexcept {
  if (!explain_function || !all_classes) return;
  if (!PyErr_ExceptionMatches(all_classes) && !PyErr_ExceptionMatches(PyExc_TypeError)) return;
  const RaisedError error = take_error();
  const nanobind::object arguments = nanobind::steal(PyTuple_New(by_position));
  const nanobind::object named = nanobind::steal(PyDict_New());
  if (arguments.is_valid() && named.is_valid()) {
    for (Py_ssize_t i = 0; i < by_position; ++i) PyTuple_SET_ITEM(arguments.ptr(), i, Py_NewRef(given[i]));
    const Py_ssize_t count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < count; ++k)
      PyDict_SetItem(named.ptr(), PyTuple_GET_ITEM(keywords, k), given[by_position + k]);
    const nanobind::object done = nanobind::steal(in_python([&] {
      return PyObject_CallFunctionObjArgs(explain_function, function, arguments.ptr(), named.ptr(), error.value,
                                          nullptr);
    }));
  }
  give_back(error);
}

}  // namespace suanzi::python
