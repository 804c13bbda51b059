#include "python/errors.h"

#include <nanobind/nanobind.h>

namespace suanzi::python {
namespace {
PyObject* error_classes[status_count] = {};
PyObject *key_mismatch_class = nullptr, *shown_function = nullptr;

void set_error_of(PyObject* type, const char* message) noexcept {
  PyErr_SetString(type ? type : PyExc_RuntimeError, message);
}
}  // namespace

void register_errors(PyObject* classes, PyObject* key_mismatch, PyObject* shown) {
  if (!PyTuple_Check(classes) || PyTuple_GET_SIZE(classes) != status_count)
    fail(Status::invalid_argument, "register: expected a tuple of ", status_count, " exception classes");
  for (int i = 0; i < status_count; ++i) Py_XSETREF(error_classes[i], Py_NewRef(PyTuple_GET_ITEM(classes, i)));
  Py_XSETREF(key_mismatch_class, Py_NewRef(key_mismatch));
  Py_XSETREF(shown_function, Py_NewRef(shown));
}

std::string shown(PyObject* value) {
  if (!shown_function) return Py_TYPE(value)->tp_name;
  const nanobind::object text = nanobind::steal(PyObject_CallOneArg(shown_function, value));
  const char* const characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!characters) throw PythonErrorSet{};
  return characters;
}

void set_error(Status status, const char* message) noexcept {
  set_error_of(error_classes[static_cast<int>(status)], message);
}

void set_attribute_error(const StatusError& error) noexcept {
  PyObject* const type = error_classes[static_cast<int>(error.status())];
  const nanobind::object both = nanobind::steal(type ? PyObject_GetAttrString(type, "of_attribute") : nullptr);
  PyErr_Clear();  // of a class that has none
  set_error_of(both.is_valid() ? both.ptr() : type, error.what());
}

void set_error_from_current_exception() noexcept {
  try {
    throw;
  } catch (const PythonErrorSet&) {
  } catch (const KeyMismatch& e) {
    set_error_of(key_mismatch_class, e.what());
  } catch (const StatusError& e) {
    set_error(e.status(), e.what());
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    set_error(Status::alloc_failed, "the process is out of memory");
  } catch (const std::exception& e) {
    set_error(Status::internal_error, e.what());
  } catch (...) {
    set_error(Status::internal_error, "unknown failure in the native core");
  }
}

}  // namespace suanzi::python
