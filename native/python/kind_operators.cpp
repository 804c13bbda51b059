// Python's operators for operands that are not dense tensors. Each operator calls one function of the core, for example
// `a @ b` calls `matmul(a, b)`. Classes of kinds inherit the operators from `Operators`.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <iterator>

#include "python/arguments.h"
#include "python/dispatch.h"
#include "python/operators.h"

namespace suanzi::python {
namespace {

// A function that one of Python's operators calls by its name.
struct Function {
  const char* name;
  PyObject* object = nullptr;  // the name as a Python string, which the first call makes
};
Function add{"add"}, subtract{"subtract"}, multiply{"multiply"}, true_divide{"true_divide"},
    floor_divide{"floor_divide"}, remainder{"remainder"}, pow{"pow"}, matmul{"matmul"}, bitwise_and{"bitwise_and"},
    bitwise_or{"bitwise_or"}, bitwise_xor{"bitwise_xor"}, bitwise_left_shift{"bitwise_left_shift"},
    bitwise_right_shift{"bitwise_right_shift"}, negative{"negative"}, positive{"positive"}, abs{"abs"},
    bitwise_invert{"bitwise_invert"}, less{"less"}, less_equal{"less_equal"}, equal{"equal"}, not_equal{"not_equal"},
    greater{"greater"}, greater_equal{"greater_equal"}, get_item{"__getitem__"}, set_item{"__setitem__"};

// Returns the answer of the operands' kinds to a call of `function`, or null if no kind answers. The operands are the
// first `operands` arguments.
template <Py_ssize_t count>
PyObject* answer(Function& function, PyObject* const (&arguments)[count], Py_ssize_t operands) {
  if (!function.object) function.object = lasting_name(function.name);
  return dispatch({function.object, arguments, count, operands});
}

bool is_array(PyObject* object) { return !PyTensor_Check(object) && is_numpy_array(object); }

// Calls a function that has two operands and `options` further parameters. The function refuses NumPy arrays on either
// side. Without this check, NumPy would convert the tensor to an array if the NumPy array is on the left.
template <Function& function, int options = 1>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  return explained(function.name, a, b, guard([&]() -> PyObject* {
                     if (is_array(a) || is_array(b))
                       fail(Status::type_mismatch, function.name, ": ndarray is neither a tensor nor a number",
                            hint("operand", is_numpy_array(a) ? a : b));
                     // For any other object, as for dense tensors, Python calls the operator of the object's own class.
                     // Without this operator, Python compares by identity. The function refuses None and Python's own
                     // sequences, which have no operators with tensors. In `multiply`, the function does not refuse a
                     // sequence, because an integer repeats a sequence. In `add`, the function does not refuse a list
                     // on the left, because `items += x` extends a list.
                     if (Py_TYPE(a) != Py_TYPE(b) && !(is_comparable(a) && is_comparable(b))) {
                       const bool repeats = &function == &multiply || (&function == &add && PyList_CheckExact(a));
                       for (PyObject* x : {a, b})
                         if ((is_plain_sequence(x) && !repeats) || (x == Py_None && !equates(function.name)))
                           fail(Status::type_mismatch, function.name, ": ", class_of(x),
                                " is neither a tensor nor a number", hint("operand", x));
                       Py_RETURN_NOTIMPLEMENTED;
                     }
                     PyObject* result;
                     if constexpr (options == 1) {
                       result = answer(function, {a, b, Py_None}, 2);
                     } else {
                       result = answer(function, {a, b, Py_None, Py_None}, 2);
                     }
                     return result ? result : Py_NewRef(Py_NotImplemented);
                   }));
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) noexcept {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<pow>(a, b);
}

template <Function& function>
PyObject* unary(PyObject* x) noexcept {
  return guard([&]() -> PyObject* {
    if (PyObject* const result = answer(function, {x, Py_None}, 1)) return result;
    fail(Status::type_mismatch, function.name, ": ", Py_TYPE(x)->tp_name, " is neither a tensor nor a number");
  });
}

// As for dense tensors, the function refuses a comparison with an object that holds elements, and does not leave the
// comparison to Python.
template <Function& function>
PyObject* comparison(PyObject* a, PyObject* b) noexcept {
  return guard([&]() -> PyObject* {
    nanobind::object answered = nanobind::steal(binary<function>(a, b));
    if (answered.ptr() == Py_NotImplemented) [[unlikely]]
      refuse_elements(function.name, a, b);
    return answered.release().ptr();
  });
}

struct Comparison {
  const char* name;  // Python's name of the operator
  const Function& function;
  PyObject* (*call)(PyObject*, PyObject*) noexcept;
};
const Comparison comparisons[] = {
    {"lt", less, comparison<less>},       {"le", less_equal, comparison<less_equal>},
    {"eq", equal, comparison<equal>},     {"ne", not_equal, comparison<not_equal>},
    {"gt", greater, comparison<greater>}, {"ge", greater_equal, comparison<greater_equal>}};
static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);

