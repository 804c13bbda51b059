// The reductions as Python functions. These functions read the arguments and call the C++ function of the reduction.
#include <vector>

#include "ops/reduce/named.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "python/operators.h"
#include "python/results.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

std::vector<PyObject*> name_objects;

// Calls a reduction with the arguments (x, axis, keepdims[[, correction], dtype], out).
PyObject* call_reduction(const NamedReduction& reducing, PyObject* const* args, Py_ssize_t n) {
  const char* op = reducing.name;
  const Py_ssize_t taken = 4 + static_cast<Py_ssize_t>(reducing.takes);
  if (n != taken) fail_arguments(op, n, taken);
  // `x` shares the ownership of the memory, because Python code that runs while the other arguments are read may
  // destroy the tensor.
  const Tensor x = require_tensor(op, args[0]);
  const bool takes_dtype = reducing.takes != Takes::nothing;
  const auto dtype = takes_dtype ? optional_dtype(op, args[n - 2]) : std::nullopt;
  ReductionOptions options{
      require_axes(op, args[1], x.rank()), require_truth(op, "keepdims", args[2]), dtype,
      reducing.takes == Takes::correction_and_dtype ? require_real(op, "correction", args[3]) : 0.0};
  return compute_into(op, x, options.dtype, args[n - 1], [&] { return reducing.compute(op, x, options); });
}

// Implements `reduce`, which calls any reduction by its name.
nb::object reduce_by(nb::handle operand, nb::handle name, nb::handle axis, nb::handle keepdims, nb::handle dtype,
                     nb::handle out) {
  constexpr const char* op = "reduce";
  const NamedReduction& reducing = named_reductions[require_choice(op, "op", name.ptr(), reduction_names())];
  const Tensor x = require_tensor(op, operand.ptr());
  ReductionOptions options{require_axes(op, axis.ptr(), x.rank()), require_truth(op, "keepdims", keepdims.ptr()),
                           optional_dtype(op, dtype.ptr()), 0.0};
  return nb::steal(compute_into(op, x, options.dtype, out.ptr(), [&] { return reducing.compute(op, x, options); }));
}

nb::object trace_to(nb::handle operand, nb::handle offset, nb::handle out) {
  constexpr const char* op = "trace";
  const int64_t k = require_integer(op, "offset", offset.ptr());
  const Tensor x = require_tensor(op, operand.ptr());
  std::optional<DType> dtype;
  return nb::steal(compute_into(op, x, dtype, out.ptr(), [&] { return trace(x, k, dtype); }));
}

PyObject* call_numbered_reduction(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  const long number = PyLong_AsLong(self);
  return guard([&]() -> PyObject* {
    if (n > 0 && kind_of(args[0])) [[unlikely]]
      if (PyObject* const result = dispatch({name_objects[number], args, n, 1})) return result;
    return call_reduction(named_reductions[number], args, n);
  });
}

// Returns the names of a reduction's parameters between keepdims and out.
nb::tuple parameters_of(Takes takes) {
  if (takes == Takes::nothing) return nb::make_tuple();
  return takes == Takes::dtype ? nb::make_tuple("dtype") : nb::make_tuple("correction", "dtype");
}

}  // namespace

void bind_reductions(nb::module_& m) {
  static std::vector<PyMethodDef> definitions;
  for (const NamedReduction& row : named_reductions) {
    definitions.push_back({row.name, as_builtin(call_numbered_reduction), METH_FASTCALL, nullptr});
    name_objects.push_back(lasting_name(row.name));
  }
  add_builtins(m.ptr(), definitions);
  nb::list rows;
  for (const NamedReduction& row : named_reductions) rows.append(nb::make_tuple(row.name, parameters_of(row.takes)));
  m.attr("reductions") = nb::tuple(rows);
  define(m, "reduce",
         [](nb::handle x, nb::handle name, nb::handle axis, nb::handle keepdims, nb::handle dtype, nb::handle out) {
           return reduce_by(x, name, axis, keepdims, dtype, out);
         });
  define(m, "trace", [](nb::handle x, nb::handle offset, nb::handle out) { return trace_to(x, offset, out); });
}

}  // namespace suanzi::python
