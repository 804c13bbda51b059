#include "python/dispatch.h"

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "python/bindings.h"
#include "python/errors.h"
#include "python/operators.h"
#include "runtime/tile_shape.h"
#include "runtime/tracing.h"

namespace suanzi::python {
namespace nb = nanobind;

namespace {

constexpr const char* attribute = "__suanzi_call__";
PyObject *attribute_name = nullptr, *index_name = nullptr;

// The kind of a registered class.
struct Kind {
  // Dense tensors have the rank 0, and every registered kind has a greater rank.
  PyObject_HEAD long rank;
  PyObject* table;
};

PyTypeObject* kind_type = nullptr;

bool is_registered(PyObject* kind) { return Py_TYPE(kind) == kind_type; }
Kind& kind_at(PyObject* object) { return *reinterpret_cast<Kind*>(object); }
long rank_of(PyObject* kind) {
  if (kind == watcher) return 0;  // the watcher handles dense tensors
  return is_registered(kind) ? kind_at(kind).rank : LONG_MAX;
}

// Returns the implementation of a function in the table of a kind, or null if the table has no implementation.
PyObject* implementation(PyObject* kind, PyObject* name) {
  PyObject* const found = PyDict_GetItemWithError(kind_at(kind).table, name);
  if (!found && PyErr_Occurred()) throw PythonErrorSet{};
  return Py_XNewRef(found);
}

// --- the call ---

nb::object tuple_of(const Call& call) {
  nb::object all = nb::steal(PyTuple_New(call.count));
  if (!all.is_valid()) throw PythonErrorSet{};
  for (Py_ssize_t i = 0; i < call.count; ++i) PyTuple_SET_ITEM(all.ptr(), i, Py_NewRef(call.arguments[i]));
  return all;
}

// Returns the name at the start of a call's errors. The name for reads and writes by keys is "index", as for dense
// tensors.
PyObject* spoken_name(PyObject* name) {
  const Py_UCS4 first = PyUnicode_GET_LENGTH(name) > 0 ? PyUnicode_READ_CHAR(name, 0) : 0;
  return first == '_' ? index_name : name;
}

// While this object lives, the thread's trace does not record calls whose operands are all dense.
class Unwatched {
 public:
  Unwatched() = default;
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
  ~Unwatched() { watcher = watcher_; }

 private:
  PyObject* const watcher_ = std::exchange(watcher, nullptr);
};

// Returns the answer of an operand's kind, or an invalid object if the kind has no answer. If the implementation of a
// registered kind calls other functions of Suanzi, these functions choose their own tiles, and their errors name the
// function that the user called.
nb::object ask(PyObject* operand, PyObject* kind, const Call& call) {
  nb::object result;
  if (is_registered(kind)) {
    const nb::object function = nb::steal(implementation(kind, call.name));
    if (!function.is_valid()) return {};
    const OwnTiles own;
    const Inside inside;
    const Unwatched unwatched;
    result = nb::steal(PyObject_Vectorcall(function.ptr(), call.arguments, static_cast<size_t>(call.count), nullptr));
    if (!result.is_valid()) name_error(spoken_name(call.name));
  } else {
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(operand));
    const nb::object arguments = tuple_of(call);
    result = nb::steal(kind == watcher
                           ? PyObject_CallFunctionObjArgs(kind, call.name, arguments.ptr(), nullptr)
                           : PyObject_CallMethodObjArgs(type, attribute_name, call.name, arguments.ptr(), nullptr));
  }
  if (!result.is_valid()) throw PythonErrorSet{};
  return result.ptr() == Py_NotImplemented ? nb::object() : result;
}

PyObject *kind_of_device_function = nullptr, *device_by_default = nullptr;

// Returns the kind of the device that a call names, or an invalid object for the CPU.
nb::object kind_of_device(const Call& call) {
  if (!call.device || call.device == Py_None) return {};
  nb::object kind = nb::steal(
      PyObject_CallFunctionObjArgs(kind_of_device_function, call.device, call.name, static_cast<PyObject*>(nullptr)));
  if (!kind.is_valid()) throw PythonErrorSet{};
  if (kind.is_none()) return {};
  if (!is_registered(kind.ptr()))
    fail(Status::type_mismatch, "register_devices: ", shown(kind.ptr()), " is not a registered kind");
  return kind;
}

// Calls `see(operand, kind)` for each operand that is not dense.
template <class See>
void for_each_operand(const Call& call, See see) {
  for (Py_ssize_t i = 0; i < call.operands; ++i) {
    PyObject* const argument = call.arguments[i];
    if (PyObject* const kind = kind_of(argument)) {
      see(argument, kind);
    } else if (call.lists && (PyList_Check(argument) || PyTuple_Check(argument))) {
      for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(argument); ++k) {
        PyObject* const item = PySequence_Fast_GET_ITEM(argument, k);
        if (PyObject* const its = kind_of(item)) see(item, its);
      }
    }
  }
}

// --- the kind of a registered class ---

void dealloc_kind(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(kind_at(self).table);
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse_kind(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(kind_at(self).table);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

// Implements the call `kind(name, arguments)`, like the method of a class that is not registered.
PyObject* call_kind(PyObject* self, PyObject* given, PyObject* keywords) {
  PyObject *name, *arguments;
  static const char* const names[] = {"name", "arguments", nullptr};
  if (!PyArg_ParseTupleAndKeywords(given, keywords, "UO!", const_cast<char**>(names), &name, &PyTuple_Type, &arguments))
    return nullptr;
  return guard([&]() -> PyObject* {
    const nb::object function = nb::steal(implementation(self, name));
    if (!function.is_valid()) return Py_NewRef(Py_NotImplemented);
    return PyObject_CallObject(function.ptr(), arguments);
  });
}

PyMemberDef kind_members[] = {
    {"rank", T_LONG, offsetof(Kind, rank), READONLY, "The operand with the greatest rank handles the call."},
    {"table", T_OBJECT_EX, offsetof(Kind, table), READONLY,
     "A dictionary from the names of operators to implementations."},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot kind_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_kind)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_kind)},
    {Py_tp_call, reinterpret_cast<void*>(call_kind)},
    {Py_tp_members, kind_members},
    {Py_tp_doc, const_cast<char*>("A kind of operand: the implementations of operators for the instances of a class.")},
    {0, nullptr},
};

