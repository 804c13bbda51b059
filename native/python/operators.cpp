#include "python/operators.h"

#include <algorithm>

#include "python/arguments.h"
#include "python/dispatch.h"
#include "python/interpreter.h"
#include "runtime/costs.h"

namespace suanzi::python {
namespace {

PyObject* name_objects[operation_count];

// The operands are copied (their storage is kept alive) before the lock is released: another thread may destroy or
// rebind the Python objects meanwhile.
Tensor apply_unlocked(Operation op, std::span<Operand> operands, const Tensor* out, const KernelParams& params) {
  Tensor kept[3];
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].tensor) continue;
    kept[i] = *operands[i].tensor;
    operands[i].tensor = &kept[i];
  }
  Tensor target;
  if (out) target = *out;
  const Unlocked unlocked;
  return elementwise(op, operands, out ? &target : nullptr, params);
}

// Strings keep the lock (tensor/text.h).
bool has_strings(std::span<const Operand> operands) {
  return std::ranges::any_of(operands, [](const Operand& o) {
    return o.tensor ? o.tensor->dtype == DType::string : o.scalar.kind == Scalar::Kind::string;
  });
}

Tensor apply(Operation op, std::span<Operand> operands, const Tensor* out, const KernelParams& params = {}) {
  int64_t work = out ? out->size : 0;
  for (const Operand& operand : operands)
    if (operand.tensor) work = std::max(work, operand.tensor->size);
  if (work <= costs::unlocked_elements || has_strings(operands)) return elementwise(op, operands, out, params);
  return apply_unlocked(op, operands, out, params);
}

KernelParams read_params(Operation op, PyObject* const* args, Py_ssize_t n) {
  const auto expect = [&](Py_ssize_t count) {
    if (n != count)
      fail(Status::invalid_argument, info(op).name, ": ", n, " parameters given where ", count, " are taken");
  };
  KernelParams params;
  const char* name = info(op).name.data();
  switch (op) {
    case Operation::isclose:
      expect(3);
      params.real[0] = require_real(name, "atol", args[0]);
      params.real[1] = require_real(name, "rtol", args[1]);
      params.integer[0] = require_truth(name, "equal_nan", args[2]);
      if (!(params.real[0] >= 0) || !(params.real[1] >= 0))
        fail(Status::invalid_argument, name, ": tolerances ", params.real[0], " and ", params.real[1],
             " must not be negative");
      break;
    case Operation::round:
      expect(2);
      // Past 400 decimals either way nothing changes any more: the largest float64 has 309 digits.
      params.integer[0] = std::clamp<int64_t>(require_integer(name, "decimals", args[0]), -400, 400);
      params.integer[1] = require_integer(name, "mode", args[1]);
      if (params.integer[1] < 0 || params.integer[1] > 6)
        fail(Status::invalid_argument, name, ": mode ", params.integer[1], " is outside [0, 6]");
      break;
    default:
      expect(0);
  }
  return params;
}

// Of operands among which one is of another kind: the first that cannot be one of any, where there is such.
PyObject* first_stranger(PyObject* const* operands, Py_ssize_t count, PyObject* otherwise) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!PyTensor_Check(operands[i]) && !kind_of(operands[i]) && !is_number(operands[i])) return operands[i];
  return otherwise;
}

PyObject* call_operation(Operation op, PyObject* const* args, Py_ssize_t n) {
  const OperationInfo& row = info(op);
  const Py_ssize_t arity = row.arity;
  if (n < arity) fail(Status::invalid_argument, row.name, ": ", n, " operands given where ", arity, " are needed");
  Operand operands[3];
  for (Py_ssize_t i = 0; i < arity; ++i)
    if (!read_operand(args[i], operands[i])) [[unlikely]] {
      if (PyObject* const result = dispatch({name_objects[static_cast<int>(op)], args, n, arity})) return result;
      const PyObject* const refused = first_stranger(args, arity, args[i]);
      fail(Status::type_mismatch, row.name, ": ", Py_TYPE(refused)->tp_name, " is neither a tensor nor a number");
    }
  PyObject* out = n > arity && args[arity] != Py_None ? args[arity] : nullptr;
  const KernelParams params = read_params(op, args + arity + 1, std::max<Py_ssize_t>(n - arity - 1, 0));
  const std::span<Operand> all(operands, static_cast<size_t>(arity));
  if (!out) return wrap(apply(op, all, nullptr, params));
  apply(op, all, &require_tensor(row.name.data(), out), params);
  return Py_NewRef(out);
}

