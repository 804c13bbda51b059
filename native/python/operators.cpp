#include "python/operators.h"

#include <algorithm>
#include <array>

#include "ops/elementwise/compositions.h"
#include "ops/elementwise/recording.h"
#include "ops/reduce/reduce.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "python/dispatch.h"
#include "python/interpreter.h"
#include "runtime/costs.h"
#include "runtime/tile_shape.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

PyObject* name_objects[operation_count];

template <Operation op>
PyObject* name_of() {
  return name_objects[static_cast<int>(op)];
}

// Runs an operation without the interpreter lock. `name` is the name in messages, and null means the operation's own
// name.
//
// Before the function releases the lock, the function copies the operands to keep their storage alive, because another
// thread may destroy or rebind the Python objects meanwhile.
Tensor apply_unlocked(const char* name, Operation op, std::span<Operand> operands, const Tensor* out,
                      const KernelParams& params) {
  Tensor kept[3];
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].tensor) continue;
    kept[i] = *operands[i].tensor;
    operands[i].tensor = &kept[i];
  }
  Tensor target;
  if (out) target = *out;
  const Unlocked unlocked;
  return elementwise(op, operands, out ? &target : nullptr, params, name);
}

// Operations on strings keep the lock (tensor/text.h).
bool has_strings(std::span<const Operand> operands) {
  return std::ranges::any_of(operands, [](const Operand& o) {
    return o.tensor ? o.tensor->dtype == DType::string : o.scalar.kind == Scalar::Kind::string;
  });
}

[[gnu::cold]] void check_tile(const char* name, const Dims& tile, std::span<const Operand> operands) {
  int rank = 0, widest = 1;
  for (const Operand& operand : operands)
    if (operand.tensor) {
      rank = std::max(rank, operand.tensor->rank());
      widest = std::max(widest, size_of(operand.tensor->dtype));
    }
  check_tile(name, tile, rank, widest);
}

Tensor apply(const char* name, Operation op, std::span<Operand> operands, const Tensor* out,
             const KernelParams& params = {}) {
  // During a trace, the operands are small tensors that represent the real operands (fusion/graph.h), so the function
  // does not check the tile shape.
  std::optional<TileWalk> in_tiles;
  if (const Dims* const tile = tile_shape(); tile && !recorder()) [[unlikely]] {
    check_tile(name ? name : info(op).name.data(), *tile, operands);
    in_tiles.emplace(tile);
  }
  int64_t work = out ? out->size : 0;
  for (const Operand& operand : operands)
    if (operand.tensor) work = std::max(work, operand.tensor->size);
  if (work <= costs::unlocked_elements || has_strings(operands)) return elementwise(op, operands, out, params, name);
  return apply_unlocked(name, op, operands, out, params);
}

// Returns the number of an operation's parameters that come between the operands and `out`.
constexpr Py_ssize_t parameter_count(Operation op) {
  return op == Operation::isclose ? 3 : op == Operation::round ? 2 : 0;
}

KernelParams read_params(const char* name, Operation op, PyObject* const* args) {
  if (op == Operation::isclose) {
    const double rtol = require_real(name, "rtol", args[0]), atol = require_real(name, "atol", args[1]);
    return isclose_params(name, rtol, atol, require_truth(name, "equal_nan", args[2]));
  }
  const int64_t decimals = require_integer(name, "decimals", args[0]);
  return round_params(decimals, require_choice(name, "mode", args[1], rounding_modes));
}

// Fails with a message about the first object that cannot be an operand of any kind. If all objects can be operands,
// the message is about `otherwise`.
[[noreturn, gnu::cold]] void refuse(const char* name, std::span<PyObject* const> operands, PyObject* otherwise) {
  for (PyObject* const operand : operands)
    if (!PyTensor_Check(operand) && !kind_of(operand) && !is_number(operand)) {
      otherwise = operand;
      break;
    }
  fail(Status::type_mismatch, name, ": ", class_of(otherwise), " is neither a tensor nor a number",
       hint("operand", otherwise));
}

PyObject* apply_to(const char* name, Operation op, std::span<Operand> operands, PyObject* out,
                   const KernelParams& params = {}) {
  if (!out || out == Py_None) return wrap(apply(name, op, operands, nullptr, params));
  apply(name, op, operands, &require_out(name, out), params);
  return Py_NewRef(out);
}

