// Converts nested lists of numbers to tensors, and any tensor to nested lists, without a NumPy array in between.
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "ops/elementwise/fits.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

// The kinds of numbers that a list contains.
struct Kinds {
  bool booleans = false, integers = false, long_integers = false, reals = false, complexes = false, others = false;

  // Returns the type that NumPy would choose for the numbers. Returns nothing for complex numbers, for integers of more
  // than 64 bits, and for numbers whose class is not one of Python's own classes.
  std::optional<DType> common() const {
    if (others || complexes || long_integers) return std::nullopt;
    if (reals) return DType::float64;
    return integers ? DType::int64 : booleans ? DType::boolean : DType::float64;
  }
  // Returns the default type of the numbers. Booleans and complex numbers have their own default types.
  std::optional<DType> preferred() const {
    if (others) return std::nullopt;
    if (complexes) return complex_of(default_dtype());
    return booleans && !integers && !reals && !long_integers ? DType::boolean : default_dtype();
  }
};

// Records the kinds of the numbers in nested lists. Returns false if the lists are uneven or contain objects other than
// numbers.
bool survey(PyObject* data, const Dims& shape, int axis, Kinds& kinds) {
  if (axis < shape.size()) {
    if (!is_sequence(data) || PySequence_Fast_GET_SIZE(data) != shape[axis]) return false;
    for (int64_t i = 0; i < shape[axis]; ++i)
      if (!survey(PySequence_Fast_GET_ITEM(data, i), shape, axis + 1, kinds)) return false;
    return true;
  }
  if (PyFloat_CheckExact(data)) return kinds.reals = true;
  if (PyBool_Check(data)) return kinds.booleans = true;
  if (PyComplex_CheckExact(data)) return kinds.complexes = true;
  if (!PyLong_CheckExact(data)) return kinds.others = is_number(data);
  int overflow = 0;
  (void)PyLong_AsLongLongAndOverflow(data, &overflow);
  (overflow ? kinds.long_integers : kinds.integers) = true;
  return true;
}

// The operator that reads the numbers, and the type of their elements.
struct Reader {
  const char* op;
  DType dtype;
  Overflow overflow;
  // If `exact` is true, the reader refuses integers that the type would round.
  bool exact = false;
};

// Reads a number as an element if the fast code can read the number. Otherwise, the function returns false, and the
// caller uses the general conversion.
template <class T>
bool read(PyObject* number, T& element, bool exact) {
  if constexpr (std::is_same_v<T, bool>) {
    element = number == Py_True;
    return PyBool_Check(number);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (PyFloat_CheckExact(number)) {
      const double value = PyFloat_AS_DOUBLE(number);
      element = static_cast<T>(value);
      return !std::isinf(element) || std::isinf(value);
    }
    if (!PyLong_CheckExact(number)) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    element = static_cast<T>(value);
    return overflow == 0 && (!exact || is_exact(Scalar::of(static_cast<int64_t>(value)), dtype_of<T>));
  } else if constexpr (std::is_integral_v<T>) {
    if (!PyLong_CheckExact(number)) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    element = static_cast<T>(value);
    return overflow == 0 && std::in_range<T>(value);
  } else {
    return false;
  }
}

// Writes the numbers of nested lists to the elements at `next`, and advances `next`. Reading a number may run the
// number's own code, which may change the lists.
template <class T>
void fill(const Reader& reader, PyObject* data, const Dims& shape, int axis, T*& next) {
  if (axis == shape.size()) {
    if (!read(data, *next, reader.exact)) {
      const nb::object number = nb::borrow(data);
      const Scalar scalar = require_scalar(reader.op, number.ptr());
      if (reader.exact) require_exact(reader.op, scalar, reader.dtype);
      ElementBuffer element;
      store_scalar(reader.op, scalar, reader.dtype, element, reader.overflow);
      std::memcpy(next, element.bytes, sizeof(T));
    }
    ++next;
    return;
  }
  const nb::object list = nb::borrow(data);
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (!is_sequence(data) || PySequence_Fast_GET_SIZE(data) != shape[axis])
      fail(Status::dimensions_mismatch, reader.op, ": the sequences in data differ in length or depth");
    fill(reader, PySequence_Fast_GET_ITEM(data, i), shape, axis + 1, next);
  }
}

template <int... types>
void fill(const Reader& reader, PyObject* data, const Tensor& target, std::integer_sequence<int, types...>) {
  const auto as = [&]<DType t>() {
    if (target.dtype != t) return;
    auto* next = target.as<storage_t<t>>();
    fill(reader, data, target.shape, 0, next);
  };
  (as.template operator()<static_cast<DType>(types)>(), ...);
}

nb::object filled(const Reader& reader, nb::handle data, const Dims& shape) {
  Tensor result = make_empty(reader.op, shape, reader.dtype);
  if (result.size > 0) fill(reader, data.ptr(), result, std::make_integer_sequence<int, dtype_count>{});
  return wrapped(std::move(result));
}

// Returns a tensor of the numbers in nested lists, in the type that NumPy would choose. Returns None if the lists are
// uneven, or if they hold objects for which Kinds::common returns no type.
nb::object numbers(const char* op, nb::handle data) {
  const Dims shape = nested_shape(op, data.ptr());
  Kinds kinds;
  if (!survey(data.ptr(), shape, 0, kinds) || !kinds.common()) return nb::none();
  return filled({op, *kinds.common(), Overflow::refused}, data, shape);
}

