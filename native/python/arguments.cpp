#include "python/arguments.h"

#include <bit>
#include <cmath>

#include "python/dispatch.h"
#include "runtime/tracing.h"
#include "walk/copy.h"

namespace suanzi::python {
namespace {

// Rounds an integer to the neighbouring double with an odd last bit. An integer that a double represents exactly stays
// unchanged. A second rounding, to fewer bits, is then as correct as a single rounding (walk/convert.kernels.cpp).
double rounded_to_odd(PyObject* integer, double nearest) {
  if (std::isinf(nearest) || std::bit_cast<uint64_t>(nearest) & 1) return nearest;
  const nanobind::object known = nanobind::steal(PyLong_FromDouble(nearest));
  if (!known.is_valid()) throw PythonErrorSet{};
  // The code compares the values as integers, because a subclass may define another comparison.
  const auto is = [&](int order) {
    return nanobind::steal(PyLong_Type.tp_richcompare(integer, known.ptr(), order)).ptr() == Py_True;
  };
  return is(Py_LT) ? std::nextafter(nearest, -HUGE_VAL) : is(Py_GT) ? std::nextafter(nearest, HUGE_VAL) : nearest;
}

Scalar scalar_from_long(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) return Scalar::of(static_cast<int64_t>(value));
  Scalar s{Scalar::Kind::integer, overflow < 0, false, 0, {0.0}};
  s.value = PyLong_AsDouble(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    s.value = overflow < 0 ? -HUGE_VAL : HUGE_VAL;
  }
  const nanobind::object negated =
      nanobind::steal(overflow < 0 ? PyLong_Type.tp_as_number->nb_negative(object) : nullptr);
  if (overflow < 0 && !negated.is_valid()) throw PythonErrorSet{};
  s.magnitude = PyLong_AsUnsignedLongLong(overflow < 0 ? negated.ptr() : object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    s.huge = true;
    s.magnitude = std::bit_cast<uint64_t>(rounded_to_odd(object, s.value.real()));
    s.last_bits = PyLong_AsUnsignedLongLongMask(overflow < 0 ? negated.ptr() : object);
  }
  return s;
}

int64_t fitting_integer(const char* op, const char* what, PyObject* number) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) fail(Status::out_of_range, op, ": ", what, " does not fit 64 bits");
  return value;
}

PyTypeObject* numpy_scalar = nullptr;
PyTypeObject* numpy_array = nullptr;

// Reads a number of one of Python's own classes. Returns false for any other object.
bool read_python_scalar(PyObject* object, Scalar& scalar) {
  if (PyBool_Check(object)) {
    scalar = Scalar::of(object == Py_True);
  } else if (PyFloat_Check(object)) {
    scalar = Scalar::of(PyFloat_AS_DOUBLE(object));
  } else if (PyLong_Check(object)) {
    scalar = scalar_from_long(object);
  } else if (PyComplex_Check(object)) {
    const Py_complex z = PyComplex_AsCComplex(object);
    scalar = Scalar::of(std::complex<double>(z.real, z.imag));
  } else {
    return false;
  }
  return true;
}

}  // namespace

void register_numpy(PyObject* scalar, PyObject* array) {
  numpy_scalar = reinterpret_cast<PyTypeObject*>(Py_NewRef(scalar));
  numpy_array = reinterpret_cast<PyTypeObject*>(Py_NewRef(array));
}

bool is_numpy_array(PyObject* object) { return numpy_array && PyObject_TypeCheck(object, numpy_array); }

bool has_own_protocols(PyObject* object) {
  if (!is_numpy_array(object) || Py_TYPE(object) == numpy_array) return false;
  for (const char* const name : {"__array_ufunc__", "__array_function__"}) {
    const auto of = [name](PyTypeObject* type) {
      return nanobind::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
    };
    const nanobind::object own = of(Py_TYPE(object)), numpys = of(numpy_array);
    if (!own.is_valid() || !numpys.is_valid()) throw PythonErrorSet{};
    if (own.ptr() != numpys.ptr()) return true;
  }
  return false;
}

