#include "python/tensor_object.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <complex>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "ops/arrange/views.h"
#include "ops/elementwise/compositions.h"
#include "python/arguments.h"
#include "python/dispatch.h"
#include "python/errors.h"
#include "python/operators.h"
#include "walk/copy.h"

namespace suanzi::python {

PyTypeObject* tensor_type = nullptr;

namespace {

PyObject* dtype_objects[dtype_count] = {};
PyObject* as_tensor_function = nullptr;

// The number of freed objects that are kept for the next tensors. The GIL guards these objects.
constexpr size_t kept_objects = 64;
PyTensor* free_objects[kept_objects];
size_t free_count = 0;

PyTensor* new_object() noexcept {
  if (free_count > 0) {
    PyTensor* self = free_objects[--free_count];
    (void)PyObject_Init(reinterpret_cast<PyObject*>(self), tensor_type);
    return self;
  }
  return PyObject_GC_New(PyTensor, tensor_type);
}

void dealloc(PyObject* object) {
  auto* self = reinterpret_cast<PyTensor*>(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(self->metadata);
  if (self->weak_references) PyObject_ClearWeakRefs(object);
  self->tensor.~Tensor();
  if (free_count < kept_objects) {
    free_objects[free_count++] = self;
  } else {
    PyObject_GC_Del(self);
  }
  Py_DECREF(tensor_type);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyTensor*>(object)->metadata);
  Py_VISIT(Py_TYPE(object));
  return 0;
}

int clear(PyObject* object) {
  Py_CLEAR(reinterpret_cast<PyTensor*>(object)->metadata);
  return 0;
}

// Calls body(x) with the tensor x of `self` and returns the body's result, which is a new reference. The function fails
// if x has been destroyed.
template <class Body>
PyObject* get(PyObject* self, const char* op, Body&& body) noexcept {
  return guard([&]() -> PyObject* {
    const Tensor& x = tensor_of(self);
    check_alive(op, x);
    return body(x);
  });
}

// Calls body(x) like `get`, to read an attribute. If the core fails, the Python error is also an AttributeError.
template <class Body>
PyObject* get_attribute(PyObject* self, const char* name, Body&& body) noexcept {
  return guard([&]() -> PyObject* {
    try {
      const Tensor& x = tensor_of(self);
      check_alive(name, x);
      return body(x);
    } catch (const StatusError& error) {
      set_attribute_error(error);
      return nullptr;
    }
  });
}

PyObject* get_shape(PyObject* self, void*) {
  return get_attribute(self, "shape", [](const Tensor& x) { return dims_to_tuple(x.shape); });
}
PyObject* get_strides(PyObject* self, void*) {
  return get_attribute(self, "strides", [](const Tensor& x) {
    Dims bytes = x.strides;
    for (int64_t& stride : bytes) stride *= size_of(x.dtype);
    return dims_to_tuple(bytes);
  });
}
PyObject* get_ndim(PyObject* self, void*) {
  return get_attribute(self, "ndim", [](const Tensor& x) { return PyLong_FromLong(x.rank()); });
}
PyObject* get_size(PyObject* self, void*) {
  return get_attribute(self, "size", [](const Tensor& x) { return PyLong_FromLongLong(x.size); });
}
PyObject* get_itemsize(PyObject* self, void*) {
  return get_attribute(self, "itemsize", [](const Tensor& x) { return PyLong_FromLong(size_of(x.dtype)); });
}
PyObject* get_nbytes(PyObject* self, void*) {
  return get_attribute(self, "nbytes", [](const Tensor& x) { return PyLong_FromLongLong(x.nbytes()); });
}
PyObject* get_dtype(PyObject* self, void*) {
  return get_attribute(self, "dtype", [](const Tensor& x) { return Py_NewRef(dtype_object(x.dtype)); });
}
PyObject* get_transposed(PyObject* self, void*) {
  return get_attribute(self, "T", [](const Tensor& x) { return wrap(reverse_axes("T", x)); });
}
PyObject* get_matrix_transposed(PyObject* self, void*) {
  return get_attribute(self, "mT", [](const Tensor& x) { return wrap(matrix_transpose("mT", x)); });
}
PyObject* get_real(PyObject* self, void*) {
  return get_attribute(self, "real", [&](const Tensor& x) {
    Tensor real = real_of(x);
    return is_complex(x.dtype) ? wrap(std::move(real)) : Py_NewRef(self);
  });
}
PyObject* get_imag(PyObject* self, void*) {
  return get_attribute(self, "imag", [](const Tensor& x) { return wrap(imag_of(x)); });
}
PyObject* get_metadata(PyObject* self, void*) {
  return get_attribute(self, "metadata", [self](const Tensor&) -> PyObject* {
    auto* object = reinterpret_cast<PyTensor*>(self);
    if (!object->metadata) {
      object->metadata = PyDict_New();
      if (!object->metadata) return nullptr;
      PyObject_GC_Track(self);
    }
    return Py_NewRef(object->metadata);
  });
}

// Refuses to set an attribute. All attributes have this setter. The setter always fails, because the description of a
// tensor cannot be changed.
int refuse_to_set(PyObject*, PyObject*, void* attribute) noexcept {
  return guard_or(-1, [&] {
    const auto* const name = static_cast<const char*>(attribute);
    const nanobind::str about(name);
    PyErr_Format(PyExc_AttributeError, "Tensor: attribute '%s' cannot be set%s", name,
                 hint("attribute", about.ptr()).c_str());
    return -1;
  });
}

// Returns the closure of an attribute. The closure is the attribute's name, which the setter reads.
void* as_closure(const char* name) { return const_cast<char*>(name); }

PyGetSetDef getters[] = {
    {"shape", get_shape, refuse_to_set, "The sizes of the dimensions.", as_closure("shape")},
    {"strides", get_strides, refuse_to_set,
     "The distance in bytes between neighbours along each dimension, as in NumPy. `stride` counts elements.",
     as_closure("strides")},
    {"ndim", get_ndim, refuse_to_set, "The number of dimensions.", as_closure("ndim")},
    {"size", get_size, refuse_to_set, "The number of elements.", as_closure("size")},
    {"itemsize", get_itemsize, refuse_to_set, "The number of bytes of one element.", as_closure("itemsize")},
    {"nbytes", get_nbytes, refuse_to_set, "The number of bytes of all elements.", as_closure("nbytes")},
    {"dtype", get_dtype, refuse_to_set, "The element type.", as_closure("dtype")},
    {"T", get_transposed, refuse_to_set, "A view with the dimensions in reverse order.", as_closure("T")},
    {"mT", get_matrix_transposed, refuse_to_set, "A view with the last two dimensions swapped.", as_closure("mT")},
    {"real", get_real, refuse_to_set, "The real part: a view of a complex tensor, or the tensor itself.",
     as_closure("real")},
    {"imag", get_imag, refuse_to_set, "The imaginary part: a view of a complex tensor, or a tensor of zeros.",
     as_closure("imag")},
    {"metadata", get_metadata, refuse_to_set,
     "A dictionary for the user (6.6). `copy.copy` and pickling keep the dictionary.", as_closure("metadata")},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject* method_item(PyObject* self, PyObject* const*, Py_ssize_t n) {
  return get(self, "item", [&](const Tensor& x) -> PyObject* {
    if (n == 0) return item("item", x);
    PyErr_Format(PyExc_TypeError, "item() takes no arguments (%zd given)%s", n, hint("arguments of item").c_str());
    return nullptr;
  });
}

// The method reads the tensor after the axis, because reading the axis may destroy the tensor.
PyObject* method_stride(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return guard([&]() -> PyObject* {
    if (n > 1) {
      PyErr_Format(PyExc_TypeError, "stride() takes at most one argument (%zd given)", n);
      return nullptr;
    }
    const std::optional<int64_t> axis = optional_integer("stride", "axis", n == 1 ? args[0] : Py_None);
    return get(self, "stride", [&](const Tensor& x) -> PyObject* {
      if (!axis) return dims_to_tuple(x.strides);
      return PyLong_FromLongLong(x.strides[checked_axis("stride", *axis, x.rank())]);
    });
  });
}

// Returns the argument of a method that accepts its integers as one sequence, one by one, or by keyword, such as
// x.reshape(2, 3), x.reshape((2, 3)) and x.reshape(shape=(2, 3)). Returns None if the call has no argument.
nanobind::object one_or_all(const char* op, const char* what, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  if (keywords && PyTuple_GET_SIZE(keywords) > 0) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i)
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, i), what) != 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", op,
                     PyTuple_GET_ITEM(keywords, i));
        throw PythonErrorSet{};
      }
    if (n > 0) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", op, what);
      throw PythonErrorSet{};
    }
    return nanobind::borrow(args[0]);
  }
  if (n == 0) return nanobind::none();
  if (n == 1) return nanobind::borrow(args[0]);
  const nanobind::object all = nanobind::steal(PyTuple_New(n));
  if (!all.is_valid()) throw PythonErrorSet{};
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(all.ptr(), i, Py_NewRef(args[i]));
  return all;
}