PyObject* call_numbered_operation(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  const auto op = static_cast<Operation>(PyLong_AsLong(self));
  return guard([&] { return call_operation(op, args, n); });
}

// The operands of a Python operator; false where the other class may have the answer. NumPy's arrays would take a
// tensor for an array, and only from one side: they are refused here.
bool read_operands(Operation op, PyObject* a, PyObject* b, Operand (&operands)[2]) {
  if (read_operand(a, operands[0]) && read_operand(b, operands[1])) return true;
  if (is_numpy_array(a) || is_numpy_array(b))
    fail(Status::type_mismatch, info(op).name,
         ": ndarray is neither a tensor nor a number; suanzi.tensor makes it one");
  return false;
}

template <Operation op>
PyObject* binary(PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    Operand operands[2];
    if (!read_operands(op, a, b, operands)) return Py_NewRef(Py_NotImplemented);
    return wrap(apply(op, operands, nullptr));
  });
}

template <Operation op>
PyObject* in_place(PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    Operand operands[2];
    if (!read_operands(op, a, b, operands)) return Py_NewRef(Py_NotImplemented);
    apply(op, operands, &tensor_of(a));
    return Py_NewRef(a);
  });
}

template <Operation op>
PyObject* unary(PyObject* a) {
  return guard([&]() -> PyObject* {
    Operand operands[] = {{&tensor_of(a), {}}};
    return wrap(apply(op, operands, nullptr));
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<Operation::pow>(a, b);
}
PyObject* power_in_place(PyObject* a, PyObject* b, PyObject*) { return in_place<Operation::pow>(a, b); }

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    if (is_numpy_array(a) || is_numpy_array(b))
      fail(Status::type_mismatch, "matmul: ndarray is not a tensor; suanzi.tensor makes it one");
    if (!PyTensor_Check(a) || !PyTensor_Check(b)) return Py_NewRef(Py_NotImplemented);
    return wrap(multiply_matrices(tensor_of(a), tensor_of(b), nullptr));
  });
}

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

nanobind::object item_of(const char* op, PyObject* self) {
  const Tensor& x = tensor_of(self);
  check_alive(op, x);
  PyObject* value = item(op, x);
  if (!value) throw PythonErrorSet{};
  return nanobind::steal(value);
}

int truth(PyObject* self) {
  return guard_or(-1, [&] { return PyObject_IsTrue(item_of("bool", self).ptr()); });
}
PyObject* to_float(PyObject* self) {
  return guard([&]() -> PyObject* {
    const nanobind::object value = item_of("float", self);
    if (PyComplex_Check(value.ptr())) fail(Status::type_mismatch, "float: a complex element has no real value");
    if (PyUnicode_Check(value.ptr())) fail(Status::type_mismatch, "float: a string is not a number");
    return PyNumber_Float(value.ptr());
  });
}
PyObject* to_int(PyObject* self) {
  return guard([&]() -> PyObject* {
    const nanobind::object value = item_of("int", self);
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
      fail(Status::type_mismatch, "index: a ", name(x.dtype), " tensor of shape ", x.shape, " is not an integer");
    return item("index", x);
  });
}

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

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

void add_builtins(PyObject* module, std::span<PyMethodDef> definitions) {
  for (size_t i = 0; i < definitions.size(); ++i) {
    const nanobind::object number = nanobind::steal(PyLong_FromSize_t(i));
    const nanobind::object function = nanobind::steal(PyCFunction_New(&definitions[i], number.ptr()));
    if (!function.is_valid() || PyModule_AddObjectRef(module, definitions[i].ml_name, function.ptr()) < 0)
      throw PythonErrorSet{};
  }
}

void add_operations(PyObject* module) {
  static PyMethodDef definitions[operation_count];
  const nanobind::object table = nanobind::steal(PyTuple_New(operation_count));
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
