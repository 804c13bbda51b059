#include "python/dispatch.h"

#include <vector>

#include "python/errors.h"
#include "python/tensor_object.h"

namespace suanzi::python {
namespace nb = nanobind;

nb::object hand_on(const StatusError& error, const char* name, std::span<const nb::object> arguments) {
  constexpr const char* method = "__suanzi_call__";
  if (error.status() != Status::type_mismatch) throw;
  for (const nb::object& argument : arguments) {
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(argument.ptr()));
    if (PyTensor_Check(argument.ptr()) || !PyObject_HasAttrString(type, method)) continue;
    const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
    if (!all.is_valid()) throw PythonErrorSet{};
    for (size_t i = 0; i < arguments.size(); ++i)
      PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(arguments[i].ptr()));
    nb::object result = nb::steal(PyObject_CallMethod(type, method, "sO", name, all.ptr()));
    if (!result.is_valid()) throw PythonErrorSet{};
    if (result.ptr() != Py_NotImplemented) return result;
  }
  throw;
}

PyObject* hand_on(const StatusError& error, const char* name, PyObject* const* arguments, Py_ssize_t n) {
  std::vector<nb::object> all;
  for (Py_ssize_t i = 0; i < n; ++i) all.push_back(nb::borrow(arguments[i]));
  return hand_on(error, name, all).release().ptr();
}

}  // namespace suanzi::python