PyObject* call_operation(Operation op, PyObject* const* args, Py_ssize_t n) {
  const OperationInfo& row = info(op);
  const char* const name = row.name.data();
  const Py_ssize_t before = row.arity + parameter_count(op);
  if (n < before || n > before + 1) fail_arguments(name, n, before + 1);
  if (watcher) [[unlikely]]
    if (PyObject* const result = dispatch({name_objects[static_cast<int>(op)], args, n, row.arity})) return result;
  Operand operands[3];
  for (Py_ssize_t i = 0; i < row.arity; ++i)
    if (!read_operand(args[i], operands[i])) [[unlikely]] {
      if (PyObject* const result = dispatch({name_objects[static_cast<int>(op)], args, n, row.arity})) return result;
      refuse(name, {args, row.arity}, args[i]);
    }
  const KernelParams params = parameter_count(op) > 0 ? read_params(name, op, args + row.arity) : KernelParams{};
  return apply_to(name, op, {operands, row.arity}, n > before ? args[before] : nullptr, params);
}

PyObject* call_numbered_operation(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  const auto op = static_cast<Operation>(PyLong_AsLong(self));
  return guard(info(op).name.data(), [&] { return call_operation(op, args, n); });
}

bool read_operands(PyObject* a, PyObject* b, Operand (&operands)[2]) {
  return read_operand(a, operands[0]) && read_operand(b, operands[1]);
}

// Returns true for an integer tensor of rank 0, which Python accepts as the number of repeats of a sequence.
bool is_count(PyObject* object) {
  return PyTensor_Check(object) && is_integer(tensor_of(object).dtype) && tensor_of(object).rank() == 0;
}

// Calls the NumPy ufunc of an operator in place. Through the ufunc, the class of an array with its own protocols
// computes the result or refuses to write the result into a tensor.
[[gnu::cold]] PyObject* in_place_by_numpy(std::string_view name, PyObject* a, PyObject* b) {
  const char* const numpys_name = name == "pow"                   ? "power"
                                  : name == "bitwise_left_shift"  ? "left_shift"
                                  : name == "bitwise_right_shift" ? "right_shift"
                                                                  : name.data();
  const nb::object ufunc = nb::module_::import_("numpy").attr(numpys_name);
  ufunc(nb::handle(a), nb::handle(b), nb::arg("out") = nb::handle(a));
  return Py_NewRef(a);
}

// Handles a Python operator with an operand that is neither a tensor nor a number. A NumPy array becomes a tensor on
// the array's memory, unless the array's class has its own protocols and computes the result itself. The function
// refuses None, tensors of other libraries, plain sequences, and numbers in matrix products. The class of any other
// object may define the operator. Python answers `x == None`.
[[gnu::cold]] PyObject* with_arrays(const char* name, binaryfunc call, PyObject* a, PyObject* b, bool writes = false) {
  if (!is_numpy_array(a) && !is_numpy_array(b)) {
    const bool repeats = (std::string_view(name) == "multiply" && (is_count(a) || is_count(b))) ||
                         // The operator `items += x` extends a list.
                         (std::string_view(name) == "add" && PyList_CheckExact(a));
    for (PyObject* x : {a, b}) {
      const bool refused =
          is_foreign_array(x) || (is_plain_sequence(x) && !repeats) || (x == Py_None && !equates(name));
      if (refused) refuse(name, {&x, 1}, x);
      if (std::string_view(name) == "matmul" && is_number(x)) require_tensor(name, x);
    }
    return Py_NewRef(Py_NotImplemented);
  }
  if (has_own_protocols(a) || has_own_protocols(b))
    return writes ? in_place_by_numpy(name, a, b) : Py_NewRef(Py_NotImplemented);
  // `*` and `**` of numpy.matrix are products of matrices.
  const bool may_differ = std::string_view(name) == "multiply" || std::string_view(name) == "pow";
  for (PyObject* x : {a, b})
    if (may_differ && std::string_view(Py_TYPE(x)->tp_name) == "matrix")
      fail(Status::type_mismatch, name, ": * and ** of a numpy.matrix are matrix products; use x1 @ x2, or ",
           "numpy.asarray(m) for the elements");
  const auto as_tensor = [name](PyObject* x) {
    return is_numpy_array(x) ? make_tensor(name, x, Py_None) : nb::borrow(x);
  };
  const nb::object left = as_tensor(a), right = as_tensor(b);
  return call(left.ptr(), right.ptr());
}

// Returns true if Python's comparisons call the operation. If Python cannot compare two objects, Python treats the
// objects as unequal.
constexpr bool compares(Operation op) {
  using O = Operation;
  return op == O::less || op == O::less_equal || op == O::equal || op == O::not_equal || op == O::greater ||
         op == O::greater_equal;
}

