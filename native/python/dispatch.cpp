#include "python/dispatch.h"

#include <vector>

#include "python/errors.h"
#include "python/tensor_object.h"

namespace suanzi::python {
namespace nb = nanobind;

namespace {

constexpr const char* method = "__suanzi_call__";

// What the operand's class says of the call; NotImplemented where it has no such method.
nb::object answer(PyObject* operand, const char* name, const nb::object& arguments) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(operand));
  if (PyTensor_Check(operand) || !PyObject_HasAttrString(type, method)) return nb::borrow(Py_NotImplemented);
  nb::object result = nb::steal(PyObject_CallMethod(type, method, "sO", name, arguments.ptr()));
  if (!result.is_valid()) throw PythonErrorSet{};
  return result;
}

// The first answer that the operands' classes have; none that is valid where they have none.
nb::object first_answer(const char* name, std::span<const nb::object> arguments) {
  const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  if (!all.is_valid()) throw PythonErrorSet{};
  for (size_t i = 0; i < arguments.size(); ++i)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(arguments[i].ptr()));
  for (const nb::object& argument : arguments) {
    if (nb::object result = answer(argument.ptr(), name, all); result.ptr() != Py_NotImplemented) return result;
    if (!PyList_Check(argument.ptr()) && !PyTuple_Check(argument.ptr())) continue;
    // The operands of concat and its like; a list may change while its items are asked.
    for (Py_ssize_t i = 0; i < PySequence_Size(argument.ptr()); ++i) {
      const nb::object item = nb::steal(PySequence_GetItem(argument.ptr(), i));
      if (!item.is_valid()) throw PythonErrorSet{};
      if (nb::object result = answer(item.ptr(), name, all); result.ptr() != Py_NotImplemented) return result;
    }
  }
  return {};
}

std::vector<nb::object> objects(PyObject* const* arguments, Py_ssize_t n) {
  std::vector<nb::object> all;
  for (Py_ssize_t i = 0; i < n; ++i) all.push_back(nb::borrow(arguments[i]));
  return all;
}

}  // namespace

PyObject* offer(const char* name, PyObject* const* arguments, Py_ssize_t n) {
  return first_answer(name, objects(arguments, n)).release().ptr();
}

nb::object hand_on(const StatusError& error, const char* name, std::span<const nb::object> arguments) {
  if (error.status() != Status::type_mismatch) throw;
  nb::object result = first_answer(name, arguments);
  if (!result.is_valid()) throw;
  return result;
}

PyObject* hand_on(const StatusError& error, const char* name, PyObject* const* arguments, Py_ssize_t n) {
  return hand_on(error, name, objects(arguments, n)).release().ptr();
}

}  // namespace suanzi::python
