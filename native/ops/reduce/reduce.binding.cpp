// The reductions as Python functions: their arguments, and which of the engine's functions computes each.
#include <iterator>

#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "python/operators.h"
#include "walk/copy.h"

namespace suanzi::python {
namespace {

struct Options {
  uint64_t axes;
  bool keepdims;
  std::optional<DType> dtype;
  double correction;  // of var and std
};

struct Reducing {
  const char* name;
  Tensor (*compute)(const Tensor& x, const Options& options);
};

template <Reduction op>
Tensor fold(const char* name, const Tensor& x, const Options& o) {
  return reduce(name, op, x, o.axes, o.keepdims, o.dtype);
}

constexpr Reducing reductions[] = {
    {"sum", [](const Tensor& x, const Options& o) { return fold<Reduction::sum>("sum", x, o); }},
    {"prod", [](const Tensor& x, const Options& o) { return fold<Reduction::prod>("prod", x, o); }},
    {"max", [](const Tensor& x, const Options& o) { return fold<Reduction::max>("max", x, o); }},
    {"min", [](const Tensor& x, const Options& o) { return fold<Reduction::min>("min", x, o); }},
    {"all", [](const Tensor& x, const Options& o) { return fold<Reduction::all>("all", x, o); }},
    {"any", [](const Tensor& x, const Options& o) { return fold<Reduction::any>("any", x, o); }},
    {"mean", [](const Tensor& x, const Options& o) { return mean(x, o.axes, o.keepdims, o.dtype); }},
    {"norm1", [](const Tensor& x, const Options& o) { return norm1(x, o.axes, o.keepdims, o.dtype); }},
    {"norm2", [](const Tensor& x, const Options& o) { return norm2(x, o.axes, o.keepdims, o.dtype); }},
    {"logsumexp", [](const Tensor& x, const Options& o) { return logsumexp(x, o.axes, o.keepdims, o.dtype); }},
    {"var", [](const Tensor& x, const Options& o) { return variance(x, o.axes, o.keepdims, o.dtype, o.correction); }},
    {"std", [](const Tensor& x,
               const Options& o) { return standard_deviation(x, o.axes, o.keepdims, o.dtype, o.correction); }},
};

PyObject* name_objects[std::size(reductions)];

// (x, axis, keepdims, dtype code or -1, out or None[, correction])
PyObject* call_reduction(const Reducing& reducing, PyObject* const* args, Py_ssize_t n) {
  const char* name = reducing.name;
  if (n != 5 && n != 6) fail(Status::invalid_argument, name, ": ", n, " arguments given where 5 or 6 are taken");
  // A copy: reading the other arguments may run code that destroys the tensor.
  const Tensor x = require_tensor(name, args[0]);
  const int64_t code = require_integer(name, "dtype", args[3]);
  const Options options{require_axes(name, args[1], x.rank()), require_truth(name, "keepdims", args[2]),
                        code < 0 ? std::nullopt : std::optional(require_dtype(name, code)),
                        n == 6 ? require_real(name, "correction", args[5]) : 0.0};
  Tensor result = unlocked_if_long(unlocked_work(x), [&] { return reducing.compute(x, options); });
  if (args[4] == Py_None) return wrap(std::move(result));
  const Tensor target = require_tensor(name, args[4]);
  check_out(name, target, result.shape, result.dtype);
  copy_into(name, target, result);
  return Py_NewRef(args[4]);
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

void add_reductions(PyObject* module) {
  static PyMethodDef definitions[std::size(reductions)];
  for (size_t i = 0; i < std::size(reductions); ++i) {
    definitions[i] = {reductions[i].name, as_builtin(call_numbered_reduction), METH_FASTCALL, nullptr};
    name_objects[i] = lasting_name(reductions[i].name);
  }
  add_builtins(module, definitions);
}

}  // namespace suanzi::python