template <Operation op>
PyObject* binary(PyObject* a, PyObject* b) {
  return explained(info(op).name.data(), a, b, guard(info(op).name.data(), [&]() -> PyObject* {
                     Operand operands[2];
                     if (!read_operands(a, b, operands)) [[unlikely]] {
                       if constexpr (compares(op)) refuse_elements(info(op).name.data(), a, b);
                       return with_arrays(info(op).name.data(), binary<op>, a, b);
                     }
                     if (PyObject* const result = recorded(name_of<op>(), 2, a, b, Py_None)) return result;
                     return wrap(apply(nullptr, op, operands, nullptr));
                   }));
}

template <Operation op>
PyObject* in_place(PyObject* a, PyObject* b) {
  return explained(info(op).name.data(), a, b, guard(info(op).name.data(), [&]() -> PyObject* {
                     Operand operands[2];
                     if (!read_operands(a, b, operands)) [[unlikely]] {
                       check_not_traced(info(op).name.data());  // Python would create a new tensor for a traced operand
                       return with_arrays(info(op).name.data(), in_place<op>, a, b, true);
                     }
                     check_not_traced(info(op).name.data());
                     apply(nullptr, op, operands, &tensor_of(a));
                     return Py_NewRef(a);
                   }));
}

template <Operation op>
PyObject* unary(PyObject* a) {
  return explained(info(op).name.data(), a, nullptr, guard(info(op).name.data(), [&]() -> PyObject* {
                     if (PyObject* const result = recorded(name_of<op>(), 1, a, Py_None)) return result;
                     Operand operands[] = {{&tensor_of(a), {}}};
                     return wrap(apply(nullptr, op, operands, nullptr));
                   }));
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<Operation::pow>(a, b);
}
PyObject* power_in_place(PyObject* a, PyObject* b, PyObject*) { return in_place<Operation::pow>(a, b); }

PyObject* compare(PyObject* a, PyObject* b, int how) {
  switch (how) {
    case Py_LT:
      return binary<Operation::less>(a, b);
    case Py_LE:
      return binary<Operation::less_equal>(a, b);
    case Py_EQ:
      return binary<Operation::equal>(a, b);
    case Py_NE:
      return binary<Operation::not_equal>(a, b);
    case Py_GT:
      return binary<Operation::greater>(a, b);
    default:
      return binary<Operation::greater_equal>(a, b);
  }
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  return explained("matmul", a, b, guard("matmul", [&]() -> PyObject* {
                     if (!PyTensor_Check(a) || !PyTensor_Check(b)) return with_arrays("matmul", matrix_multiply, a, b);
                     static PyObject* const name = lasting_name("matmul");
                     if (PyObject* const result = recorded(name, 2, a, b, Py_None, Py_None)) return result;
                     return wrap(multiply_matrices(tensor_of(a), tensor_of(b), nullptr));
                   }));
}

PyObject* matrix_multiply_in_place(PyObject* a, PyObject* b) {
  return explained("matmul", a, b, guard("matmul", [&]() -> PyObject* {
                     check_not_traced("matmul");  // Python would create a new tensor for a traced operand
                     if (!PyTensor_Check(b)) return with_arrays("matmul", matrix_multiply_in_place, a, b, true);
                     multiply_matrices(tensor_of(a), tensor_of(b), &tensor_of(a));
                     return Py_NewRef(a);
                   }));
}

nb::object item_of(const char* op, PyObject* self) {
  const Tensor& x = tensor_of(self);
  check_alive(op, x);
  PyObject* value = item(op, x);
  if (!value) throw PythonErrorSet{};
  return nb::steal(value);
}

