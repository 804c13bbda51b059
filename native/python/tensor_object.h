// The Python type Tensor: the object, its life and its slots. Written on the C API because its creation and its
// operators are the cost of every small operation; all else in python/ goes through nanobind.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <nanobind/nanobind.h>

#include <optional>

#include "tensor/tensor.h"
#include "tensor/text.h"

namespace suanzi::python {

struct PyTensor {
  PyObject_HEAD PyObject* weak_references;
  PyObject* metadata;  // the user's half of the extension data (6.6), made on first use
  Tensor tensor;
};

extern PyTypeObject* tensor_type;

inline bool PyTensor_Check(PyObject* object) { return Py_TYPE(object) == tensor_type; }
inline Tensor& tensor_of(PyObject* object) { return reinterpret_cast<PyTensor*>(object)->tensor; }

// The conversions of tensors at the border to Python.
inline void settle_if_strings(const Tensor& x) {
  if (x.dtype == DType::string && x.storage) [[unlikely]]
    settle(x);
}

// A new Python object for a tensor; null with the Python error set when memory is out.
PyObject* wrap(Tensor&& tensor) noexcept;

// Creates the type and adds it to the module.
void add_tensor_type(PyObject* module);

// The objects that stand for element types, and the function that makes tensors of array-likes, from Python.
void register_dtypes(PyObject* dtypes);
void register_as_tensor(PyObject* function);
PyObject* dtype_object(DType t);  // borrowed
// Any data as a tensor, by that function; `dtype` is the type that shall hold the values, or None.
nanobind::object make_tensor(const char* op, PyObject* data, PyObject* dtype);

PyObject* dims_to_tuple(const Dims& dims);

// An element as a Python number or string, and the one of a tensor.
PyObject* element_object(DType t, const void* element);
PyObject* item(const char* op, const Tensor& x);

// x[key], a view where the key is basic, and x[key] = value; in indexing.cpp.
Tensor index(const Tensor& x, PyObject* key);
void assign(const Tensor& x, PyObject* key, PyObject* value);

extern PyBufferProcs buffer_procs;
int get_buffer(PyObject* self, Py_buffer* view, int flags);
// A tensor on the memory that an object's buffer shows, whose elements are known to be of this type; the object is
// kept, and must keep its memory. None where that is not aligned or strides are no multiples of an element.
std::optional<Tensor> share_buffer(const char* op, PyObject* owner, DType dtype);
// Shares a buffer in the type that it names; None also where that is no type of ours.
std::optional<Tensor> share_buffer(const char* op, PyObject* owner);
// A new tensor of the elements of an object's buffer, which are known to be of this type.
Tensor copy_buffer(const char* op, PyObject* object, DType dtype);
void release_buffer(PyObject* self, Py_buffer* view);

// The number protocol and comparison, in operators.cpp.
PyType_Slot* operator_slots();

}  // namespace suanzi::python

namespace nanobind::detail {

// Lets bound functions return a suanzi::Tensor. As arguments they take a handle and call require_tensor, whose error
// names the operator.
template <>
struct type_caster<suanzi::Tensor> {
  NB_TYPE_CASTER(suanzi::Tensor, const_name("suanzi.Tensor"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!suanzi::python::PyTensor_Check(source.ptr())) return false;
    value = suanzi::python::tensor_of(source.ptr());
    return true;
  }
  static handle from_cpp(suanzi::Tensor tensor, rv_policy, cleanup_list*) noexcept {
    return suanzi::python::wrap(std::move(tensor));
  }
};

}  // namespace nanobind::detail
