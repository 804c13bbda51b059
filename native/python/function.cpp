#include "python/function.h"

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <algorithm>

#include "python/bindings.h"
#include "python/dispatch.h"
#include "python/errors.h"
#include "python/tensor_object.h"
#include "runtime/tile_shape.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

constexpr Py_ssize_t most_parameters = 16;

struct PyFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* weak_references;
  PyObject* attributes;
  PyObject* declaration;  // the Python function, which also reports arguments that do not fit
  // The name in the function's errors. If the pointer is null, errors keep the name of the operator that failed.
  PyObject* name;
  PyObject* called;   // the name in the tables of other kinds of operands, or null for a composed function
  PyObject* builtin;  // the builtin, or null if the declaration has a body
  // The names of the parameters. Positional-only parameters come first, and keyword-only parameters come last.
  PyObject* names;
  PyObject* defaults;  // the default of each parameter, or null for a parameter without a default
  Py_ssize_t parameters, by_position, by_position_only;
  Py_ssize_t device;  // the position of the parameter `device`, or -1 without this parameter
  // `variadic` is true if all further positional arguments are operands.
  bool variadic;
  // `takes_arrays` is true if the declaration handles calls with arrays of other libraries, which no builtin accepts.
  bool takes_arrays;
};

PyTypeObject* function_type = nullptr;

PyFunction& function_of(PyObject* object) { return *reinterpret_cast<PyFunction*>(object); }

PyObject* call_builtin(const PyFunction& f, PyObject* const* arguments) {
  using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
  const auto call = reinterpret_cast<FastCall>(reinterpret_cast<void*>(PyCFunction_GET_FUNCTION(f.builtin)));
  return call(PyCFunction_GET_SELF(f.builtin), arguments, f.parameters);
}

// Returns the position of a parameter that accepts a keyword, or -1 if no parameter has this name.
Py_ssize_t place_of(const PyFunction& f, PyObject* name) {
  for (Py_ssize_t i = f.by_position_only; i < f.parameters; ++i)
    if (PyTuple_GET_ITEM(f.names, i) == name) return i;
  // The first loop misses a name that is not interned.
  for (Py_ssize_t i = f.by_position_only; i < f.parameters; ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(f.names, i), name) == 0) return i;
  return -1;
}

// Writes borrowed references to the arguments in the order of the parameters. Returns false if the arguments do not
// fit. `named` holds the values of the keywords.
template <size_t most>
bool arrange(const PyFunction& f, PyObject* const* given, Py_ssize_t by_position, PyObject* const* named,
             PyObject* keywords, PyObject* (&arguments)[most]) {
  if (by_position > f.by_position) return false;
  std::copy(given, given + by_position, arguments);
  std::fill(arguments + by_position, arguments + f.parameters, nullptr);
  const Py_ssize_t by_keyword = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < by_keyword; ++k) {
    const Py_ssize_t place = place_of(f, PyTuple_GET_ITEM(keywords, k));
    if (place < 0 || arguments[place]) return false;
    arguments[place] = named[k];
  }
  for (Py_ssize_t i = by_position; i < f.parameters; ++i) {
    if (!arguments[i]) arguments[i] = PyTuple_GET_ITEM(f.defaults, i);
    if (!arguments[i]) return false;
  }
  return true;
}

// Returns the result of a failed call. The code first changes the error's message, which then begins with the name of
// the called function, and adds a hint.
[[gnu::cold]] PyObject* failed(PyObject* self, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) {
  name_error(function_of(self).name);
  if (Inside::depth() == 0) explain_error(self, given, by_position, keywords);
  return nullptr;
}

// Returns true if an argument is no tensor but offers its memory, like an array of NumPy.
bool is_array(PyObject* argument) {
  return !PyObject_TypeCheck(argument, tensor_type) && PyObject_CheckBuffer(argument);
}

PyObject* call(PyObject* self, PyObject* const* given, size_t flagged_count, PyObject* keywords) {
  const PyFunction& f = function_of(self);
  const Py_ssize_t by_position = PyVectorcall_NARGS(flagged_count);
  PyObject* arguments[most_parameters];
  if (!arrange(f, given, by_position, given + by_position, keywords, arguments) ||
      (f.takes_arrays && std::any_of(arguments, arguments + f.by_position_only, is_array))) {
    PyObject* const refused = PyObject_Vectorcall(f.declaration, given, flagged_count, keywords);
    return refused ? refused : failed(self, given, by_position, keywords);
  }
  // A function without positional-only parameters creates a tensor from no other tensor, so the function uses the
  // default device. A function that creates a tensor like another tensor uses the device of the other tensor.
  if (f.device >= 0 && f.by_position_only == 0 && arguments[f.device] == Py_None && default_device()) [[unlikely]]
    arguments[f.device] = default_device();
  PyObject* const result = call_builtin(f, arguments);
  if (!result) [[unlikely]]
    return failed(self, given, by_position, keywords);
  return result;
}