bool is_foreign_array(PyObject* object) {
  return is_numpy_array(object) || (!PyTensor_Check(object) && !kind_of(object) &&
                                    PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dlpack__"));
}

std::string class_of(PyObject* object) {
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  const auto text = [type](const char* attribute) -> std::string {
    const nanobind::object found = nanobind::steal(PyObject_GetAttrString(type, attribute));
    const char* const characters =
        found.is_valid() && PyUnicode_Check(found.ptr()) ? PyUnicode_AsUTF8(found.ptr()) : nullptr;
    PyErr_Clear();
    return characters ? characters : "";
  };
  const std::string module = text("__module__"), name = text("__qualname__");
  if (name.empty()) return Py_TYPE(object)->tp_name;
  const bool is_known =
      module.empty() || module == "builtins" || module == "__main__" || module.substr(0, module.find('.')) == "suanzi";
  return is_known ? name : module + "." + name;
}

namespace {

// Returns true for a number of a class that is not Python's own, such as Fraction and Decimal.
bool is_other_number(PyObject* object) {
  const nanobind::object numbers = nanobind::steal(PyImport_ImportModule("numbers"));
  if (!numbers.is_valid()) throw PythonErrorSet{};
  const int is_one = PyObject_IsInstance(object, nanobind::object(numbers.attr("Number")).ptr());
  if (is_one < 0) throw PythonErrorSet{};
  return is_one == 1;
}

}  // namespace

bool is_comparable(PyObject* object) {
  return PyTensor_Check(object) || kind_of(object) || is_number(object) || PyUnicode_Check(object);
}

[[gnu::cold]] bool holds_elements(PyObject* object) {
  if (object == Py_None || is_comparable(object)) return false;
  return is_sequence(object) || PyRange_Check(object) || PyObject_CheckBuffer(object) || is_foreign_array(object) ||
         is_other_number(object);
}

[[gnu::cold]] void refuse_elements(const char* op, PyObject* a, PyObject* b) {
  for (PyObject* const object : {a, b}) {
    if (is_numpy_array(object) || !holds_elements(object)) continue;
    fail(Status::type_mismatch, op, ": ", class_of(object), " is neither a tensor nor a number",
         hint("operand", object));
  }
}

namespace {

bool is_numpy_scalar(PyObject* object) { return numpy_scalar && PyObject_TypeCheck(object, numpy_scalar); }

// Returns true for a scalar of NumPy that may be a number. NumPy's dates and durations are not numbers, although their
// method `item` returns an integer for some units.
bool is_numpy_number(PyObject* object) {
  if (!is_numpy_scalar(object)) return false;
  const std::string_view name = Py_TYPE(object)->tp_name;
  return name != "numpy.timedelta64" && name != "numpy.datetime64";
}

}  // namespace

bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) || is_numpy_number(object);
}

bool read_scalar(PyObject* object, Scalar& scalar) {
  if (read_python_scalar(object, scalar)) return true;
  if (!is_numpy_number(object)) return false;
  // NumPy's scalars count as plain numbers. The type of a NumPy scalar does not widen a tensor's type.
  const nanobind::object number = nanobind::steal(PyObject_CallMethod(object, "item", nullptr));
  if (!number.is_valid()) throw PythonErrorSet{};
  return read_python_scalar(number.ptr(), scalar);
}

bool read_element(PyObject* object, Scalar& scalar) {
  if (!PyUnicode_Check(object)) return read_scalar(object, scalar);
  Text text{};
  Py_ssize_t length = 0;
  text.data = PyUnicode_AsUTF8AndSize(object, &length);
  text.length = length;
  scalar = Scalar::of(text);
  if (text.data) return true;
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw PythonErrorSet{};
  PyErr_Clear();
  scalar.huge = true;
  return true;
}

Scalar require_scalar(const char* op, PyObject* object) {
  Scalar scalar;
  if (!read_scalar(object, scalar)) fail(Status::type_mismatch, op, ": ", Py_TYPE(object)->tp_name, " is not a number");
  return scalar;
}

Scalar require_element(const char* op, PyObject* object) {
  Scalar scalar;
  if (!read_element(object, scalar))
    fail(Status::type_mismatch, op, ": ", Py_TYPE(object)->tp_name, " is neither a number nor a string");
  return scalar;
}