// A method that accepts its integers as one sequence, one by one, or by keyword. `read` converts the integers for
// `view`. The method reads the tensor after the integers, because reading the integers may destroy the tensor.
struct Loose {
  const char* name;
  const char* what;  // the keyword
  Dims (*read)(const char* op, PyObject* given);
  Tensor (*view)(const char* op, const Tensor& x, const Dims& dims);
  // `without` is called if the call has no argument, or None. The pointer is null if an argument is required.
  Tensor (*without)(const char* op, const Tensor& x);
};

Dims read_shape(const char* op, PyObject* shape) { return require_shape(op, shape, -1); }
Dims read_axes(const char* op, PyObject* axes) { return require_dims(op, "axes", axes); }

// Reshapes in NumPy's order "F". The function reads and places elements in the order in which the first index changes
// fastest.
Tensor reshape_by_columns(const char* op, const Tensor& x, const Dims& shape) {
  Dims sizes = resolve_shape(op, x, shape);
  std::reverse(sizes.begin(), sizes.end());
  return reverse_axes(op, reshape(op, reverse_axes(op, x), sizes));
}

// Reshapes in NumPy's order "A". The order is by columns if the elements are in memory by columns, and by rows
// otherwise.
Tensor reshape_as_it_lies(const char* op, const Tensor& x, const Dims& shape) {
  const bool by_columns = !x.contiguous && reverse_axes(op, x).contiguous;
  return (by_columns ? reshape_by_columns : reshape)(op, x, shape);
}