// --- functions with a body ---

// Returns the answer of the operands' kinds to a call, or null if the kinds have no answer or the arguments do not fit.
// The kinds receive the arguments of a builtin in the order of the parameters. A tuple of further operands precedes the
// keyword-only arguments.
PyObject* ask_kinds(const PyFunction& f, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) {
  PyObject* arguments[most_parameters + 1];
  const Py_ssize_t fixed = f.variadic ? std::min(by_position, f.by_position) : by_position;
  if (!arrange(f, given, fixed, given + by_position, keywords, arguments)) return nullptr;
  if (f.device >= 0 && arguments[f.device] == Py_None && default_device()) arguments[f.device] = default_device();
  PyObject* const device = f.device < 0 ? nullptr : arguments[f.device];
  if (!f.variadic) return dispatch({f.called, arguments, f.parameters, f.by_position_only, false, device});
  const nb::object further = nb::steal(PyTuple_New(by_position - fixed));
  if (!further.is_valid()) throw PythonErrorSet{};
  for (Py_ssize_t i = fixed; i < by_position; ++i) PyTuple_SET_ITEM(further.ptr(), i - fixed, Py_NewRef(given[i]));
  std::copy_backward(arguments + f.by_position, arguments + f.parameters, arguments + f.parameters + 1);
  arguments[f.by_position] = further.ptr();
  return dispatch({f.called, arguments, f.parameters + 1, f.by_position + 1, true, device});
}

// Returns true if an argument names a device, or if the user has set a default device.
bool names_device(const PyFunction& f, PyObject* const* given, Py_ssize_t by_position, PyObject* keywords) {
  if (f.device < 0) return false;
  if (default_device()) [[unlikely]]
    return true;
  if (f.device < std::min(by_position, f.by_position)) return given[f.device] != Py_None;
  const Py_ssize_t by_keyword = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < by_keyword; ++k)
    if (place_of(f, PyTuple_GET_ITEM(keywords, k)) == f.device) return given[by_position + k] != Py_None;
  return false;
}

// A body may call other functions of Suanzi, so the body's steps choose their own tiles.
PyObject* call_composed(PyObject* self, PyObject* const* given, size_t flagged_count, PyObject* keywords) {
  PyObject* result;
  {
    const OwnTiles own;
    const Inside inside;
    result = PyObject_Vectorcall(function_of(self).declaration, given, flagged_count, keywords);
  }
  if (!result) [[unlikely]]
    return failed(self, given, PyVectorcall_NARGS(flagged_count), keywords);
  return result;
}

PyObject* call_body(PyObject* self, PyObject* const* given, size_t flagged_count, PyObject* keywords) {
  const PyFunction& f = function_of(self);
  const Py_ssize_t by_position = PyVectorcall_NARGS(flagged_count);
  const Py_ssize_t operands = f.variadic ? by_position : std::min(by_position, f.by_position_only);
  if (std::any_of(given, given + operands, kind_of) || names_device(f, given, by_position, keywords)) [[unlikely]] {
    PyObject* const answer = guard([&] { return ask_kinds(f, given, by_position, keywords); });
    if (answer) return answer;
    if (PyErr_Occurred()) return failed(self, given, by_position, keywords);
  }
  return call_composed(self, given, flagged_count, keywords);
}

// --- the type ---