nanobind::object require_index(const char* op, const char* what, PyObject* object) {
  if (PyBool_Check(object) || !PyIndex_Check(object))
    fail(Status::type_mismatch, op, ": ", what, " must be an integer, not ", Py_TYPE(object)->tp_name);
  // The function itself refuses tensors that are not single integers, because Python's conversion of a tensor to an
  // integer would fail without the operator's name.
  if (PyTensor_Check(object)) {
    const Tensor& x = tensor_of(object);
    check_alive(op, x);
    if (!is_integer(x.dtype) || x.rank() != 0)
      fail(Status::type_mismatch, op, ": ", what, " must be an integer, not a ", name(x.dtype), " tensor of shape ",
           x.shape);
  }
  nanobind::object index = nanobind::steal(PyNumber_Index(object));
  if (!index.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonErrorSet{};
    PyErr_Clear();
    fail(Status::type_mismatch, op, ": ", what, " must be an integer, not ", Py_TYPE(object)->tp_name);
  }
  return index;
}

int64_t require_integer(const char* op, const char* what, PyObject* object) {
  if (PyLong_CheckExact(object)) return fitting_integer(op, what, object);
  return fitting_integer(op, what, require_index(op, what, object).ptr());
}

int require_zero_point(const char* op, const char* what, PyObject* object, DType codes) {
  if (codes != DType::int8 && codes != DType::uint8)
    fail(Status::type_mismatch, op, ": elements are ", name(codes), ", not of 8 bits");
  const int64_t value = require_integer(op, what, object), least = codes == DType::int8 ? -128 : 0;
  if (value < least || value > least + 255)
    fail(Status::out_of_range, op, ": ", what, " ", value, " is not a value of ", name(codes));
  return static_cast<int>(value);
}

std::optional<int64_t> optional_integer(const char* op, const char* what, PyObject* object) {
  return object == Py_None ? std::nullopt : std::optional(require_integer(op, what, object));
}

Scalar require_number(const char* op, const char* what, PyObject* object) {
  if (!PyTensor_Check(object)) {
    Scalar scalar;
    if (read_scalar(object, scalar)) return scalar;
    fail(Status::type_mismatch, op, ": ", what, " ", shown(object), " is not a number");
  }
  const Tensor& x = require_tensor(op, object);
  if (x.size != 1) fail(Status::invalid_argument, op, ": ", what, " of shape ", x.shape, " is not one element");
  const nanobind::object number = nanobind::steal(item(op, x));
  if (!number.is_valid()) throw PythonErrorSet{};
  return require_scalar(op, number.ptr());
}

double require_real(const char* op, const char* what, PyObject* object) {
  const Scalar scalar = require_scalar(op, object);
  if (scalar.kind == Scalar::Kind::complex) fail(Status::type_mismatch, op, ": ", what, " must be real");
  return scalar.value.real();
}

bool require_truth(const char* op, const char* what, PyObject* object) {
  if (PyBool_Check(object)) return object == Py_True;
  Scalar scalar;
  if (!read_scalar(object, scalar) || scalar.kind != Scalar::Kind::boolean)
    fail(Status::type_mismatch, op, ": ", what, " must be True or False, not ", shown(object));
  return scalar.magnitude != 0;
}

int require_choice(const char* op, const char* what, PyObject* object, std::span<const std::string_view> words) {
  std::string all;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool stands_for_none = words[i] == "None";
    if (object == Py_None ? stands_for_none
                          : !stands_for_none && PyUnicode_Check(object) &&
                                PyUnicode_CompareWithASCIIString(object, words[i].data()) == 0)
      return static_cast<int>(i);
  }
  for (const std::string_view word : words) all.append(all.empty() ? "" : ", ").append(word);
  fail(Status::invalid_argument, op, ": ", what, " ", shown(object), " is not one of ", all);
}

bool is_single_integer(PyObject* object) {
  if (PyLong_CheckExact(object)) return true;
  if (!PyIndex_Check(object)) return false;
  if (PyTensor_Check(object)) return tensor_of(object).rank() == 0;
  const PySequenceMethods* const sequence = Py_TYPE(object)->tp_as_sequence;
  // PySequence_Size would raise an exception for a type without a length.
  if (!sequence || !sequence->sq_length) return true;
  const bool has_length = PySequence_Size(object) >= 0;
  PyErr_Clear();
  return !has_length;
}