// The names of NumPy's orders, and the method that reshapes in each order.
constexpr std::array<std::string_view, 3> orders{"C", "F", "A"};
constexpr Loose loose_reshape[] = {
    {"reshape", "shape", read_shape, reshape, nullptr},
    {"reshape", "shape", read_shape, reshape_by_columns, nullptr},
    {"reshape", "shape", read_shape, reshape_as_it_lies, nullptr},
};
constexpr Loose loose_expand{"expand", "shape", read_shape, expand_keeping, nullptr};
constexpr Loose loose_transpose{"transpose", "axes", read_axes, permute, reverse_axes};

PyObject* call_loose(const Loose& method, PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  check_alive(method.name, tensor_of(self));
  const bool several_or_none = n != 1 || keywords;
  const nanobind::object listed =
      several_or_none ? one_or_all(method.name, method.what, args, n, keywords) : nanobind::borrow(args[0]);
  if (method.without && listed.is_none()) return wrap(method.without(method.name, tensor_of(self)));
  const Dims dims = n == 0 && !keywords ? Dims() : method.read(method.name, listed.ptr());
  check_alive(method.name, tensor_of(self));
  return wrap(method.view(method.name, tensor_of(self), dims));
}

template <const Loose& method>
PyObject* loosely(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* keywords) noexcept {
  return guard([&] { return call_loose(method, self, args, n, keywords); });
}

// Returns the names of keywords without the keyword at `place`, or an invalid object if no keyword is left.
nanobind::object without(PyObject* keywords, Py_ssize_t place) {
  if (PyTuple_GET_SIZE(keywords) == 1) return {};
  const nanobind::object names = nanobind::steal(PySequence_List(keywords));
  if (!names.is_valid() || PySequence_DelItem(names.ptr(), place) < 0) throw PythonErrorSet{};
  nanobind::object left = nanobind::steal(PyList_AsTuple(names.ptr()));
  if (!left.is_valid()) throw PythonErrorSet{};
  return left;
}

