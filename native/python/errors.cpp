#include "python/errors.h"

#include <nanobind/nanobind.h>

namespace suanzi::python {
namespace {
PyObject* error_classes[status_count] = {};
}

void register_error_classes(PyObject* classes) {
  if (!PyTuple_Check(classes) || PyTuple_GET_SIZE(classes) != status_count)
    fail(Status::invalid_argument, "register: expected a tuple of ", status_count, " exception classes");
  for (int i = 0; i < status_count; ++i) Py_XSETREF(error_classes[i], Py_NewRef(PyTuple_GET_ITEM(classes, i)));
}

void set_error(Status status, const char* message) noexcept {
  PyObject* type = error_classes[static_cast<int>(status)];
  PyErr_SetString(type ? type : PyExc_RuntimeError, message);
}

void set_error_from_current_exception() noexcept {
  try {
    throw;
  } catch (const PythonErrorSet&) {
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
