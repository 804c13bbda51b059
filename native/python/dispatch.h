// Operands that are not dense tensors of this process (sparse, quantized, on another device). This file finds the kind
// of an operand, and the table of operators for the kind. The type of an operand determines its kind before any work
// starts.
//
// A kind is a class, a rank and a table. The table maps names of the core's functions, which are the operators' names,
// to implementations. An implementation accepts the same positional arguments as the function, and returns the result
// or NotImplemented. Python registers each kind once. A class that is not registered may have a static method
// `__suanzi_call__(name, arguments)` instead. A class with this method ranks above all registered kinds. The class may
// handle operands of registered kinds, but registered kinds cannot handle operands of the class.
//
// A device that an argument names counts as one more operand. The kind of this operand is the kind of the tensors on
// the device. Functions that create a tensor from no other tensor reach the device in this way.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python/tensor_object.h"

namespace suanzi::python {

// Returns the object that handles instances of a type as operands. This object is a Kind, or the method of a class that
// is not registered. Returns null if instances of the type are not operands. The reference is borrowed.
PyObject* kind_of_type(PyTypeObject* type) noexcept;

// The function of Python that records the calls of the thread's trace, or null without a trace. The function handles
// calls whose operands are dense tensors from before the trace, because later calls must read these operands again.
inline thread_local PyObject* watcher = nullptr;

// Returns the watcher if a dense tensor is from before the trace, and null otherwise.
PyObject* watcher_of(PyObject* tensor) noexcept;

// Returns the kind of an object. Returns null for None and, except during a trace, for dense tensors. For dense
// tensors, the call takes only two comparisons.
inline PyObject* kind_of(PyObject* object) noexcept {
  if (PyTensor_Check(object)) return watcher ? watcher_of(object) : nullptr;
  return object == Py_None ? nullptr : kind_of_type(Py_TYPE(object));
}

// A call of a function of the core. The operands are the first `operands` arguments. If `lists` is true, the items of
// lists and tuples among these arguments are operands too. `device` is the argument that names a device. `device` is
// null or None if no argument names a device.
struct Call {
  PyObject* name;
  PyObject* const* arguments;
  Py_ssize_t count;
  Py_ssize_t operands;
  bool lists = false;
  PyObject* device = nullptr;
};

// Returns the answer of the operands' kinds. The function first calls the kind with the highest rank. Among kinds of
// equal rank, the function first calls the kind of the first operand. The device counts as the last operand. If a kind
// has no answer, the function calls the next kind. Returns null if all operands are dense or no kind has an answer.
// Fails with INVALID_ARGUMENT if no kind has an answer and the device is not the CPU. `kind_of_device` raises an
// exception if the device does not exist.
PyObject* dispatch(const Call& call);

// Returns the answer of the thread's watcher to a call on dense tensors, or null without an answer. The arguments are
// the operands and the defaults of the other parameters.
template <class... Arguments>
PyObject* recorded(PyObject* name, Py_ssize_t operands, Arguments... arguments) {
  if (!watcher) return nullptr;
  PyObject* const all[] = {arguments...};
  return dispatch({name, all, sizeof...(arguments), operands});
}

// While this object lives, this thread runs a function of Suanzi that calls other functions of Suanzi. The default
// device does not apply to tensors that these functions create, because the user has not called these functions.
class Inside {
 public:
  Inside() { ++depth(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { --depth(); }
  static int& depth() {
    thread_local int depth = 0;
    return depth;
  }
};

// Returns the device on which functions that a user calls create tensors if no argument names a device. The reference
// is borrowed. Null means the CPU.
PyObject* default_device() noexcept;

// Adds `register_kind(class, rank, table)`, `register_devices(kind_of_device)`, `set_default_device(device)` and the
// class `Operators` to the module. `kind_of_device(device, operator)` is the only function that checks whether a device
// exists. The function returns None for the CPU, and the registered kind for another device. The function raises an
// exception for a device that does not exist. Operators provides Python's operators for the classes of kinds that
// derive from Operators. Each operator calls a function of the core.
void add_kinds(PyObject* module);

// Returns the slots of Operators (defined in kind_operators.cpp).
PyType_Slot* kind_operator_slots();

// Adds `python_operators` to the module (defined in kind_operators.cpp). `python_operators` lists the Python name of
// each operator and the function that the operator calls.
void add_python_operators(PyObject* module);

// Returns the name of a function as a Python string that is never freed.
PyObject* lasting_name(const char* name);

}  // namespace suanzi::python
