// Nested lists of Python's own numbers as tensors, and any tensor as nested lists, without the detour through an array
// of NumPy.
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// What kinds of numbers there are.
struct Kinds {
  bool integers = false, reals = false, booleans = false;

  // The type that NumPy would find for them.
  DType common() const {
    if (reals) return DType::float64;
    return integers ? DType::int64 : booleans ? DType::boolean : DType::float64;
  }
};

// Whether the lists are even and hold nothing but bool, int of 64 bits and float.
bool survey(PyObject* data, const Dims& shape, int axis, Kinds& kinds) {
  if (axis < shape.size()) {
    if (!is_sequence(data) || PySequence_Fast_GET_SIZE(data) != shape[axis]) return false;
    for (int64_t i = 0; i < shape[axis]; ++i)
      if (!survey(PySequence_Fast_GET_ITEM(data, i), shape, axis + 1, kinds)) return false;
    return true;
  }
  if (PyFloat_CheckExact(data)) return kinds.reals = true;
  if (PyBool_Check(data)) return kinds.booleans = true;
  if (!PyLong_CheckExact(data)) return false;
  int overflow = 0;
  (void)PyLong_AsLongLongAndOverflow(data, &overflow);
  kinds.integers = true;
  return overflow == 0;
}

void read(PyObject* number, double& element) {
  element = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) : PyLong_AsDouble(number);
}
void read(PyObject* number, int64_t& element) { element = PyLong_AsLongLong(number); }
void read(PyObject* number, bool& element) { element = number == Py_True; }

// Numbers are read as Read and kept as T.
template <class Read, class T>
void fill(PyObject* data, const Dims& shape, int axis, T*& next) {
  if (axis == shape.size()) {
    Read number;
    read(data, number);
    *next++ = static_cast<T>(number);
    return;
  }
  for (int64_t i = 0; i < shape[axis]; ++i) fill<Read>(PySequence_Fast_GET_ITEM(data, i), shape, axis + 1, next);
}

template <class Read, class T = Read>
Tensor filled(PyObject* data, const Dims& shape, DType dtype) {
  Tensor result = make_empty("tensor", shape, dtype);
  T* next = result.as<T>();
  fill<Read>(data, shape, 0, next);
  return result;
}

// A tensor of the numbers, by default in the type that NumPy would find for them, otherwise in that which the standard
// prefers: float32 for all but bools. None where the data hold anything else.
nb::object numbers(nb::handle data, bool preferred) {
  const Dims shape = nested_shape("tensor", data.ptr());
  Kinds kinds;
  if (!survey(data.ptr(), shape, 0, kinds)) return nb::none();
  const DType common = kinds.common(), dtype = preferred && common != DType::boolean ? DType::float32 : common;
  switch (common) {
    case DType::float64:
      return wrapped(preferred ? filled<double, float>(data.ptr(), shape, dtype)
                               : filled<double>(data.ptr(), shape, dtype));
    case DType::int64:
      return wrapped(preferred ? filled<int64_t, float>(data.ptr(), shape, dtype)
                               : filled<int64_t>(data.ptr(), shape, dtype));
    default:
      return wrapped(filled<bool>(data.ptr(), shape, dtype));
  }
}

// The elements from `next` on as nested lists of the shape from `axis` on, or as the one element.
nb::object nested_lists(const Tensor& dense, int axis, const std::byte*& next) {
  if (axis == dense.rank()) {
    nb::object element = nb::steal(element_object(dense.dtype, next));
    if (!element.is_valid()) throw PythonErrorSet{};
    next += size_of(dense.dtype);
    return element;
  }
  nb::object list = nb::steal(PyList_New(dense.shape[axis]));
  if (!list.is_valid()) throw PythonErrorSet{};
  for (int64_t i = 0; i < dense.shape[axis]; ++i)
    PyList_SET_ITEM(list.ptr(), i, nested_lists(dense, axis + 1, next).release().ptr());
  return list;
}

}  // namespace

void bind_numbers(nb::module_& m) {
  define(m, "tolist", [](nb::handle x) {
    const Tensor dense = to_contiguous("tolist", require_tensor("tolist", x.ptr()));
    const std::byte* next = dense.data;
    return nested_lists(dense, 0, next);
  });
  define(m, "numbers", [](nb::handle data, bool preferred) { return numbers(data, preferred); });
}

}  // namespace suanzi::python