PyObject* register_kind(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guard([&]() -> PyObject* {
    if (n != 3 || !PyType_Check(args[0]) || !PyDict_Check(args[2]))
      fail(Status::type_mismatch, "register_kind: the arguments must be a class, a rank and a table");
    const long rank = PyLong_AsLong(args[1]);
    if (rank == -1 && PyErr_Occurred()) throw PythonErrorSet{};
    if (rank <= 0) fail(Status::invalid_argument, "register_kind: rank ", rank, " is not above that of dense tensors");
    const nb::object kind = nb::steal(kind_type->tp_alloc(kind_type, 0));
    if (!kind.is_valid()) throw PythonErrorSet{};
    kind_at(kind.ptr()).rank = rank;
    kind_at(kind.ptr()).table = Py_NewRef(args[2]);
    if (PyObject_SetAttr(args[0], attribute_name, kind.ptr()) < 0) throw PythonErrorSet{};
    Py_RETURN_NONE;
  });
}

PyObject* register_devices(PyObject*, PyObject* function) {
  Py_XSETREF(kind_of_device_function, Py_NewRef(function));
  Py_RETURN_NONE;
}

PyObject* set_default_device(PyObject*, PyObject* device) {
  Py_XSETREF(device_by_default, device == Py_None ? nullptr : Py_NewRef(device));
  Py_RETURN_NONE;
}

PyTypeObject* made_type(PyObject* module, PyType_Spec& spec) {
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type) throw PythonErrorSet{};
  if (PyModule_AddObjectRef(module, std::strrchr(spec.name, '.') + 1, type) < 0) throw PythonErrorSet{};
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

PyObject* default_device() noexcept { return Inside::depth() == 0 ? device_by_default : nullptr; }

PyObject* watcher_of(PyObject* tensor) noexcept {
  const Tensor& x = tensor_of(tensor);
  return x.storage && x.storage->trace() != current_trace && !carrying_out ? watcher : nullptr;
}

PyObject* kind_of_type(PyTypeObject* type) noexcept {
  // The most frequent arguments beside tensors are objects of Python's own types, and element types.
  constexpr unsigned long own =
      Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_UNICODE_SUBCLASS;
  if ((type->tp_flags & own && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) || type == &PyFloat_Type ||
      type == Py_TYPE(dtype_object(DType::boolean)))
    return nullptr;
  return _PyType_Lookup(type, attribute_name);
}

PyObject* dispatch(const Call& call) {
  const nb::object place = kind_of_device(call);
  std::vector<nb::object> asked;  // the kinds that have returned no answer
  for (;;) {
    PyObject *best = nullptr, *best_kind = nullptr;
    const auto see = [&](PyObject* operand, PyObject* kind) {
      if (best && rank_of(kind) <= rank_of(best_kind)) return;
      for (const nb::object& other : asked)
        if (other.is(kind)) return;
      best = operand;
      best_kind = kind;
    };
    for_each_operand(call, see);
    if (place.is_valid()) see(call.device, place.ptr());
    if (!best && place.is_valid())
      fail(Status::invalid_argument, nb::cast<const char*>(nb::handle(call.name)), ": device ", shown(call.device),
           " does not have this function");
    if (!best) return nullptr;
    // These references keep the operand alive if the implementation changes the list that holds the operand.
    const nb::object operand = nb::borrow(best), kind = nb::borrow(best_kind);
    if (nb::object answer = ask(best, best_kind, call); answer.is_valid()) return answer.release().ptr();
    asked.push_back(kind);
  }
}

PyObject* dispatch(const Binding& binding, PyObject* const* arguments, Py_ssize_t count) {
  PyObject* const device = binding.device < 0 ? nullptr : arguments[binding.device];
  return dispatch({binding.name, arguments, count, count, binding.operands == Operands::listed, device});
}

PyObject* lasting_name(const char* name) {
  PyObject* const text = PyUnicode_InternFromString(name);
  if (!text) throw PythonErrorSet{};
  return text;
}

void add_kinds(PyObject* module) {
  attribute_name = lasting_name(attribute);
  index_name = lasting_name("index");
  static PyType_Spec kind_spec = {"suanzi.Kind", sizeof(Kind), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  kind_slots};
  kind_type = made_type(module, kind_spec);
  static PyType_Spec operators_spec = {"suanzi.Operators", sizeof(PyObject), 0,
                                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kind_operator_slots()};
  auto* const operators = reinterpret_cast<PyObject*>(made_type(module, operators_spec));
  // Because of this attribute, NumPy arrays let our classes handle operators.
  if (PyObject_SetAttrString(operators, "__array_ufunc__", Py_None) < 0) throw PythonErrorSet{};
  static PyMethodDef functions[] = {
      {"register_kind", as_builtin(register_kind), METH_FASTCALL,
       "(kind: type[Any], rank: int, table: dict[str, Callable[..., Any]], /) -> None"},
      {"register_devices", register_devices, METH_O, "(kind_of_device: Callable[[Any, str], Any], /) -> None"},
      {"set_default_device", set_default_device, METH_O, "(device: Device | None, /) -> None"},
      {nullptr, nullptr, 0, nullptr},
  };
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet{};
}

}  // namespace suanzi::python
