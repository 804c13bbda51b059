// This file declares the object of the Python type Tensor, the creation of objects, and the slots of the type. The type
// uses the C API directly, because the creation of the object and the calls of its operators take much of the time of
// an operation on small tensors.
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
  PyObject* metadata;  // the user's part of the extension data (6.6), which is made on first use
  Tensor tensor;
};

extern PyTypeObject* tensor_type;

inline bool PyTensor_Check(PyObject* object) { return Py_TYPE(object) == tensor_type; }
inline Tensor& tensor_of(PyObject* object) { return reinterpret_cast<PyTensor*>(object)->tensor; }

// Frees unused text of a string tensor (tensor/text.h). The function does nothing for tensors of other types.
inline void settle_if_strings(const Tensor& x) {
  if (x.dtype == DType::string && x.storage) [[unlikely]]
    settle(x);
}

// Returns a new Python object for a tensor, or null with the Python error set if memory is exhausted.
PyObject* wrap(Tensor&& tensor) noexcept;

// Creates the type and adds the type to the module.
void add_tensor_type(PyObject* module);

// Registers Python's objects for element types, and the function that makes tensors from array-likes.
void register_dtypes(PyObject* dtypes);
void register_as_tensor(PyObject* function);
PyObject* dtype_object(DType t);  // returns a borrowed reference
// Returns a tensor of any data. The registered function makes the tensor. `dtype` is the type for the values, or None.
nanobind::object make_tensor(const char* op, PyObject* data, PyObject* dtype);

PyObject* dims_to_tuple(const Dims& dims);

// element_object returns an element of type t as a Python number or string. `item` returns the only element of a tensor
// as a Python number or string.
PyObject* element_object(DType t, const void* element);
PyObject* item(const char* op, const Tensor& x);

// `index` returns x[key], which is a view if the key is basic. `assign` writes x[key] = value. The functions are
// defined in ops/indexing/subscript.binding.cpp.
Tensor index(const Tensor& x, PyObject* key);
void assign(const Tensor& x, PyObject* key, PyObject* value);

extern PyBufferProcs buffer_procs;
int get_buffer(PyObject* self, Py_buffer* view, int flags);
// Returns a tensor on the memory of an object's buffer. The buffer's elements have the type `dtype`. The tensor keeps
// the object, and the object must keep the memory. Returns nothing if the memory is not aligned, or if strides are not
// multiples of an element.
std::optional<Tensor> share_buffer(const char* op, PyObject* owner, DType dtype);
// Returns a tensor on the memory of an object's buffer, with the element type that the buffer's format names. The
// function also returns nothing if Suanzi lacks the type.
std::optional<Tensor> share_buffer(const char* op, PyObject* owner);
// Returns a new tensor with a copy of the elements of an object's buffer. The elements have the type `dtype`.
Tensor copy_buffer(const char* op, PyObject* object, DType dtype);
void release_buffer(PyObject* self, Py_buffer* view);

// Returns the slots of the number protocol and of comparison (defined in operators.cpp).
PyType_Slot* operator_slots();

}  // namespace suanzi::python

namespace nanobind::detail {

// Converts a suanzi::Tensor that a bound function returns. Functions that accept tensors have a handle as parameter and
// call require_tensor, whose error names the operator.
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