// Implements x.reshape(). The function reads NumPy's keyword `order`, and passes the other arguments to the method for
// this order.
PyObject* call_reshape(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* keywords) noexcept {
  return guard([&] {
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, i), "order") != 0) continue;
      const int order = require_choice("reshape", "order", args[n + i], orders);
      std::vector<PyObject*> others(args, args + n + named);
      others.erase(others.begin() + n + i);
      return call_loose(loose_reshape[order], self, others.data(), n, without(keywords, i).ptr());
    }
    return call_loose(loose_reshape[0], self, args, n, keywords);
  });
}

PyMethodDef methods[] = {
    {"item", as_builtin(method_item), METH_FASTCALL,
     "item()\n--\n\nReturn the element of a tensor with one element, as a Python number or a string."},
    {"stride", as_builtin(method_stride), METH_FASTCALL,
     "stride($self, axis=None, /)\n--\n\nReturn the distance in elements between neighbours along each dimension, or "
     "along one axis.\n`strides` counts bytes."},
    {"reshape", as_builtin(call_reshape), METH_FASTCALL | METH_KEYWORDS,
     "reshape($self, /, *shape, order='C')\n--\n\nAs `suanzi.reshape`: ``x.reshape(2, 3)``, "
     "``x.reshape(shape=(2, 3))``.\n\n``order=\"F\"`` reads and places elements with the first index changing "
     "fastest, as NumPy does.\n``order=\"A\"`` does the same if the elements have this order in memory."},
    {"expand", as_builtin(loosely<loose_expand>), METH_FASTCALL | METH_KEYWORDS,
     "expand($self, /, *shape)\n--\n\nAs `suanzi.expand`: ``x.expand(2, 3)``, ``x.expand(shape=(2, 3))``."},
    {"transpose", as_builtin(loosely<loose_transpose>), METH_FASTCALL | METH_KEYWORDS,
     "transpose($self, /, *axes)\n--\n\nAs `suanzi.transpose`: ``x.transpose(1, 0)``, ``x.transpose(axes=(1, 0))``."},
    {nullptr, nullptr, 0, nullptr},
};

Py_ssize_t length(PyObject* self) {
  return guard_or(Py_ssize_t{-1}, [&]() -> Py_ssize_t {
    const Tensor& x = tensor_of(self);
    check_alive("len", x);
    if (x.rank() == 0) fail(Status::type_mismatch, "len: a tensor of shape () has no length", hint("len"));
    return x.shape[0];
  });
}

// Returns `result`. If the result is `failed`, the function first changes the Python error to begin with "index". The
// conversion of a list in the key may have failed under another name.
template <class R>
R by_index(R result, R failed) {
  static PyObject* const name = PyUnicode_InternFromString("index");
  if (result == failed) [[unlikely]]
    name_error(name);
  return result;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  static PyObject* const name = lasting_name("__getitem__");
  PyObject* const part = get(self, "index", [&](const Tensor& x) {
    PyObject* const traced = recorded(name, 1, self, key);
    return traced ? traced : wrap(index(x, key));
  });
  return by_index<PyObject*>(part, nullptr);
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  const int status = guard_or(-1, [&] {
    // The code copies the tensor, because the key's own __index__ may destroy the tensor.
    const Tensor x = tensor_of(self);
    check_alive("index", x);
    if (!value) fail(Status::type_mismatch, "index: elements of a tensor cannot be deleted", hint("deleted"));
    assign(x, key, value);
    return 0;
  });
  return by_index(status, -1);
}

PyObject* sequence_item(PyObject* self, Py_ssize_t i) {
  return get(self, "index", [&](const Tensor& x) -> PyObject* {
    if (x.rank() == 0 || i >= x.shape[0] || i < 0)
      fail(Status::out_of_range, "index: ", i, " is outside a tensor of shape ", x.shape);
    Dims shape, strides;
    for (int d = 1; d < x.rank(); ++d) {
      shape.push_back(x.shape[d]);
      strides.push_back(x.strides[d]);
    }
    return wrap(make_view(x, std::move(shape), std::move(strides), i * x.strides[0]));
  });
}

PyObject* iterate(PyObject* self) {
  return get(self, "iter", [&](const Tensor& x) {
    if (x.rank() == 0) fail(Status::type_mismatch, "iter: a tensor of shape () cannot be iterated over", hint("iter"));
    return PySeqIter_New(self);
  });
}

}  // namespace

PyObject* wrap(Tensor&& tensor) noexcept {
  PyTensor* self = new_object();
  if (!self) return nullptr;
  self->weak_references = nullptr;
  self->metadata = nullptr;
  new (&self->tensor) Tensor(std::move(tensor));
  settle_if_strings(self->tensor);
  return reinterpret_cast<PyObject*>(self);
}

