// The argument reader for operators that are written in Python. The reader's functions follow the rules of arguments.h
// and fail with the same messages.
#include <vector>

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

template <class F>
void define_reader(nb::module_& m, const char* name, const char* signature, F function) {
  define(m, name, signature, std::move(function), Operands::none);
}

// Returns the axes that an integer or a sequence names, in the caller's order. The function adds the rank to negative
// axes. No axis may occur twice.
Dims read_axes(const char* op, PyObject* object, int rank) {
  if (rank > max_rank)
    fail(Status::invalid_argument, op, ": ", rank, " dimensions are more than the ", max_rank, " supported");
  Dims axes = require_dims(op, "axis", object);
  (void)axis_bits(op, axes, rank);
  for (int64_t& axis : axes) axis = checked_axis(op, axis, rank);
  return axes;
}

// Reads the default type, which must be a real floating type, because Python's floats become elements of this type.
DType require_default(const char* op, PyObject* named) {
  const DType t = require_dtype(op, named);
  if (!is_floating(t))
    fail(Status::type_mismatch, op, ": element type ", name(t), " is not floating", hint("default dtype"));
  return t;
}

// Changes the metaclass of a class. The new metaclass must have the layout of `type`. Python itself does not allow a
// class to change its metaclass from `type`.
void set_metaclass(PyObject* kind, PyObject* metaclass) {
  constexpr const char* op = "set_metaclass";
  auto* const meta = reinterpret_cast<PyTypeObject*>(metaclass);
  const bool fits = PyType_Check(metaclass) && PyType_IsSubtype(meta, &PyType_Type) &&
                    meta->tp_basicsize == PyType_Type.tp_basicsize && meta->tp_itemsize == PyType_Type.tp_itemsize;
  if (!fits || Py_TYPE(kind) != &PyType_Type ||
      !(PyType_GetFlags(reinterpret_cast<PyTypeObject*>(kind)) & Py_TPFLAGS_HEAPTYPE))
    fail(Status::type_mismatch, op, ": ", shown(kind), " is not a class whose metaclass can be ", shown(metaclass));
  Py_SET_TYPE(kind, reinterpret_cast<PyTypeObject*>(Py_NewRef(metaclass)));
  PyType_Modified(reinterpret_cast<PyTypeObject*>(kind));
}

}  // namespace

void bind_readers(nb::module_& m) {
  define(m, "read_tensor", "(operator: str, x: Any, /) -> Tensor", [](const char* op, nb::object x) {
    (void)require_tensor(op, x.ptr());
    return x;
  });
  define_reader(m, "read_shape", "(operator: str, shape: Any, least: int, /) -> tuple[int, ...]",
                [](const char* op, nb::handle shape, int64_t least) {
                  return nb::steal(dims_to_tuple(require_shape(op, shape.ptr(), least)));
                });
  define_reader(
      m, "read_integer", "(operator: str, what: str, value: Any, /) -> int",
      [](const char* op, const char* what, nb::handle value) { return require_integer(op, what, value.ptr()); });
  define_reader(
      m, "read_truth", "(operator: str, what: str, value: Any, /) -> bool",
      [](const char* op, const char* what, nb::handle value) { return require_truth(op, what, value.ptr()); });
  define_reader(m, "read_choice", "(operator: str, what: str, value: Any, words: tuple[str | None, ...], /) -> int",
                [](const char* op, const char* what, nb::handle value, nb::tuple words) {
                  std::vector<std::string_view> choices;
                  for (const nb::handle word : words)
                    choices.emplace_back(word.is_none() ? "None" : nb::cast<const char*>(word));
                  return require_choice(op, what, value.ptr(), choices);
                });
  define_reader(m, "default_dtype", "() -> DType", [] { return nb::borrow(dtype_object(default_dtype())); });
  define_reader(m, "set_default_dtype", "(dtype: Any, /) -> None", [](nb::handle dtype) {
    set_default_dtype(dtype.is_none() ? DType::float32 : require_default("set_default_dtype", dtype.ptr()));
  });
  define_reader(m, "set_metaclass", "(kind: type[Any], metaclass: type[Any], /) -> None",
                [](nb::handle kind, nb::handle metaclass) { set_metaclass(kind.ptr(), metaclass.ptr()); });
  define_reader(m, "read_axis", "(operator: str, axis: Any, rank: int, /) -> int",
                [](const char* op, nb::handle axis, int rank) {
                  return checked_axis(op, require_integer(op, "axis", axis.ptr()), rank);
                });
  define_reader(m, "read_axes", "(operator: str, axes: Any, rank: int, /) -> tuple[int, ...]",
                [](const char* op, nb::handle axes, int rank) {
                  return nb::steal(dims_to_tuple(read_axes(op, axes.ptr(), rank)));
                });
}

}  // namespace suanzi::python
