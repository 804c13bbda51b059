#include "python/steps.h"

#include "python/bindings.h"
#include "python/tensor_object.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

constexpr const char* op = "call_steps";

// A call of suanzi.interop.onnx.schedule.Step. The members are the function, the slots of its operands, and the slot of
// its result or the slots of several results. Further members are the slots that no later call reads, the label, and
// the function that may write its result over the last operand, or None.
struct Step {
  PyObject *function, *inputs, *output, *several, *dead, *label, *overwriting;

  static Step of(PyObject* x) {
    if (!PyTuple_Check(x) || PyTuple_GET_SIZE(x) != 7) fail(Status::type_mismatch, op, ": a step is not seven parts");
    const auto part = [&](Py_ssize_t i) { return PyTuple_GET_ITEM(x, i); };
    const Step step{part(0), part(1), part(2), part(3), part(4), part(5), part(6)};
    for (PyObject* numbers : {step.inputs, step.dead})
      if (!PyTuple_Check(numbers)) fail(Status::type_mismatch, op, ": slots are not a tuple");
    if (step.several != Py_None && !PyTuple_Check(step.several))
      fail(Status::type_mismatch, op, ": slots are not a tuple");
    return step;
  }
};

class Slots {
 public:
  explicit Slots(PyObject* list) : list_(list) {
    if (!PyList_Check(list)) fail(Status::type_mismatch, op, ": slots are not a list");
  }

  PyObject* at(PyObject* number) const { return PyList_GET_ITEM(list_, place(number)); }
  void set(PyObject* number, PyObject* value) const {
    if (PyList_SetItem(list_, place(number), Py_NewRef(value)) < 0) throw PythonErrorSet{};
  }

 private:
  Py_ssize_t place(PyObject* number) const {
    const Py_ssize_t i = PyLong_AsSsize_t(number);
    if (i == -1 && PyErr_Occurred()) throw PythonErrorSet{};
    if (i < 0 || i >= PyList_GET_SIZE(list_)) fail(Status::out_of_range, op, ": there is no slot ", int64_t{i});
    return i;
  }

  PyObject* list_;
};

nb::object checked(PyObject* object) {
  if (!object) throw PythonErrorSet{};
  return nb::steal(object);
}

// Returns true if x is a tensor to which only the list of slots and the arguments of a call refer, and whose memory no
// other tensor and no other library uses.
bool is_spare(PyObject* x) {
  if (!PyTensor_Check(x) || Py_REFCNT(x) != 2) return false;
  const StoragePtr& storage = tensor_of(x).storage;
  return storage && !storage->shared() && !storage->foreign() && storage->writable();
}

// Calls a step. Returns false if the step has fewer results than slots. For a step with several results, `count`
// becomes the number of results.
bool call(const Step& step, const Slots& slots, Py_ssize_t& count) {
  const Py_ssize_t operands = PyTuple_GET_SIZE(step.inputs);
  const nb::object arguments = checked(PyTuple_New(operands));
  for (Py_ssize_t i = 0; i < operands; ++i)
    PyTuple_SET_ITEM(arguments.ptr(), i, Py_NewRef(slots.at(PyTuple_GET_ITEM(step.inputs, i))));
  const bool overwrites =
      step.overwriting != Py_None && operands > 0 && is_spare(PyTuple_GET_ITEM(arguments.ptr(), operands - 1));
  const nb::object found =
      checked(PyObject_Call(overwrites ? step.overwriting : step.function, arguments.ptr(), nullptr));
  if (step.several == Py_None) {
    slots.set(step.output, found.ptr());
  } else {
    const nb::object results = checked(PySequence_Fast(found.ptr(), "results are not a sequence"));
    count = PySequence_Fast_GET_SIZE(results.ptr());
    if (count < PyTuple_GET_SIZE(step.several)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(step.several); ++i)
      slots.set(PyTuple_GET_ITEM(step.several, i), PySequence_Fast_GET_ITEM(results.ptr(), i));
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(step.dead); ++i) slots.set(PyTuple_GET_ITEM(step.dead, i), Py_None);
  return true;
}

// Stores the label of the failed step in `failed`, and keeps the error.
void note(PyObject* failed, PyObject* label) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyList_Append(failed, label) < 0) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

Py_ssize_t call_all(PyObject* steps, PyObject* list, PyObject* failed) {
  if (!PyTuple_Check(steps)) fail(Status::type_mismatch, op, ": steps are not a tuple");
  if (!PyList_Check(failed)) fail(Status::type_mismatch, op, ": labels are not a list");
  const Slots slots(list);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(steps); ++i) {
    const Step step = Step::of(PyTuple_GET_ITEM(steps, i));
    Py_ssize_t count = 0;
    try {
      if (PyErr_CheckSignals() < 0) throw PythonErrorSet{};
      if (call(step, slots, count)) continue;
    } catch (...) {
      note(failed, step.label);
      throw;
    }
    note(failed, step.label);
    return count;
  }
  return 0;
}

}  // namespace

void bind_steps(nb::module_& m) {
  define(m, "call_steps", "(steps: tuple[tuple[Any, ...], ...], slots: list[Any], failed: list[str], /) -> int",
         [](nb::handle steps, nb::handle slots, nb::handle failed) {
           return nb::int_(call_all(steps.ptr(), slots.ptr(), failed.ptr()));
         });
}

}  // namespace suanzi::python
