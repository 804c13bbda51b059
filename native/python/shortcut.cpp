#include "python/shortcut.h"

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <algorithm>

#include "python/errors.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

constexpr Py_ssize_t most_operands = 2;
// Every floating type holds numbers whose magnitude is below this number.
constexpr double largest_number = 6e4;

struct Shortcut {
  PyObject_HEAD vectorcallfunc call;
  PyObject* kind;      // the class of the operands
  PyObject* function;  // the function of another library
  Py_ssize_t operands;
  PyObject* types;    // a tuple of element types
  PyObject* numbers;  // a tuple of the types for whose tensors the second operand may be a number
  PyObject* result;   // the element type of the result, or None for the type of the operands
  // The Shortcut calls this object with the name after each call of the function that succeeds.
  PyObject* note;
  // If the function raises, the Shortcut calls this object with the error, `otherwise` and the arguments.
  PyObject* failed;
  // The Shortcut passes all calls that it does not handle to this object.
  PyObject* otherwise;
  // A tuple of the values that the arguments after the operands must have. All further arguments must be None.
  PyObject* defaults;
  PyObject* name;
  Py_ssize_t data, dtype, device, is_irregular;  // the offsets of slots in the objects
};

Shortcut& shortcut_at(PyObject* object) { return *reinterpret_cast<Shortcut*>(object); }

PyObject*& slot(PyObject* object, Py_ssize_t place) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + place);
}

bool is_of(PyObject* object, PyObject* kind) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == kind; }

bool contains(PyObject* tuple, PyObject* item) {
  PyObject* const* const items = &PyTuple_GET_ITEM(tuple, 0);
  return std::find(items, items + PyTuple_GET_SIZE(tuple), item) != items + PyTuple_GET_SIZE(tuple);
}

bool is_small_number(PyObject* object) {
  if (PyFloat_CheckExact(object)) {
    const double value = PyFloat_AS_DOUBLE(object);
    return value > -largest_number && value < largest_number;
  }
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  const long value = PyLong_AsLongAndOverflow(object, &overflow);
  return overflow == 0 && static_cast<double>(value) > -largest_number && static_cast<double>(value) < largest_number;
}

// References to the parts of the operands, which keep the parts alive while the function runs.
struct Parts {
  nb::object memory[most_operands], dtype, device;
};

// Stores references to the parts of the operands. Returns false if the shortcut does not handle the call.
bool takes(const Shortcut& s, PyObject* const* given, Py_ssize_t count, Parts& parts) {
  if (count < s.operands || !is_of(given[0], s.kind)) return false;
  PyObject *const dtype = slot(given[0], s.dtype), *const device = slot(given[0], s.device);
  if (!dtype || !device || !contains(s.types, dtype)) return false;
  for (Py_ssize_t i = 0; i < s.operands; ++i) {
    PyObject* memory = given[i];
    if (is_of(memory, s.kind)) {
      if (slot(memory, s.dtype) != dtype || slot(memory, s.device) != device || slot(memory, s.is_irregular))
        return false;
      memory = slot(memory, s.data);
    } else if (!contains(s.numbers, dtype) || !is_small_number(memory)) {
      return false;
    }
    if (!memory) return false;
    parts.memory[i] = nb::borrow(memory);
  }
  for (Py_ssize_t i = s.operands, known = PyTuple_GET_SIZE(s.defaults); i < count; ++i) {
    if (given[i] != (i - s.operands < known ? PyTuple_GET_ITEM(s.defaults, i - s.operands) : Py_None)) return false;
  }
  parts.dtype = nb::borrow(s.result == Py_None ? dtype : s.result);
  parts.device = nb::borrow(device);
  return true;
}

// Handles an error of the called function. Returns the result of `failed`, but raises an interrupt again.
[[gnu::cold]] PyObject* after_failure(const Shortcut& s, PyObject* const* given, Py_ssize_t count) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  const nb::object error = nb::steal(value);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  // An exception that is not an instance of Exception is an interrupt, such as KeyboardInterrupt.
  if (!PyObject_IsInstance(value, PyExc_Exception)) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), value);
    return nullptr;
  }
  const nb::object arguments = nb::steal(PyTuple_New(count + 2));
  if (!arguments.is_valid()) return nullptr;
  PyTuple_SET_ITEM(arguments.ptr(), 0, Py_NewRef(value));
  PyTuple_SET_ITEM(arguments.ptr(), 1, Py_NewRef(s.otherwise));
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(arguments.ptr(), i + 2, Py_NewRef(given[i]));
  return PyObject_CallObject(s.failed, arguments.ptr());
}