int truth(PyObject* self) {
  return guard_or(-1, [&] { return PyObject_IsTrue(item_of("bool", self).ptr()); });
}
PyObject* to_float(PyObject* self) {
  return guard([&]() -> PyObject* {
    const nb::object value = item_of("float", self);
    if (PyComplex_Check(value.ptr())) fail(Status::type_mismatch, "float: a complex element has no real value");
    if (PyUnicode_Check(value.ptr())) fail(Status::type_mismatch, "float: a string is not a number");
    return PyNumber_Float(value.ptr());
  });
}
PyObject* to_int(PyObject* self) {
  return guard([&]() -> PyObject* {
    const nb::object value = item_of("int", self);
    if (PyComplex_Check(value.ptr())) fail(Status::type_mismatch, "int: a complex element has no integer value");
    if (PyUnicode_Check(value.ptr())) fail(Status::type_mismatch, "int: a string is not a number");
    return PyNumber_Long(value.ptr());
  });
}
PyObject* to_index(PyObject* self) {
  return guard([&]() -> PyObject* {
    const Tensor& x = tensor_of(self);
    check_alive("index", x);
    if (!is_integer(x.dtype) || x.rank() != 0)
      fail(Status::type_mismatch, "index: a ", name(x.dtype), " tensor of shape ", x.shape, " is not an integer",
           hint("index", self));
    return item("index", x);
  });
}

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void explain_operator(const char* name, PyObject* a, PyObject* b) noexcept {
  if (Inside::depth() > 0) return;
  PyObject* const operands[] = {a, b};
  const nb::object called = nb::steal(PyUnicode_FromString(name));
  if (called.is_valid()) explain_error(called.ptr(), operands, b ? 2 : 1, nullptr);
}

PyType_Slot* operator_slots() {
  using O = Operation;
  static PyType_Slot slots[] = {
      {Py_nb_add, slot(binary<O::add>)},
      {Py_nb_subtract, slot(binary<O::subtract>)},
      {Py_nb_multiply, slot(binary<O::multiply>)},
      {Py_nb_true_divide, slot(binary<O::true_divide>)},
      {Py_nb_floor_divide, slot(binary<O::floor_divide>)},
      {Py_nb_remainder, slot(binary<O::remainder>)},
      {Py_nb_power, slot(power)},
      {Py_nb_matrix_multiply, slot(matrix_multiply)},
      {Py_nb_and, slot(binary<O::bitwise_and>)},
      {Py_nb_or, slot(binary<O::bitwise_or>)},
      {Py_nb_xor, slot(binary<O::bitwise_xor>)},
      {Py_nb_lshift, slot(binary<O::bitwise_left_shift>)},
      {Py_nb_rshift, slot(binary<O::bitwise_right_shift>)},
      {Py_nb_inplace_add, slot(in_place<O::add>)},
      {Py_nb_inplace_subtract, slot(in_place<O::subtract>)},
      {Py_nb_inplace_multiply, slot(in_place<O::multiply>)},
      {Py_nb_inplace_true_divide, slot(in_place<O::true_divide>)},
      {Py_nb_inplace_floor_divide, slot(in_place<O::floor_divide>)},
      {Py_nb_inplace_remainder, slot(in_place<O::remainder>)},
      {Py_nb_inplace_power, slot(power_in_place)},
      {Py_nb_inplace_matrix_multiply, slot(matrix_multiply_in_place)},
      {Py_nb_inplace_and, slot(in_place<O::bitwise_and>)},
      {Py_nb_inplace_or, slot(in_place<O::bitwise_or>)},
      {Py_nb_inplace_xor, slot(in_place<O::bitwise_xor>)},
      {Py_nb_inplace_lshift, slot(in_place<O::bitwise_left_shift>)},
      {Py_nb_inplace_rshift, slot(in_place<O::bitwise_right_shift>)},
      {Py_nb_negative, slot(unary<O::negative>)},
      {Py_nb_positive, slot(unary<O::positive>)},
      {Py_nb_absolute, slot(unary<O::abs>)},
      {Py_nb_invert, slot(unary<O::bitwise_invert>)},
      {Py_nb_bool, slot(truth)},
      {Py_nb_float, slot(to_float)},
      {Py_nb_int, slot(to_int)},
      {Py_nb_index, slot(to_index)},
      {Py_tp_richcompare, slot(compare)},
      {0, nullptr},
  };
  return slots;
}

// --- operators that call operations of other names ---