// Returns a tensor of the numbers in the type `dtype`. The function converts each number separately. A number beyond
// the type's range becomes infinity if `may_overflow` is true, and is an error otherwise. If `dtype` is None, the
// function uses the default type, which must hold integers exactly, and accepts only Python's own numbers. Returns None
// if the lists are uneven or hold other objects, or if `dtype` is string.
nb::object numbers_as(const char* op, nb::handle data, nb::handle dtype, bool may_overflow) {
  const std::optional<DType> wanted = optional_dtype(op, dtype.ptr());
  if (wanted == DType::string) return nb::none();
  const Dims shape = nested_shape(op, data.ptr());
  Kinds kinds;
  if (!survey(data.ptr(), shape, 0, kinds)) return nb::none();
  const std::optional<DType> found = wanted ? wanted : kinds.preferred();
  if (!found) return nb::none();
  return filled({op, *found, may_overflow ? Overflow::infinite : Overflow::refused, !wanted}, data, shape);
}

// Copies the tensors in nested lists of a shape to consecutive memory, which begins at `next`. Returns false if the
// lists are uneven, or if a tensor differs in type or shape from `like`, a view of the memory for the first tensor.
bool stack(const char* op, PyObject* data, const Dims& shape, int axis, const Tensor& like, std::byte*& next) {
  if (axis < shape.size()) {
    if (!is_sequence(data) || PySequence_Fast_GET_SIZE(data) != shape[axis]) return false;
    for (int64_t i = 0; i < shape[axis]; ++i)
      if (!stack(op, PySequence_Fast_GET_ITEM(data, i), shape, axis + 1, like, next)) return false;
    return true;
  }
  if (!PyTensor_Check(data)) return false;
  const Tensor& x = tensor_of(data);
  check_alive(op, x);
  if (x.dtype != like.dtype || x.shape != like.shape) return false;
  if (x.contiguous) {
    std::memcpy(next, x.data, static_cast<size_t>(x.nbytes()));
  } else {
    copy_into(op, make_view(like, x.shape, like.strides, (next - like.data) / size_of(x.dtype)), x);
  }
  next += x.nbytes();
  return true;
}

// Returns nested lists of tensors of one type and shape as one tensor. Returns None for all other data, for tensors of
// strings, for lists without elements, and for a result of more than max_rank dimensions.
nb::object stacked(const char* op, nb::handle data) {
  Dims shape = nested_shape(op, data.ptr());
  PyObject* first = data.ptr();
  for (const int64_t n : shape) {
    if (n == 0) return nb::none();
    first = PySequence_Fast_GET_ITEM(first, 0);
  }
  if (!PyTensor_Check(first)) return nb::none();
  const Tensor& leaf = tensor_of(first);
  check_alive(op, leaf);
  if (leaf.dtype == DType::string || shape.size() + leaf.rank() > max_rank) return nb::none();
  const Dims lists = shape;
  for (const int64_t n : leaf.shape) shape.push_back(n);
  Tensor result = make_empty(op, shape, leaf.dtype);
  // `like` is a view of the memory to which the first tensor is copied.
  Dims strides;
  for (int axis = lists.size(); axis < shape.size(); ++axis) strides.push_back(result.strides[axis]);
  const Tensor like = make_view(result, leaf.shape, strides);
  std::byte* next = result.data;
  if (!stack(op, data.ptr(), lists, 0, like, next)) return nb::none();
  return wrapped(std::move(result));
}

// Returns the elements at `next` as nested lists, with one level for each axis of `dense` from `axis` to the last axis.
// If `axis` is the rank of `dense`, the function returns a single element.
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
  define(m, "tolist", "(x: Tensor, /) -> Any", [](nb::handle x) {
    const Tensor dense = to_contiguous("tolist", require_tensor("tolist", x.ptr()));
    const std::byte* next = dense.data;
    try {
      return nested_lists(dense, 0, next);
    } catch (const PythonErrorSet&) {
      if (!PyErr_ExceptionMatches(PyExc_MemoryError)) throw;
      PyErr_Clear();
      fail(Status::alloc_failed, "tolist: no memory for the lists of shape ", dense.shape);
    }
  });
  define(m, "numbers", "(operator: str, data: object, /) -> Tensor | None",
         [](const char* op, nb::handle data) { return numbers(op, data); });
  define(m, "numbers_as", "(operator: str, data: object, dtype: DType | None, may_overflow: bool, /) -> Tensor | None",
         [](const char* op, nb::handle data, nb::handle dtype, nb::handle may_overflow) {
           return numbers_as(op, data, dtype, require_truth(op, "may_overflow", may_overflow.ptr()));
         });
  define(m, "stacked", "(operator: str, data: object, /) -> Tensor | None",
         [](const char* op, nb::handle data) { return stacked(op, data); });
  define(m, "check_fits", "(operator: str, values: Tensor, dtype: DType, /) -> None",
         [](const char* op, nb::handle values, nb::handle dtype) {
           const DType t = require_dtype(op, dtype.ptr());
           const Tensor x = require_tensor(op, values.ptr());
           unlocked_if_long(unlocked_work(x), [&] { check_fits(op, x, t); });
         });
}

}  // namespace suanzi::python
