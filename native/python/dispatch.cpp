#include "python/dispatch.h"

#include <algorithm>
#include <vector>

#include "python/errors.h"
#include "python/tensor_object.h"

namespace suanzi::python {
namespace nb = nanobind;

namespace {

constexpr const char* method = "__suanzi_call__";

// A call that is put to the classes of its operands.
class Question {
 public:
  Question(const char* name, std::span<const nb::object> arguments)
      : name_(name), arguments_(nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())))) {
    if (!arguments_.is_valid()) throw PythonErrorSet{};
    for (size_t i = 0; i < arguments.size(); ++i)
      PyTuple_SET_ITEM(arguments_.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(arguments[i].ptr()));
  }

  // What the operand's class says; none that is valid where it has no answer. A class is asked once for all of its
  // operands that stand together: a list may be long.
  nb::object put_to(PyObject* operand) {
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(operand));
    if (PyTensor_Check(operand) || type == asked_.ptr()) return {};
    asked_ = nb::borrow(type);
    if (!PyObject_HasAttrString(type, method)) return {};
    nb::object result = nb::steal(PyObject_CallMethod(type, method, "sO", name_, arguments_.ptr()));
    if (!result.is_valid()) throw PythonErrorSet{};
    return result.ptr() == Py_NotImplemented ? nb::object() : result;
  }

 private:
  const char* name_;
  nb::object arguments_, asked_;
};

// The first answer that the operands' classes have; none that is valid where they have none.
nb::object first_answer(const char* name, std::span<const nb::object> arguments, Py_ssize_t operands) {
  Question question(name, arguments);
  for (const nb::object& operand : arguments.first(static_cast<size_t>(operands)))
    if (nb::object answer = question.put_to(operand.ptr()); answer.is_valid()) return answer;
  return {};
}

// The same where any argument, or any item of one, may be an operand.
nb::object first_answer(const char* name, std::span<const nb::object> arguments) {
  Question question(name, arguments);
  for (const nb::object& argument : arguments) {
    if (nb::object answer = question.put_to(argument.ptr()); answer.is_valid()) return answer;
    if (!PyList_Check(argument.ptr()) && !PyTuple_Check(argument.ptr())) continue;
    // The operands of concat and its like; a list may change while its items are asked.
    for (Py_ssize_t i = 0; i < PySequence_Size(argument.ptr()); ++i) {
      const nb::object item = nb::steal(PySequence_GetItem(argument.ptr(), i));
      if (!item.is_valid()) throw PythonErrorSet{};
      if (nb::object answer = question.put_to(item.ptr()); answer.is_valid()) return answer;
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

PyObject* offer(const char* name, PyObject* const* arguments, Py_ssize_t n, Py_ssize_t operands) {
  return first_answer(name, objects(arguments, n), operands).release().ptr();
}

PyObject* hand_on(const StatusError& error, const char* name, PyObject* const* arguments, Py_ssize_t n,
                  Py_ssize_t operands) {
  if (error.status() != Status::type_mismatch) throw;
  PyObject* const result = offer(name, arguments, n, std::min(n, operands));
  if (!result) throw;
  return result;
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