namespace {

bool all_of(const char* name, const Tensor& truths) {
  const uint64_t axes = require_axes(name, Py_None, truths.rank());
  const Tensor one = unlocked_if_long(truths.size, [&] { return reduce(name, Reduction::all, truths, axes, false); });
  return *one.as<uint8_t>() != 0;
}

// Reads operands that are dense tensors or numbers. `define` has already queried other kinds.
template <class... Handles>
auto require_operands(const char* name, Handles... handles) {
  std::array<PyObject*, sizeof...(Handles)> objects{handles.ptr()...};
  std::array<Operand, sizeof...(Handles)> operands;
  for (size_t i = 0; i < objects.size(); ++i)
    if (!read_operand(objects[i], operands[i])) refuse(name, objects, objects[i]);
  return operands;
}

// Implements divide. If `rounding` is "trunc" or "floor", the quotient is rounded.
nb::object divide(nb::handle x1, nb::handle x2, nb::handle rounding, nb::handle out) {
  constexpr const char* name = "divide";
  const int which = require_choice(name, "rounding", rounding.ptr(), division_names);
  auto operands = require_operands(name, x1, x2);
  return nb::steal(apply_to(name, divisions[which], operands, out.ptr()));
}

nb::object clip(nb::handle x, nb::handle least, nb::handle greatest, nb::handle out) {
  constexpr const char* name = "clip";
  const auto given = [&](nb::handle bound) { return bound.is_none() ? x : bound; };
  const auto [element, low, high] = require_operands(name, x, given(least), given(greatest));
  Clipping clipping = clip_by(name, element, least.is_none() ? nullptr : &low, greatest.is_none() ? nullptr : &high);
  const std::span operands(clipping.operands, static_cast<size_t>(clipping.count));
  return nb::steal(apply_to(name, clipping.operation, operands, out.ptr()));
}

bool allclose(nb::handle x1, nb::handle x2, nb::handle rtol, nb::handle atol, nb::handle equal_nan) {
  constexpr const char* name = "allclose";
  auto operands = require_operands(name, x1, x2);
  PyObject* const parameters[] = {rtol.ptr(), atol.ptr(), equal_nan.ptr()};
  const KernelParams params = read_params(name, Operation::isclose, parameters);
  const OwnTiles own;
  return all_of(name, apply(name, Operation::isclose, operands, nullptr, params));
}

bool array_equal(nb::handle x1, nb::handle x2) {
  constexpr const char* name = "array_equal";
  auto operands = require_operands(name, x1, x2);
  for (int i = 0; i < 2; ++i) {
    const Operand &one = operands[i], &other = operands[1 - i];
    if (one.tensor) check_alive(name, *one.tensor);
    if (one.scalar.kind == Scalar::Kind::string && !(other.tensor && other.tensor->dtype == DType::string))
      fail(Status::type_mismatch, name, ": a string and a number have no common type");
  }
  const auto shape = [](const Operand& operand) { return operand.tensor ? operand.tensor->shape : Dims(); };
  if (shape(operands[0]) != shape(operands[1])) return false;
  const OwnTiles own;
  return all_of(name, apply(name, Operation::equal, operands, nullptr));
}

}  // namespace

void bind_compositions(nb::module_& m) {
  define(m, "divide", [](nb::handle x1, nb::handle x2, nb::handle rounding, nb::handle out) {
    return divide(x1, x2, rounding, out);
  });
  define(m, "clip", [](nb::handle x, nb::handle least, nb::handle greatest, nb::handle out) {
    return clip(x, least, greatest, out);
  });
  define(m, "allclose", [](nb::handle x1, nb::handle x2, nb::handle rtol, nb::handle atol, nb::handle equal_nan) {
    return allclose(x1, x2, rtol, atol, equal_nan);
  });
  define(m, "array_equal", [](nb::handle x1, nb::handle x2) { return array_equal(x1, x2); });
}

// --- the module ---

void add_builtins(PyObject* module, std::span<PyMethodDef> definitions) {
  for (size_t i = 0; i < definitions.size(); ++i) {
    const nb::object number = nb::steal(PyLong_FromSize_t(i));
    const nb::object function = nb::steal(PyCFunction_New(&definitions[i], number.ptr()));
    if (!function.is_valid() || PyModule_AddObjectRef(module, definitions[i].ml_name, function.ptr()) < 0)
      throw PythonErrorSet{};
  }
}

void add_operations(PyObject* module) {
  static PyMethodDef definitions[operation_count];
  const nb::object table = nb::steal(PyTuple_New(operation_count));
  for (int i = 0; i < operation_count; ++i) {
    const OperationInfo& row = operation_table[i];
    definitions[i] = {row.name.data(), as_builtin(call_numbered_operation), METH_FASTCALL, nullptr};
    name_objects[i] = lasting_name(row.name.data());
    std::string accepts;
    for (const auto& [bit, letter] : {std::pair{B, 'B'}, {I, 'I'}, {F, 'F'}, {C, 'C'}, {S, 'S'}})
      if (row.accepts & bit) accepts += letter;
    PyTuple_SET_ITEM(table.ptr(), i, Py_BuildValue("sis", row.name.data(), row.arity, accepts.c_str()));
  }
  add_builtins(module, definitions);
  if (PyModule_AddObjectRef(module, "operations", table.ptr()) < 0) throw PythonErrorSet{};
}

}  // namespace suanzi::python
