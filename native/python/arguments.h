// Reads Python arguments, such as numbers, shapes, axes, element types and operands.
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

// Registers NumPy's classes, which Python code passes to the core.
void register_numpy(PyObject* scalar, PyObject* array);
bool is_numpy_array(PyObject* object);
// Returns true for a NumPy array of a class that has its own protocols for NumPy's functions, such as an array with
// units. NumPy asks the array's class for the result of an operation.
bool has_own_protocols(PyObject* object);
// Returns true if an object holds elements of another library. The object is a NumPy array, or supports DLPack and is
// not an instance of one of Suanzi's classes.
bool is_foreign_array(PyObject* object);
// Returns true if an object is one of Python's own sequences. These sequences have no operators that accept tensors.
inline bool is_plain_sequence(PyObject* object) {
  return PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyRange_Check(object);
}
// Returns true for the names of the operators `==` and `!=`, which Python answers for any two objects.
constexpr bool equates(std::string_view name) { return name == "equal" || name == "not_equal"; }
// Returns the name of an object's class for messages. The name includes the class's module if the module belongs
// neither to Python nor to Suanzi.
std::string class_of(PyObject* object);

// Returns true if an object holds elements, but is neither a tensor of Suanzi nor a number of Python or NumPy. The
// function returns true for lists, tuples, ranges, buffers, arrays, tensors of other libraries, and numbers of other
// classes, such as Fraction.
bool holds_elements(PyObject* object);
// Fails with TYPE_MISMATCH if one of two compared objects holds elements, because Python would call the object unequal
// to every tensor. Callers must have handled NumPy arrays already.
void refuse_elements(const char* op, PyObject* a, PyObject* b);
// Returns true if `object` can be compared with a tensor. The function returns true for tensors of any kind, numbers
// and strings.
bool is_comparable(PyObject* object);

// Returns true if `object` is a number of Python or NumPy.
bool is_number(PyObject* object);
// Reads a number of Python or NumPy. Returns false for any other object.
bool read_scalar(PyObject* object, Scalar& scalar);
// Reads a number or a string. Returns false for any other object.
bool read_element(PyObject* object, Scalar& scalar);
// Reads a number. Fails with TYPE_MISMATCH if `object` is not a number.
Scalar require_scalar(const char* op, PyObject* object);
// Reads a number or a string. Fails with TYPE_MISMATCH for any other object.
Scalar require_element(const char* op, PyObject* object);
// Reads a number, or the element of a tensor of one element.
Scalar require_number(const char* op, const char* what, PyObject* object);
// Returns an integer, or an object with `__index__` except bool, as Python's int.
nanobind::object require_index(const char* op, const char* what, PyObject* object);
int64_t require_integer(const char* op, const char* what, PyObject* object);
// Reads the zero point of 8-bit codes. The zero point must be one of the codes.
int require_zero_point(const char* op, const char* what, PyObject* object, DType codes);
std::optional<int64_t> optional_integer(const char* op, const char* what, PyObject* object);
double require_real(const char* op, const char* what, PyObject* object);
// Reads a truth value of Python or NumPy. Fails with TYPE_MISMATCH for any other object.
bool require_truth(const char* op, const char* what, PyObject* object);
// Returns the position of a string among the strings that an option accepts. The accepted strings are ASCII, and "None"
// represents None.
int require_choice(const char* op, const char* what, PyObject* object, std::span<const std::string_view> words);
inline int require_choice(const char* op, const char* what, PyObject* object,
                          std::initializer_list<std::string_view> words) {
  return require_choice(op, what, object, std::span(words.begin(), words.size()));
}

// Returns true if an object is a single integer. Arrays and tensors without dimensions, which have no length, count as
// single integers.
bool is_single_integer(PyObject* object);
// Reads an integer or a sequence of at most max_rank integers.
Dims require_dims(const char* op, const char* what, PyObject* object);
// Returns true for a list or a tuple. Strings and arrays do not count as sequences.
inline bool is_sequence(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }
// Returns the sizes of nested lists and tuples. The first list of each level determines the level's size.
Dims nested_shape(const char* op, PyObject* data);

// Reads an integer or a sequence of sizes, like require_dims. Fails with INVALID_ARGUMENT for sizes below `least`.
Dims require_shape(const char* op, PyObject* object, int64_t least = 0);
// Returns a number in which bit k is set if the integer or sequence `axes` names axis k. None names all axes.
uint64_t require_axes(const char* op, PyObject* axes, int rank);
// Returns the element type that a user names. Returns the default type for None.
DType require_dtype(const char* op, PyObject* named);
// Returns the type of new tensors if the caller names no type. This type is float32 unless a user has set another real
// floating type.
DType default_dtype();
void set_default_dtype(DType t);
// Fails with OUT_OF_RANGE if the scalar is an integer that a floating or complex type would round. Callers make this
// check only for a type that the user has not named.
void require_exact(const char* op, const Scalar& scalar, DType t);
// Reads an optional element type. Returns no type for None.
std::optional<DType> optional_dtype(const char* op, PyObject* named);

// The type of require_description and require_description_like. The first argument is the operator's name. The three
// other arguments are an object that determines the shape (a shape or a tensor), a type and a layout. The type and the
// layout may be None. A device is not part of a description, because `dispatch` handles calls that name a device other
// than the CPU.
using Describe = Description (*)(const char*, PyObject*, PyObject*, PyObject*);
// Reads the description of a tensor from a shape, a type and a layout. The type None means default_dtype(), and the
// layout None means the default order.
Description require_description(const char* op, PyObject* shape, PyObject* dtype, PyObject* layout);
// Reads the description of a tensor that is like another tensor x. The type and the logical order of x replace a type
// or layout of None.
Description require_description_like(const char* op, PyObject* x, PyObject* dtype, PyObject* layout);
// Returns the logical order that a layout requests, or nothing for None and for the default order.
std::optional<Dims> optional_order(const char* op, PyObject* layout, int rank);
// Registers the Python functions that read the rare arguments dtype and layout.
void register_descriptions(PyObject* as_dtype, PyObject* dense_order);

// Reads a tensor, a Python number or a string. Returns false for any other object.
bool read_operand(PyObject* object, Operand& operand);
const Tensor& require_tensor(const char* op, PyObject* object);
// Reads a tensor. Returns nothing for None.
std::optional<Tensor> optional_tensor(const char* op, nanobind::handle object);
// Reads a tensor to which an operator will write.
const Tensor& require_out(const char* op, PyObject* object);
// Fails while a function is traced, because later calls of the traced function would not repeat changes of existing
// tensors. After the failure, the traced function runs without tracing.
void check_not_traced(const char* op);
// Reads a tensor, a number or a string, and returns a tensor. A number or string becomes a tensor without dimensions.
// The tensor of a number has the type that the number has as an operand beside a tensor of type `beside`.
Tensor require_operand(const char* op, PyObject* object, DType beside);
// Reads a number or a string, or the only element of a tensor without dimensions. The function does not copy the
// element's bytes.
Scalar require_value(const char* op, PyObject* object);

}  // namespace suanzi::python