PyObject* call(PyObject* self, PyObject* const* given, size_t flagged_count, PyObject* keywords) {
  const Shortcut& s = shortcut_at(self);
  const Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
  Parts parts;
  if (keywords || !takes(s, given, count, parts))
    return PyObject_Vectorcall(s.otherwise, given, flagged_count, keywords);
  PyObject* const memory[] = {parts.memory[0].ptr(), parts.memory[1].ptr()};
  nb::object data = nb::steal(PyObject_Vectorcall(s.function, memory, static_cast<size_t>(s.operands), nullptr));
  if (!data.is_valid()) [[unlikely]]
    return after_failure(s, given, count);
  const nb::object noted = nb::steal(PyObject_CallOneArg(s.note, s.name));
  auto* const kind = reinterpret_cast<PyTypeObject*>(s.kind);
  PyObject* const made = noted.is_valid() ? kind->tp_alloc(kind, 0) : nullptr;
  if (!made) return nullptr;
  slot(made, s.data) = data.release().ptr();
  slot(made, s.dtype) = parts.dtype.release().ptr();
  slot(made, s.device) = parts.device.release().ptr();
  return made;
}

// --- the type ---

template <class See>
void for_each_part(Shortcut& s, See see) {
  for (PyObject** part :
       {&s.kind, &s.function, &s.types, &s.numbers, &s.result, &s.note, &s.failed, &s.otherwise, &s.defaults, &s.name})
    see(*part);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  int found = 0;
  for_each_part(shortcut_at(self), [&](PyObject* part) { found = found || !part ? found : visit(part, arg); });
  if (found) return found;
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  for_each_part(shortcut_at(self), [](PyObject*& part) { Py_CLEAR(part); });
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Returns the offset of a slot that a class declares.
Py_ssize_t place_of(PyObject* kind, const char* name) {
  const nb::object descriptor = nb::steal(PyObject_GetAttrString(kind, name));
  if (!descriptor.is_valid()) throw PythonErrorSet{};
  const PyMemberDef* const member = Py_TYPE(descriptor.ptr()) == &PyMemberDescr_Type
                                        ? reinterpret_cast<PyMemberDescrObject*>(descriptor.ptr())->d_member
                                        : nullptr;
  if (!member || member->type != T_OBJECT_EX)
    fail(Status::type_mismatch, "Shortcut: ", name, " is not a slot of the class");
  return member->offset;
}

PyObject* make(PyTypeObject* type, PyObject* given, PyObject* keywords) {
  static const char* const names[] = {"kind", "function", "operands",  "types",    "numbers", "result",
                                      "note", "failed",   "otherwise", "defaults", nullptr};
  PyObject *kind, *function, *types, *numbers, *result, *note, *failed, *otherwise, *defaults;
  Py_ssize_t operands;
  if (!PyArg_ParseTupleAndKeywords(given, keywords, "O!OnO!O!OOOOO!", const_cast<char**>(names), &PyType_Type, &kind,
                                   &function, &operands, &PyTuple_Type, &types, &PyTuple_Type, &numbers, &result, &note,
                                   &failed, &otherwise, &PyTuple_Type, &defaults))
    return nullptr;
  return guard([&]() -> PyObject* {
    if (operands < 1 || operands > most_operands)
      fail(Status::invalid_argument, "Shortcut: ", operands, " operands are not 1 or 2");
    nb::object made = nb::steal(type->tp_alloc(type, 0));
    if (!made.is_valid()) throw PythonErrorSet{};
    Shortcut& s = shortcut_at(made.ptr());
    s.call = call;
    s.name = PyObject_GetAttrString(otherwise, "__name__");
    if (!s.name) throw PythonErrorSet{};
    s.kind = Py_NewRef(kind);
    s.function = Py_NewRef(function);
    s.operands = operands;
    s.types = Py_NewRef(types);
    s.numbers = Py_NewRef(numbers);
    s.result = Py_NewRef(result);
    s.note = Py_NewRef(note);
    s.failed = Py_NewRef(failed);
    s.otherwise = Py_NewRef(otherwise);
    s.defaults = Py_NewRef(defaults);
    s.data = place_of(kind, "data");
    s.dtype = place_of(kind, "dtype");
    s.device = place_of(kind, "device");
    s.is_irregular = place_of(kind, "_is_irregular");
    return made.release().ptr();
  });
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Shortcut, call), READONLY, nullptr},
    {"__name__", T_OBJECT_EX, offsetof(Shortcut, name), READONLY, "The name of the function in the table."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char*>("An operator that calls a function of another library with the operands' memory.")},
    {0, nullptr},
};

}  // namespace

void add_shortcuts(PyObject* module) {
  static PyType_Spec spec = {"suanzi.Shortcut", sizeof(Shortcut), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type) throw PythonErrorSet{};
  const nb::object kept = nb::steal(type);
  if (PyModule_AddObjectRef(module, "Shortcut", type) < 0) throw PythonErrorSet{};
}

}  // namespace suanzi::python
