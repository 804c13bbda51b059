// Random numbers as Python functions.
#include "ops/random/random.h"

#include <optional>

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

uint64_t require_seed(const char* op, nb::handle object) {
  const nb::object index = require_index(op, "seed", object.ptr());
  const uint64_t seed = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    fail(Status::out_of_range, op, ": seed ", shown(object.ptr()), " is outside [0, 2^64)");
  }
  return seed;
}

// Reads a parameter of a distribution, which is a number or a tensor of one element.
Scalar require_parameter(const char* op, const char* what, nb::handle object) {
  return PyTensor_Check(object.ptr()) ? require_number(op, what, object.ptr()) : require_scalar(op, object.ptr());
}

std::optional<Scalar> optional_parameter(const char* op, const char* what, nb::handle object) {
  return object.is_none() ? std::nullopt : std::optional(require_parameter(op, what, object));
}

template <class T>
const T* pointer(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

// Binds one function for each distribution. `describe` reads the first argument of both functions, which is a shape, or
// a tensor that determines the shape and other missing parameters.
void bind_distributions(nb::module_& m, const char* uniform_name, const char* normal_name, Describe describe) {
  define(m, uniform_name,
         [op = uniform_name, describe](nb::handle like, nb::handle low, nb::handle high, nb::handle seed,
                                       nb::handle dtype, nb::handle, nb::handle layout) {
           const Description d = describe(op, like.ptr(), dtype.ptr(), layout.ptr());
           const auto from = optional_parameter(op, "low", low), to = optional_parameter(op, "high", high);
           const uint64_t start = require_seed(op, seed);
           return unlocked_if_long(product(d.shape), [&] {
             return uniform(op, d.shape, pointer(from), pointer(to), start, d.dtype, d.order_if_any());
           });
         });
  define(m, normal_name,
         [op = normal_name, describe](nb::handle like, nb::handle mean, nb::handle std, nb::handle seed,
                                      nb::handle dtype, nb::handle, nb::handle layout) {
           const Description d = describe(op, like.ptr(), dtype.ptr(), layout.ptr());
           const Scalar center = require_parameter(op, "mean", mean), deviation = require_parameter(op, "std", std);
           const uint64_t start = require_seed(op, seed);
           return unlocked_if_long(product(d.shape), [&] {
             return normal(op, d.shape, center, deviation, start, d.dtype, d.order_if_any());
           });
         });
}

// Binds functions that draw a part of a tensor, beginning with the element `first` in row-major order.
void bind_parts(nb::module_& m) {
  define(m, "uniform_from", "(first: int, n: int, low: object, high: object, seed: int, dtype: DType, /) -> Tensor",
         [](nb::handle first, nb::handle n, nb::handle low, nb::handle high, nb::handle seed, nb::handle dtype) {
           constexpr const char* op = "uniform_from";
           const Dims shape{require_integer(op, "n", n.ptr())};
           const int64_t begin = require_integer(op, "first", first.ptr());
           const auto from = optional_parameter(op, "low", low), to = optional_parameter(op, "high", high);
           const uint64_t start = require_seed(op, seed);
           const DType t = require_dtype(op, dtype.ptr());
           return unlocked_if_long(
               shape[0], [&] { return uniform(op, shape, pointer(from), pointer(to), start, t, nullptr, begin); });
         });
  define(m, "normal_from", "(first: int, n: int, mean: object, std: object, seed: int, dtype: DType, /) -> Tensor",
         [](nb::handle first, nb::handle n, nb::handle mean, nb::handle std, nb::handle seed, nb::handle dtype) {
           constexpr const char* op = "normal_from";
           const Dims shape{require_integer(op, "n", n.ptr())};
           const int64_t begin = require_integer(op, "first", first.ptr());
           const Scalar center = require_parameter(op, "mean", mean), deviation = require_parameter(op, "std", std);
           const uint64_t start = require_seed(op, seed);
           const DType t = require_dtype(op, dtype.ptr());
           return unlocked_if_long(shape[0],
                                   [&] { return normal(op, shape, center, deviation, start, t, nullptr, begin); });
         });
  define(m, "bernoulli_from", "(first: int, p: Tensor, seed: int, /) -> Tensor",
         [](nb::handle first, nb::handle p, nb::handle seed) {
           constexpr const char* op = "bernoulli_from";
           const int64_t begin = require_integer(op, "first", first.ptr());
           const uint64_t start = require_seed(op, seed);
           const Tensor chances = require_tensor(op, p.ptr());
           return unlocked_if_long(chances.size, [&] { return bernoulli(chances, start, begin); });
         });
}

}  // namespace

void bind_random(nb::module_& m) {
  bind_parts(m);
  bind_distributions(m, "uniform", "normal", require_description);
  bind_distributions(m, "uniform_like", "normal_like", require_description_like);
  define(m, "bernoulli", [](nb::handle p, nb::handle seed) {
    const uint64_t start = require_seed("bernoulli", seed);
    const Tensor chances = require_tensor("bernoulli", p.ptr());
    return unlocked_if_long(chances.size, [&] { return bernoulli(chances, start); });
  });
  define(m, "multinomial", [](nb::handle p, nb::handle count, nb::handle flag, nb::handle seed, nb::handle output) {
    constexpr const char* op = "multinomial";
    const Tensor weights = require_tensor(op, p.ptr());
    const bool indices = require_choice(op, "output", output.ptr(), {"counts", "indices"}) == 1;
    const bool replacement = require_truth(op, "replacement", flag.ptr());
    const int64_t n = require_integer(op, "num_samples", count.ptr());
    const uint64_t start = require_seed(op, seed);
    return unlocked_if_long(weights.size + (indices ? n : 0),
                            [&] { return multinomial(weights, n, replacement, start, indices); });
  });
  define(m, "randperm", [](nb::handle n, nb::handle dtype, nb::handle seed, nb::handle) {
    constexpr const char* op = "randperm";
    const int64_t length = require_integer(op, "n", n.ptr());
    const uint64_t start = require_seed(op, seed);
    const DType t = require_dtype(op, dtype.ptr());
    return unlocked_if_long(length, [&] { return randperm(length, start, t); });
  });
}

}  // namespace suanzi::python
