// Operands that are not dense tensors of this process (sparse, quantized, on another device): what kind they are, which
// is read from their type before any work starts, and the table of the operators for that kind.
//
// A kind is a class, a rank and a table: from the name of a function of the core, which is the operator's, to an
// implementation that takes the same positional arguments and gives the result, or NotImplemented. Python registers
// each once. A class that nobody registered may have a static method `__suanzi_call__(name, arguments)` instead; it
// ranks above all others, as it may know them while they cannot know it.
//
// A device that an argument names counts as one more operand, of the kind of the tensors that lie there: so functions
// that make a tensor of no other reach the device, too.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python/tensor_object.h"

namespace suanzi::python {

// Returns the object that makes operands of the instances of a type: a Kind, or the method of a class that nobody
// registered; null for types of which none are. Borrowed.
PyObject* kind_of_type(PyTypeObject* type) noexcept;

// Returns the kind of an object. Null also for dense tensors, which pay for one comparison, and for None.
inline PyObject* kind_of(PyObject* object) noexcept {
  return PyTensor_Check(object) || object == Py_None ? nullptr : kind_of_type(Py_TYPE(object));
}

// A call as the core has it. The operands are the first `operands` arguments; where `lists` is true, the items of those
// that are lists or tuples too. `device` is the argument that names a device; null or None where none does.
struct Call {
  PyObject* name;
  PyObject* const* arguments;
  Py_ssize_t count;
  Py_ssize_t operands;
  bool lists = false;
  PyObject* device = nullptr;
};

// Returns the answer of the kind with the highest rank among the operands, of equal ones that of the first, and last
// that of the device; where a kind has no answer, the next one's. Null where there is no answer, or no operand of a
// kind other than dense. INVALID_ARGUMENT where there is no such device, or no answer and the device is not the CPU.
PyObject* dispatch(const Call& call);

// While it lives, this thread carries out a function of the library by others: if those make a tensor, the caller
// has named no device, and the default one is not for them.
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

// The device on which functions that a caller calls make tensors where none is named, borrowed; null: the CPU.
PyObject* default_device() noexcept;

// Adds `register_kind(class, rank, table)`, `register_devices(kind_of_device)`, `set_default_device(device)` and the
// class `Operators` to the module.
// `kind_of_device(device, operator)` is the one place that knows which devices there are: it returns None for the CPU,
// the registered kind of another device, or raises. Operators has Python's operators for the classes of kinds that
// derive from it: they are calls of the functions of the core.
void add_kinds(PyObject* module);

// The slots of Operators, in kind_operators.cpp.
PyType_Slot* kind_operator_slots();

// Adds `python_operators` to the module: Python's name of each operator and the function that it calls, in
// kind_operators.cpp.
void add_python_operators(PyObject* module);

// A string that stays, for the name of a function.
PyObject* lasting_name(const char* name);

}  // namespace suanzi::python
