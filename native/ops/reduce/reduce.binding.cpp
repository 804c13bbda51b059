// The reductions as Python functions: their arguments, and which of the engine's functions computes each.
#include <algorithm>
#include <array>
#include <iterator>

#include "ops/arrange/views.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "python/operators.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

struct Options {
  uint64_t axes;
  bool keepdims;
  std::optional<DType> dtype;
  double correction;  // of var and std
};

// What a reduction takes besides an operand, axes, keepdims and `out`.
enum class Takes : uint8_t { nothing, dtype, correction_and_dtype };

struct Reducing {
  const char* name;
  Takes takes;
  Tensor (*compute)(const char* op, const Tensor& x, const Options& options);
};

template <Reduction which>
Tensor fold(const char* op, const Tensor& x, const Options& o) {
  return reduce(op, which, x, o.axes, o.keepdims, o.dtype);
}

template <Tensor (*compute)(const char*, const Tensor&, uint64_t, bool, std::optional<DType>)>
Tensor statistic(const char* op, const Tensor& x, const Options& o) {
  return compute(op, x, o.axes, o.keepdims, o.dtype);
}

template <Tensor (*compute)(const char*, const Tensor&, uint64_t, bool, std::optional<DType>, double)>
Tensor corrected(const char* op, const Tensor& x, const Options& o) {
  return compute(op, x, o.axes, o.keepdims, o.dtype, o.correction);
}

constexpr Reducing reductions[] = {
    {"sum", Takes::dtype, fold<Reduction::sum>},
    {"prod", Takes::dtype, fold<Reduction::prod>},
    {"mean", Takes::dtype, statistic<mean>},
    {"max", Takes::nothing, fold<Reduction::max>},
    {"min", Takes::nothing, fold<Reduction::min>},
    {"all", Takes::nothing, fold<Reduction::all>},
    {"any", Takes::nothing, fold<Reduction::any>},
    {"var", Takes::correction_and_dtype, corrected<variance>},
    {"std", Takes::correction_and_dtype, corrected<standard_deviation>},
    {"norm1", Takes::dtype, statistic<norm1>},
    {"norm2", Takes::dtype, statistic<norm2>},
    {"logsumexp", Takes::dtype, statistic<logsumexp>},
};

PyObject* name_objects[std::size(reductions)];

PyObject* reduce_to(const char* op, const Reducing& reducing, const Tensor& x, const Options& options, PyObject* out) {
  Tensor result = unlocked_if_long(unlocked_work(x), [&] { return reducing.compute(op, x, options); });
  if (out == Py_None) return wrap(std::move(result));
  const Tensor target = require_tensor(op, out);
  check_out(op, target, result.shape, result.dtype);
  copy_into(op, target, result);
  return Py_NewRef(out);
}

// (x, axis, keepdims[[, correction], dtype], out)
PyObject* call_reduction(const Reducing& reducing, PyObject* const* args, Py_ssize_t n) {
  const char* op = reducing.name;
  const Py_ssize_t taken = 4 + static_cast<Py_ssize_t>(reducing.takes);
  if (n != taken) fail(Status::type_mismatch, op, ": ", n, " arguments given where ", taken, " are taken");
  // A copy: reading the other arguments may run code that destroys the tensor.
  const Tensor x = require_tensor(op, args[0]);
  const bool takes_dtype = reducing.takes != Takes::nothing;
  const auto dtype = takes_dtype ? optional_dtype(op, args[n - 2]) : std::nullopt;
  const Options options{require_axes(op, args[1], x.rank()), require_truth(op, "keepdims", args[2]), dtype,
                        reducing.takes == Takes::correction_and_dtype ? require_real(op, "correction", args[3]) : 0.0};
  return reduce_to(op, reducing, x, options, args[n - 1]);
}

// Any of them by its name, as `reduce`.
nb::object reduce_by(nb::handle operand, nb::handle name, nb::handle axis, nb::handle keepdims, nb::handle dtype,
                     nb::handle out) {
  constexpr const char* op = "reduce";
  std::array<std::string_view, std::size(reductions)> names;
  std::ranges::transform(reductions, names.begin(), &Reducing::name);
  const Reducing& reducing = reductions[require_choice(op, "op", name.ptr(), names)];
  const Tensor x = require_tensor(op, operand.ptr());
  const Options options{require_axes(op, axis.ptr(), x.rank()), require_truth(op, "keepdims", keepdims.ptr()),
                        optional_dtype(op, dtype.ptr()), 0.0};
  return nb::steal(reduce_to(op, reducing, x, options, out.ptr()));
}

// Of the diagonals of the last two axes.
nb::object trace(nb::handle operand, nb::handle offset, nb::handle out) {
  constexpr const char* op = "trace";
  const int64_t k = require_integer(op, "offset", offset.ptr());
  const Tensor x = require_tensor(op, operand.ptr());
  const Tensor diagonals = diagonal(op, x, k, -2, -1);
  const Options options{uint64_t{1} << (diagonals.rank() - 1), false, std::nullopt, 0.0};
  return nb::steal(reduce_to(op, reductions[0], diagonals, options, out.ptr()));
}

PyObject* call_numbered_reduction(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  const long number = PyLong_AsLong(self);
  return guard([&]() -> PyObject* {
    if (n > 0 && kind_of(args[0])) [[unlikely]]
      if (PyObject* const result = dispatch({name_objects[number], args, n, 1})) return result;
    return call_reduction(reductions[number], args, n);
  });
}

}  // namespace

void bind_reductions(nb::module_& m) {
  static PyMethodDef definitions[std::size(reductions)];
  for (size_t i = 0; i < std::size(reductions); ++i) {
    definitions[i] = {reductions[i].name, as_builtin(call_numbered_reduction), METH_FASTCALL, nullptr};
    name_objects[i] = lasting_name(reductions[i].name);
  }
  add_builtins(m.ptr(), definitions);
  define(m, "reduce",
         [](nb::handle x, nb::handle name, nb::handle axis, nb::handle keepdims, nb::handle dtype, nb::handle out) {
           return reduce_by(x, name, axis, keepdims, dtype, out);
         });
  define(m, "trace", [](nb::handle x, nb::handle offset, nb::handle out) { return trace(x, offset, out); });
}

}  // namespace suanzi::python
