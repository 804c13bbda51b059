// Basic indexing: integers, slices, ellipsis and newaxis, each giving a view.
#include "python/arguments.h"

namespace suanzi::python {
namespace {

// What PySlice_Unpack has refused: a step of 0, or bounds that are no integers.
[[noreturn]] void fail_slice(PyObject* key) {
  const bool zero_step = PyErr_ExceptionMatches(PyExc_ValueError);
  if (!zero_step && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
  PyErr_Clear();
  fail(zero_step ? Status::invalid_argument : Status::type_mismatch, "index: ", nanobind::repr(key).c_str(),
       zero_step ? " has a step of 0" : " has bounds that are not integers");
}

struct Selection {
  const Tensor& x;
  Dims shape{};
  Dims strides{};
  int64_t offset = 0;
  int axis = 0;  // the next dimension of x to be consumed

  int64_t size_of_axis(PyObject* key) const {
    if (axis >= x.rank()) {
      fail(Status::out_of_range, "index: a tensor of shape ", x.shape, " has too few dimensions for ",
           nanobind::repr(key).c_str());
    }
    return x.shape[axis];
  }

  void take(PyObject* key) {
    const int64_t n = size_of_axis(key), i = require_integer("index", "an index", key);
    if (i < -n || i >= n)
      fail(Status::out_of_range, "index: ", i, " is outside [", -n, ", ", n, ") along axis ", axis, " of shape ",
           x.shape);
    offset += (i < 0 ? i + n : i) * x.strides[axis];
    ++axis;
  }

  void slice(PyObject* key) {
    const int64_t n = size_of_axis(key);
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) fail_slice(key);
    const Py_ssize_t count = PySlice_AdjustIndices(n, &start, &stop, step);
    if (count > 0) offset += start * x.strides[axis];
    shape.push_back(count);
    strides.push_back(count > 1 ? step * x.strides[axis] : x.strides[axis]);
    ++axis;
  }

  void keep(int dimensions) {
    for (; dimensions > 0; --dimensions, ++axis) {
      shape.push_back(x.shape[axis]);
      strides.push_back(x.strides[axis]);
    }
  }

  void insert() {
    shape.push_back(1);
    strides.push_back(1);
  }
};

bool is_integer_key(PyObject* key) {
  if (PyTensor_Check(key)) return tensor_of(key).rank() == 0 && is_integer(tensor_of(key).dtype);
  if (!PyIndex_Check(key) || PyBool_Check(key)) return false;
  if (PyLong_Check(key)) return true;
  // NumPy's arrays have __index__ too, but only those of one integer answer it.
  PyObject* index = PyNumber_Index(key);
  if (!index && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
  PyErr_Clear();
  Py_XDECREF(index);
  return index != nullptr;
}

}  // namespace

Tensor index(const Tensor& x, PyObject* key) {
  PyObject* const* keys = &key;
  Py_ssize_t n = 1;
  if (PyTuple_Check(key)) {
    keys = reinterpret_cast<PyTupleObject*>(key)->ob_item;
    n = PyTuple_GET_SIZE(key);
  }
  int consumed = 0, ellipses = 0, inserted = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (keys[i] == Py_Ellipsis) {
      ++ellipses;
    } else {
      ++(keys[i] == Py_None ? inserted : consumed);
    }
  }
  if (inserted > max_rank - x.rank())
    fail(Status::invalid_argument, "index: ", inserted, " new dimensions and the ", x.rank(), " of shape ", x.shape,
         " are more than the ", max_rank, " supported");
  if (ellipses > 1) fail(Status::invalid_argument, "index: more than one ellipsis");
  Selection selection{x};
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* k = keys[i];
    if (k == Py_Ellipsis) {
      selection.keep(x.rank() - consumed);
    } else if (k == Py_None) {
      selection.insert();
    } else if (PySlice_Check(k)) {
      selection.slice(k);
    } else if (is_integer_key(k)) {
      selection.take(k);
    } else {
      fail(Status::type_mismatch, "index: ", Py_TYPE(k)->tp_name, " is not an integer, slice, ellipsis or None");
    }
  }
  selection.keep(x.rank() - selection.axis);
  return make_view(x, std::move(selection.shape), std::move(selection.strides), selection.offset);
}

}  // namespace suanzi::python