namespace {

// Returns read(item) for each item of a sequence, or for a single integer.
template <class Read>
Dims read_dims(const char* op, const char* what, PyObject* object, Read read) {
  Dims dims;
  if (PyTensor_Check(object)) check_alive(op, tensor_of(object));
  if (is_single_integer(object)) {
    dims.push_back(read(object));
    return dims;
  }
  const bool tuple = PyTuple_CheckExact(object);
  const bool sequence = tuple || (PySequence_Check(object) && !PyUnicode_Check(object) && !is_numpy_scalar(object));
  const Py_ssize_t n = tuple ? PyTuple_GET_SIZE(object) : sequence ? PySequence_Size(object) : -1;
  if (n < 0) {
    if (sequence && !PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
      throw PythonErrorSet{};
    // A TypeError means that the object has items, but no length, and a ValueError that the length is negative.
    PyErr_Clear();
    fail(Status::type_mismatch, op, ": ", what, " must be integers, not ", Py_TYPE(object)->tp_name);
  }
  if (n > max_rank)
    fail(Status::invalid_argument, op, ": ", n, " dimensions are more than the ", max_rank, " supported");
  for (Py_ssize_t i = 0; i < n; ++i) {
    const nanobind::object item =
        tuple ? nanobind::borrow(PyTuple_GET_ITEM(object, i)) : nanobind::steal(PySequence_GetItem(object, i));
    if (!item.is_valid()) {
      if (!PyList_Check(object) || !PyErr_ExceptionMatches(PyExc_IndexError)) throw PythonErrorSet{};
      PyErr_Clear();
      fail(Status::invalid_argument, op, ": ", what, " changed while it was read");
    }
    dims.push_back(read(item.ptr()));
  }
  return dims;
}

}  // namespace

Dims require_dims(const char* op, const char* what, PyObject* object) {
  return read_dims(op, what, object, [&](PyObject* item) { return require_integer(op, what, item); });
}

Dims require_shape(const char* op, PyObject* object, int64_t least) {
  return read_dims(op, "shape", object, [&](PyObject* item) {
    int overflow = 0;
    const int64_t size =
        PyLong_CheckExact(item) ? PyLong_AsLongLongAndOverflow(item, &overflow) : require_integer(op, "shape", item);
    if (overflow != 0 || size < least)
      fail(Status::invalid_argument, op, ": shape ", shown(object), " has a size outside [", least, ", 2**63)");
    return size;
  });
}

Dims nested_shape(const char* op, PyObject* data) {
  Dims shape;
  while (is_sequence(data)) {
    if (shape.size() == max_rank)
      fail(Status::invalid_argument, op, ": data is nested deeper than the ", max_rank, " dimensions supported");
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(data);
    shape.push_back(n);
    if (n == 0) break;
    data = PySequence_Fast_GET_ITEM(data, 0);
  }
  return shape;
}

uint64_t require_axes(const char* op, PyObject* axes, int rank) {
  if (axes == Py_None) return all_axes(rank);
  return axis_bits(op, require_dims(op, "axis", axes), rank);
}

namespace {

PyObject *as_dtype_function = nullptr, *dense_order_function = nullptr;
DType type_by_default = DType::float32;

std::optional<DType> registered(PyObject* dtype) {
  for (int i = 0; i < dtype_count; ++i)
    if (dtype_object(static_cast<DType>(i)) == dtype) return static_cast<DType>(i);
  return std::nullopt;
}

template <class... Arguments>
nanobind::object call(PyObject* function, Arguments... arguments) {
  nanobind::object result = nanobind::steal(
      PyObject_CallFunctionObjArgs(function, nanobind::object(arguments).ptr()..., static_cast<PyObject*>(nullptr)));
  if (!result.is_valid()) throw PythonErrorSet{};
  return result;
}

}  // namespace

DType default_dtype() { return type_by_default; }

void set_default_dtype(DType t) { type_by_default = t; }

void require_exact(const char* op, const Scalar& scalar, DType t) {
  if (is_exact(scalar, t)) return;
  const std::string number = text_of(scalar);
  const nanobind::object about = nanobind::steal(Py_BuildValue("(sss)", op, number.c_str(), name(t).data()));
  if (!about.is_valid()) throw PythonErrorSet{};
  fail(Status::out_of_range, op, ": ", number, " is not exact in ", name(t), hint("rounded", about.ptr()));
}

DType require_dtype(const char* op, PyObject* named) {
  if (named == Py_None) return default_dtype();
  if (const auto known = registered(named)) return *known;
  if (PyUnicode_Check(named)) {
    for (int i = 0; i < dtype_count; ++i)
      if (PyUnicode_CompareWithASCIIString(named, name(static_cast<DType>(i)).data()) == 0)
        return static_cast<DType>(i);
  }
  return registered(call(as_dtype_function, nanobind::borrow(named), nanobind::str(op)).ptr()).value();
}

std::optional<DType> optional_dtype(const char* op, PyObject* named) {
  return named == Py_None ? std::nullopt : std::optional(require_dtype(op, named));
}

std::optional<Dims> optional_order(const char* op, PyObject* layout, int rank) {
  if (layout == Py_None) return std::nullopt;
  const nanobind::object order =
      call(dense_order_function, nanobind::borrow(layout), nanobind::int_(rank), nanobind::str(op));
  return order.is_none() ? std::nullopt : std::optional(require_dims(op, "order", order.ptr()));
}

Description require_description(const char* op, PyObject* shape, PyObject* dtype, PyObject* layout) {
  Description described{require_shape(op, shape), require_dtype(op, dtype), std::nullopt};
  described.order = optional_order(op, layout, described.shape.size());
  return described;
}

Description require_description_like(const char* op, PyObject* x, PyObject* dtype, PyObject* layout) {
  const Tensor like = require_tensor(op, x);
  Description described{like.shape, optional_dtype(op, dtype).value_or(like.dtype), std::nullopt};
  if (layout != Py_None) {
    described.order = optional_order(op, layout, like.rank());
  } else if (!like.contiguous || like.order) {
    described.order = logical_order(like);
  }
  return described;
}

void register_descriptions(PyObject* as_dtype, PyObject* dense_order) {
  Py_XSETREF(as_dtype_function, Py_NewRef(as_dtype));
  Py_XSETREF(dense_order_function, Py_NewRef(dense_order));
}

bool read_operand(PyObject* object, Operand& operand) {
  if (PyTensor_Check(object)) {
    operand.tensor = &tensor_of(object);
    settle_if_strings(*operand.tensor);
    return true;
  }
  return read_element(object, operand.scalar);
}

const Tensor& require_tensor(const char* op, PyObject* object) {
  if (!PyTensor_Check(object))
    fail(Status::type_mismatch, op, ": ", class_of(object), " is not a tensor", hint("operand", object));
  const Tensor& x = tensor_of(object);
  check_alive(op, x);
  settle_if_strings(x);
  return x;
}
std::optional<Tensor> optional_tensor(const char* op, nanobind::handle object) {
  return object.is_none() ? std::nullopt : std::optional(require_tensor(op, object.ptr()));
}

const Tensor& require_out(const char* op, PyObject* object) {
  check_not_traced(op);
  return require_tensor(op, object);
}

void check_not_traced(const char* op) {
  if (refuses_writes()) fail(Status::invalid_argument, op, ": a traced function must not write into a tensor");
}

Tensor require_operand(const char* op, PyObject* object, DType beside) {
  Operand operand;
  if (!read_operand(object, operand))
    fail(Status::type_mismatch, op, ": ", class_of(object), " is neither a tensor nor a number",
         hint("operand", object));
  if (operand.tensor) return require_tensor(op, object);
  if ((operand.scalar.kind == Scalar::Kind::string) != (beside == DType::string))
    fail(Status::type_mismatch, op, ": a string and a number have no common type");
  const Tensor one = make_empty(op, {}, promote_scalar(beside, operand.scalar));
  fill(op, one, operand.scalar);
  return one;
}

Scalar require_value(const char* op, PyObject* object) {
  if (!PyTensor_Check(object)) return require_element(op, object);
  const Tensor& x = require_tensor(op, object);
  if (x.rank() != 0) fail(Status::dimensions_mismatch, op, ": value of shape ", x.shape, " is not one element");
  if (x.dtype == DType::string) return Scalar::of(*x.as<Text>());
  const nanobind::object number = nanobind::steal(item(op, x));
  if (!number.is_valid()) throw PythonErrorSet{};
  return require_scalar(op, number.ptr());
}

}  // namespace suanzi::python
