// Reading Python arguments: numbers, shapes, axes, element types, operands.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "ops/arrange/filled.h"
#include "ops/elementwise/elementwise.h"
#include "python/errors.h"
#include "python/tensor_object.h"
#include "tensor/axes.h"

namespace suanzi::python {

// NumPy's classes, from Python.
void register_numpy(PyObject* scalar, PyObject* array);
bool is_numpy_array(PyObject* object);
// True if an object holds elements of another library: a NumPy array, or an object that speaks DLPack and is none of
// ours.
bool is_foreign_array(PyObject* object);
// True if an object is one of Python's own sequences, none of which has an operator that takes tensors.
inline bool is_plain_sequence(PyObject* object) {
  return PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyRange_Check(object);
}
// The name of an object's class in messages: with its module, where that is neither Python's nor ours.
std::string class_of(PyObject* object);

// True if an object that is neither tensor nor number holds elements all the same: a list, a tuple, a range, a buffer,
// an array, a number of another class, a tensor of another library.
bool holds_elements(PyObject* object);
// TYPE_MISMATCH where one of two objects that Python compares holds elements, and is no array of NumPy, which callers
// see to. Python would call it unequal to every tensor, whatever it holds.
void refuse_elements(const char* op, PyObject* a, PyObject* b);
// True if `object` can be compared with a tensor: a tensor of any kind, a number or a string.
bool is_comparable(PyObject* object);

// True if `object` is a number, Python's or NumPy's.
bool is_number(PyObject* object);
// False where it is not.
bool read_scalar(PyObject* object, Scalar& scalar);
// False where it is neither a number nor a string.
bool read_element(PyObject* object, Scalar& scalar);
// TYPE_MISMATCH where `object` is not a number; OUT_OF_RANGE for an integer past 64 bits.
Scalar require_scalar(const char* op, PyObject* object);
// TYPE_MISMATCH where it is neither a number nor a string.
Scalar require_element(const char* op, PyObject* object);
// Reads a scalar; a tensor of one element counts as the number that it holds.
Scalar require_number(const char* op, const char* what, PyObject* object);
// An integer, or an object with `__index__` except bool, as Python's int.
nanobind::object require_index(const char* op, const char* what, PyObject* object);
int64_t require_integer(const char* op, const char* what, PyObject* object);
// The zero point of 8-bit codes: one of them.
int require_zero_point(const char* op, const char* what, PyObject* object, DType codes);
std::optional<int64_t> optional_integer(const char* op, const char* what, PyObject* object);
double require_real(const char* op, const char* what, PyObject* object);
// Reads an option that is on or off: True and False, Python's or NumPy's; TYPE_MISMATCH for anything else.
bool require_truth(const char* op, const char* what, PyObject* object);
// The place of the word that an option has among those that it may have, which are ASCII; "None" stands for None.
int require_choice(const char* op, const char* what, PyObject* object, std::span<const std::string_view> words);
inline int require_choice(const char* op, const char* what, PyObject* object,
                          std::initializer_list<std::string_view> words) {
  return require_choice(op, what, object, std::span(words.begin(), words.size()));
}

// An integer or a sequence of integers, at most max_rank of them.
Dims require_dims(const char* op, const char* what, PyObject* object);
// A list or a tuple; strings and arrays are none here.
inline bool is_sequence(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }
// The sizes of nested lists and tuples, by their first elements.
Dims nested_shape(const char* op, PyObject* data);

// Sizes of at least `least`, as require_dims reads them; INVALID_ARGUMENT for others.
Dims require_shape(const char* op, PyObject* object, int64_t least = 0);
// A bit for each axis that an integer or a sequence names; None names all.
uint64_t require_axes(const char* op, PyObject* axes, int rank);
// The type that a user names; the default one for None.
DType require_dtype(const char* op, PyObject* named);
// The type that tensors are made in where none is named, float32 unless a user has set another real floating one.
DType default_dtype();
void set_default_dtype(DType t);
// OUT_OF_RANGE where the scalar is an integer that a floating or complex type rounds: for types that no caller named.
void require_exact(const char* op, const Scalar& scalar, DType t);
// Reads an element type that may be left open: none for None.
std::optional<DType> optional_dtype(const char* op, PyObject* named);

// The two functions take these after `op`: an object with a shape, and then a type and a layout, which may be None. A
// device is no part of it: calls that name another than the CPU end in `dispatch`.
using Describe = Description (*)(const char*, PyObject*, PyObject*, PyObject*);
// Describes a tensor by a shape; None means the standard's default.
Description require_description(const char* op, PyObject* shape, PyObject* dtype, PyObject* layout);
// Describes a tensor like another one, whose type and logical order stand in for those that are None.
Description require_description_like(const char* op, PyObject* x, PyObject* dtype, PyObject* layout);
// The logical order that a layout asks of a tensor; none for None, or for the default one.
std::optional<Dims> optional_order(const char* op, PyObject* layout, int rank);
// The functions for Python that read seldom given arguments: dtype and layout.
void register_descriptions(PyObject* as_dtype, PyObject* dense_order);

// A tensor, a Python number or a string; false for anything else.
bool read_operand(PyObject* object, Operand& operand);
const Tensor& require_tensor(const char* op, PyObject* object);
// Returns a tensor that is to be written into.
const Tensor& require_out(const char* op, PyObject* object);
// Throws while a function is traced, which then runs as it is: later calls would not repeat what it does to tensors
// that are there.
void check_not_traced(const char* op);
// A tensor, or a number or string as one without dimensions, of the type that it takes beside tensors of type `beside`.
Tensor require_operand(const char* op, PyObject* object, DType beside);
// A number or a string, or the only element of a tensor without dimensions, whose bytes stay where they are.
Scalar require_value(const char* op, PyObject* object);

}  // namespace suanzi::python