PyObject* compare(PyObject* a, PyObject* b, int how) noexcept { return comparisons[how].call(a, b); }

PyObject* subscript(PyObject* x, PyObject* key) noexcept {
  return guard([&]() -> PyObject* {
    if (PyObject* const result = answer(get_item, {x, key}, 1)) return result;
    fail(Status::type_mismatch, "index: elements of a ", Py_TYPE(x)->tp_name, " cannot be read by keys");
  });
}

PyObject* sequence_item(PyObject* x, Py_ssize_t i) noexcept {
  const nanobind::object key = nanobind::steal(PyLong_FromSsize_t(i));
  return key.is_valid() ? subscript(x, key.ptr()) : nullptr;
}

int assign_subscript(PyObject* x, PyObject* key, PyObject* value) noexcept {
  return guard_or(-1, [&] {
    if (!value) fail(Status::type_mismatch, "index: elements of a tensor cannot be deleted", hint("deleted"));
    const nanobind::object result = nanobind::steal(answer(set_item, {x, key, value}, 1));
    if (!result.is_valid())
      fail(Status::type_mismatch, "index: elements of a ", Py_TYPE(x)->tp_name, " cannot be assigned",
           hint("assigned"));
    return 0;
  });
}

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

// Python's operators that are not comparisons. Each operator has its own slot.
struct PythonOperator {
  const char* name;
  const Function& function;
  PyType_Slot slot;
};
const PythonOperator python_operators[] = {
    {"add", add, {Py_nb_add, slot(binary<add>)}},
    {"sub", subtract, {Py_nb_subtract, slot(binary<subtract>)}},
    {"mul", multiply, {Py_nb_multiply, slot(binary<multiply>)}},
    {"truediv", true_divide, {Py_nb_true_divide, slot(binary<true_divide>)}},
    {"floordiv", floor_divide, {Py_nb_floor_divide, slot(binary<floor_divide>)}},
    {"mod", remainder, {Py_nb_remainder, slot(binary<remainder>)}},
    {"pow", pow, {Py_nb_power, slot(power)}},
    {"matmul", matmul, {Py_nb_matrix_multiply, slot(binary<matmul, 2>)}},
    {"and", bitwise_and, {Py_nb_and, slot(binary<bitwise_and>)}},
    {"or", bitwise_or, {Py_nb_or, slot(binary<bitwise_or>)}},
    {"xor", bitwise_xor, {Py_nb_xor, slot(binary<bitwise_xor>)}},
    {"lshift", bitwise_left_shift, {Py_nb_lshift, slot(binary<bitwise_left_shift>)}},
    {"rshift", bitwise_right_shift, {Py_nb_rshift, slot(binary<bitwise_right_shift>)}},
    {"neg", negative, {Py_nb_negative, slot(unary<negative>)}},
    {"pos", positive, {Py_nb_positive, slot(unary<positive>)}},
    {"abs", abs, {Py_nb_absolute, slot(unary<abs>)}},
    {"invert", bitwise_invert, {Py_nb_invert, slot(unary<bitwise_invert>)}},
};

}  // namespace

PyType_Slot* kind_operator_slots() {
  static const PyType_Slot others[] = {
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
      {Py_mp_subscript, slot(subscript)},
      {Py_mp_ass_subscript, slot(assign_subscript)},
      {Py_sq_item, slot(sequence_item)},
      {Py_tp_doc, const_cast<char*>("Python's operators, of classes that are registered as kinds of operand.")},
      {0, nullptr},
  };
  static PyType_Slot slots[std::size(python_operators) + std::size(others)];
  PyType_Slot* const next =
      std::ranges::transform(python_operators, slots, [](const PythonOperator& row) { return row.slot; }).out;
  std::ranges::copy(others, next);
  return slots;
}

void add_python_operators(PyObject* module) {
  nanobind::list pairs;
  for (const PythonOperator& row : python_operators) pairs.append(nanobind::make_tuple(row.name, row.function.name));
  for (const Comparison& row : comparisons) pairs.append(nanobind::make_tuple(row.name, row.function.name));
  if (PyModule_AddObjectRef(module, "python_operators", nanobind::tuple(pairs).ptr()) < 0) throw PythonErrorSet{};
}

}  // namespace suanzi::python
