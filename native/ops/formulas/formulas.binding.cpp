// Formulas as Python functions for suanzi.extras, which reads and documents their arguments.
#include "ops/formulas/formulas.h"

#include <algorithm>
#include <array>
#include <vector>

#include "python/arguments.h"
#include "python/bindings.h"
#include "python/operators.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

PyObject* name_objects[formula_count];

// Entry [k][m] is the signature, in the stub, of formulas of k + 1 tensors and m numbers.
constexpr const char* signatures[most_formula_operands][most_formula_numbers + 1] = {
    {"(x1: Tensor, /) -> Tensor", "(x1: Tensor, number: float, /) -> Tensor"},
    {"(x1: Tensor, x2: Tensor, /) -> Tensor", "(x1: Tensor, x2: Tensor, number: float, /) -> Tensor"}};

int64_t work_of(std::span<const Tensor> operands) {
  int64_t work = 0;
  for (const Tensor& x : operands) work = std::max(work, x.size);
  return work;
}

PyObject* call_formula(const Formula& formula, PyObject* const* args, Py_ssize_t n) {
  const char* const op = formula.name;
  const int taken = formula.operands + formula.numbers;
  if (n != taken) fail_arguments(op, n, taken);
  std::array<Tensor, most_formula_operands> held;
  const std::span operands(held.data(), static_cast<size_t>(formula.operands));
  for (size_t i = 0; i < operands.size(); ++i) operands[i] = require_tensor(op, args[i]);
  double number = 0;
  if (formula.numbers > 0) number = require_real(op, "number", args[formula.operands]);
  const std::span<const double> numbers(&number, static_cast<size_t>(formula.numbers));
  return wrap(unlocked_if_long(work_of(operands), [&] { return compute(op, formula, operands, numbers); }));
}

PyObject* call_numbered_formula(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  const auto number = PyLong_AsLong(self);
  const Formula& formula = formulas[number];
  return guard(formula.name, [&]() -> PyObject* {
    const auto operands = std::min<Py_ssize_t>(n, formula.operands);
    if (std::any_of(args, args + operands, kind_of)) [[unlikely]]
      if (PyObject* const result = dispatch({name_objects[number], args, n, operands})) return result;
    return call_formula(formula, args, n);
  });
}

const Formula& formula_named(const char* op, nb::handle name) {
  std::array<std::string_view, formula_count> names;
  std::ranges::transform(formulas, names.begin(), &Formula::name);
  return formulas[require_choice(op, "formula", name.ptr(), names)];
}

nb::object fold_formula(nb::handle reduction, nb::handle formula, nb::handle operands, nb::handle number,
                        nb::handle axis, nb::handle keepdims, nb::handle dtype) {
  constexpr const char* op = "fold_formula";
  const NamedReduction& reducing =
      named_reductions[require_choice(op, "reduction", reduction.ptr(), reduction_names())];
  const Formula& made = formula_named(op, formula);
  std::vector<Tensor> tensors;
  for (const nb::handle x : operands) tensors.push_back(require_tensor(op, x.ptr()));
  std::vector<double> numbers;
  if (!number.is_none()) numbers.push_back(require_real(op, "number", number.ptr()));
  if (std::ssize(tensors) != made.operands || std::ssize(numbers) != made.numbers)
    fail(Status::type_mismatch, op, ": ", tensors.size(), " operands and ", numbers.size(), " numbers are given, but ",
         made.name, " takes ", made.operands, " and ", made.numbers);
  int rank = 0;
  for (const Tensor& x : tensors) rank = std::max(rank, x.rank());
  const ReductionOptions options{require_axes(op, axis.ptr(), rank), require_truth(op, "keepdims", keepdims.ptr()),
                                 optional_dtype(op, dtype.ptr())};
  return wrapped(unlocked_if_long(work_of(tensors),
                                  [&] { return fold(reducing.name, made, tensors, numbers, reducing, options); }));
}

}  // namespace

void bind_formulas(nb::module_& m) {
  static PyMethodDef definitions[formula_count];
  nb::list rows;
  for (int i = 0; i < formula_count; ++i) {
    const Formula& formula = formulas[i];
    definitions[i] = {formula.name, as_builtin(call_numbered_formula), METH_FASTCALL,
                      signatures[formula.operands - 1][formula.numbers]};
    name_objects[i] = lasting_name(formula.name);
    rows.append(nb::make_tuple(formula.name, formula.operands, formula.numbers));
  }
  add_builtins(m.ptr(), definitions);
  m.attr("formulas") = nb::tuple(rows);
  define_of_lists(
      m, "fold_formula",
      "(reduction: str, formula: str, operands: Sequence[Tensor], number: float | None, axis: int | Sequence[int] | "
      "None, keepdims: bool, dtype: Any, /) -> Tensor",
      [](nb::handle reduction, nb::handle formula, nb::handle operands, nb::handle number, nb::handle axis,
         nb::handle keepdims,
         nb::handle dtype) { return fold_formula(reduction, formula, operands, number, axis, keepdims, dtype); });
}

}  // namespace suanzi::python