void register_dtypes(PyObject* dtypes) {
  if (!PyTuple_Check(dtypes) || PyTuple_GET_SIZE(dtypes) != dtype_count)
    fail(Status::invalid_argument, "register: expected a tuple of ", dtype_count, " element types");
  for (int i = 0; i < dtype_count; ++i) Py_XSETREF(dtype_objects[i], Py_NewRef(PyTuple_GET_ITEM(dtypes, i)));
}

void register_as_tensor(PyObject* function) { Py_XSETREF(as_tensor_function, Py_NewRef(function)); }

nanobind::object make_tensor(const char* op, PyObject* data, PyObject* dtype) {
  if (!as_tensor_function) fail(Status::type_mismatch, op, ": ", Py_TYPE(data)->tp_name, " is not a tensor");
  nanobind::object made = nanobind::steal(PyObject_CallFunction(as_tensor_function, "OOs", data, dtype, op));
  if (!made.is_valid()) throw PythonErrorSet{};
  (void)require_tensor(op, made.ptr());
  return made;
}

PyObject* dtype_object(DType t) {
  PyObject* object = dtype_objects[static_cast<int>(t)];
  return object ? object : Py_None;
}

PyObject* dims_to_tuple(const Dims& dims) {
  PyObject* tuple = PyTuple_New(dims.size());
  if (!tuple) throw PythonErrorSet{};
  for (int i = 0; i < dims.size(); ++i) {
    PyObject* value = PyLong_FromLongLong(dims[i]);
    if (!value) {
      Py_DECREF(tuple);
      throw PythonErrorSet{};
    }
    PyTuple_SET_ITEM(tuple, i, value);
  }
  return tuple;
}

PyObject* element_object(DType dtype, const void* element) {
  const auto read = [&](DType t, void* value) {
    kernels().convert[static_cast<int>(dtype)][static_cast<int>(t)](value, &element, 1, {});
  };
  switch (kind(dtype)) {
    case Kind::boolean:
      return PyBool_FromLong(*static_cast<const uint8_t*>(element) != 0);
    case Kind::unsigned_integer: {
      uint64_t value;
      read(DType::uint64, &value);
      return PyLong_FromUnsignedLongLong(value);
    }
    case Kind::signed_integer: {
      int64_t value;
      read(DType::int64, &value);
      return PyLong_FromLongLong(value);
    }
    case Kind::floating: {
      double value;
      read(DType::float64, &value);
      return PyFloat_FromDouble(value);
    }
    case Kind::complex: {
      std::complex<double> value;
      read(DType::complex128, &value);
      return PyComplex_FromDoubles(value.real(), value.imag());
    }
    case Kind::string: {
      const Text& text = *static_cast<const Text*>(element);
      return PyUnicode_DecodeUTF8(text.data, text.length, nullptr);
    }
  }
  return nullptr;
}

PyObject* item(const char* op, const Tensor& x) {
  if (x.size != 1) fail(Status::invalid_argument, op, ": a tensor of shape ", x.shape, " is not one element", hint(op));
  return element_object(x.dtype, x.data);
}

void add_tensor_type(PyObject* module) {
  std::vector<PyType_Slot> slots = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_getset, getters},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {Py_tp_iter, reinterpret_cast<void*>(iterate)},
      {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
      {Py_mp_length, reinterpret_cast<void*>(length)},
      {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
      {Py_mp_ass_subscript, reinterpret_cast<void*>(assign_subscript)},
      {Py_sq_length, reinterpret_cast<void*>(length)},
      {Py_sq_item, reinterpret_cast<void*>(sequence_item)},
      {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
      {Py_tp_doc, const_cast<char*>("An array of elements of one type, of at most 64 dimensions (张量).")},
  };
  for (const PyType_Slot* slot = operator_slots(); slot->slot; ++slot) slots.push_back(*slot);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"suanzi.Tensor", sizeof(PyTensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) throw PythonErrorSet{};
  tensor_type = reinterpret_cast<PyTypeObject*>(type);
  if (PyModule_AddObjectRef(module, "Tensor", type) < 0) throw PythonErrorSet{};
}

}  // namespace suanzi::python