int traverse(PyObject* self, visitproc visit, void* arg) {
  const PyFunction& f = function_of(self);
  for (PyObject* part : {f.attributes, f.declaration, f.name, f.called, f.builtin, f.names, f.defaults}) Py_VISIT(part);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

// The function does not clear the members that a call needs, because other objects of the cycle may call the function
// while the garbage collector clears these objects.
int clear(PyObject* self) {
  Py_CLEAR(function_of(self).attributes);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyFunction& f = function_of(self);
  if (f.weak_references) PyObject_ClearWeakRefs(self);
  for (PyObject* part : {f.attributes, f.declaration, f.name, f.called, f.builtin, f.names, f.defaults})
    Py_XDECREF(part);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Returns a method if the function is an attribute of an object's class, like every Python function.
PyObject* bind_to(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* represent(PyObject* self) {
  PyObject* const name = PyObject_GetAttrString(self, "__qualname__");
  PyObject* const text = name ? PyUnicode_FromFormat("<function %U>", name) : nullptr;
  Py_XDECREF(name);
  return text;
}

// Pickles and copies contain the function's name, as for Python's functions.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyFunction, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyFunction, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyFunction, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef getters[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind_to)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, getters},
    {0, nullptr},
};

// --- creation ---

Py_ssize_t count_of(const nb::object& code, const char* what) { return nb::cast<Py_ssize_t>(code.attr(what)); }

// Returns the defaults of the parameters as a tuple. The item of a parameter without a default is null.
nb::object defaults_of(const nb::handle& declaration, const nb::tuple& names, Py_ssize_t by_position) {
  const auto parameters = static_cast<Py_ssize_t>(names.size());
  nb::object defaults = nb::steal(PyTuple_New(parameters));
  if (!defaults.is_valid()) throw PythonErrorSet{};
  const nb::object last = declaration.attr("__defaults__"), named = declaration.attr("__kwdefaults__");
  const Py_ssize_t first = by_position - (last.is_none() ? 0 : PyTuple_GET_SIZE(last.ptr()));
  for (Py_ssize_t i = first; i < by_position; ++i)
    PyTuple_SET_ITEM(defaults.ptr(), i, Py_NewRef(PyTuple_GET_ITEM(last.ptr(), i - first)));
  for (Py_ssize_t i = by_position; i < parameters && !named.is_none(); ++i)
    PyTuple_SET_ITEM(defaults.ptr(), i, Py_XNewRef(PyDict_GetItem(named.ptr(), PyTuple_GET_ITEM(names.ptr(), i))));
  return defaults;
}

// Returns the position of the parameter that names a device, or -1 without such a parameter. The function also stores
// this position in the builtin's Binding.
Py_ssize_t place_of_device(const PyFunction& f) {
  const nb::object name = nb::steal(PyUnicode_InternFromString("device"));
  if (!name.is_valid()) throw PythonErrorSet{};
  Py_ssize_t place = f.parameters - 1;
  while (place >= 0 && PyTuple_GET_ITEM(f.names, place) != name.ptr()) --place;
  if (place < 0 || !f.builtin) return place;
  Binding* const binding = binding_of(PyCFunction_GET_SELF(f.builtin));
  if (!binding) fail(Status::type_mismatch, "declared: ", nb::str(f.builtin).c_str(), " has no argument for a device");
  binding->device = static_cast<int>(place);
  return place;
}

nb::object made(nb::handle declaration, nb::handle name, vectorcallfunc call) {
  nb::object object = nb::steal(function_type->tp_alloc(function_type, 0));
  if (!object.is_valid()) throw PythonErrorSet{};
  PyFunction& f = function_of(object.ptr());
  f.call = call;
  f.declaration = Py_NewRef(declaration.ptr());
  f.name = name.is_none() ? nullptr : Py_NewRef(name.ptr());
  return object;
}

nb::object declared(nb::handle declaration, nb::handle builtin, nb::handle name) {
  const nb::object code = declaration.attr("__code__");
  const Py_ssize_t by_position = count_of(code, "co_argcount");
  const Py_ssize_t parameters = by_position + count_of(code, "co_kwonlyargcount");
  const bool has_body = builtin.is_none(), variadic = count_of(code, "co_flags") & CO_VARARGS;
  if (!has_body && (!PyCFunction_CheckExact(builtin.ptr()) || PyCFunction_GET_FLAGS(builtin.ptr()) != METH_FASTCALL))
    fail(Status::type_mismatch, "declared: ", nb::str(builtin).c_str(),
         " is not a builtin that takes a list of arguments");
  if (parameters > most_parameters)
    fail(Status::invalid_argument, "declared: ", parameters, " parameters are more than the ", most_parameters,
         " supported");
  const nb::tuple names(nb::object(code.attr("co_varnames"))[nb::slice(parameters)]);
  nb::object object = made(declaration, name, has_body ? call_body : call);
  PyFunction& f = function_of(object.ptr());
  f.builtin = has_body ? nullptr : nb::object(nb::borrow(builtin)).release().ptr();
  f.called = nb::object(declaration.attr("__name__")).release().ptr();
  f.variadic = variadic;
  f.takes_arrays = PyObject_HasAttrString(declaration.ptr(), "takes_arrays");
  f.names = nb::object(names).release().ptr();
  f.parameters = parameters;
  f.by_position = by_position;
  f.by_position_only = count_of(code, "co_posonlyargcount");
  f.defaults = defaults_of(declaration, names, by_position).release().ptr();
  f.device = place_of_device(f);
  return object;
}

}  // namespace

void add_function_type(PyObject* module) {
  PyType_Spec spec = {"suanzi.Function", sizeof(PyFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (!type) throw PythonErrorSet{};
  function_type = reinterpret_cast<PyTypeObject*>(type);
  nb::module_ m = nb::borrow<nb::module_>(module);
  define(
      m, "declared",
      "(declaration: Callable[..., Any], builtin: Callable[..., Any] | None, name: str | None, /) -> Callable[..., "
      "Any]",
      [](nb::handle declaration, nb::handle builtin, nb::handle name) { return declared(declaration, builtin, name); });
  define(m, "composed", "(function: Callable[..., Any], name: str | None, /) -> Callable[..., Any]",
         [](nb::handle function, nb::handle name) { return made(function, name, call_composed); });
}

}  // namespace suanzi::python
