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
    fail(Status::out_of_range, op, ": seed is outside [0, 2^64)");
  }
  return seed;
}

std::optional<Scalar> optional_scalar(const char* op, nb::handle object) {
  return object.is_none() ? std::nullopt : std::optional(require_scalar(op, object.ptr()));
}

template <class T>
const T* pointer(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

}  // namespace

void bind_random(nb::module_& m) {
  define(m, "uniform",
         [](nb::handle shape, nb::handle low, nb::handle high, nb::handle seed, nb::handle dtype, nb::handle layout,
            nb::handle device) {
           const Description d = require_description("uniform", shape.ptr(), dtype.ptr(), layout.ptr(), device.ptr());
           const auto from = optional_scalar("uniform", low), to = optional_scalar("uniform", high);
           const uint64_t start = require_seed("uniform", seed);
           return unlocked_if_long(product(d.shape), [&] {
             return uniform(d.shape, pointer(from), pointer(to), start, d.dtype, d.order_if_any());
           });
         });
  define(m, "normal",
         [](nb::handle shape, nb::handle mean, nb::handle std, nb::handle seed, nb::handle dtype, nb::handle layout,
            nb::handle device) {
           const Description d = require_description("normal", shape.ptr(), dtype.ptr(), layout.ptr(), device.ptr());
           const Scalar center = require_scalar("normal", mean.ptr()), deviation = require_scalar("normal", std.ptr());
           const uint64_t start = require_seed("normal", seed);
           return unlocked_if_long(
               product(d.shape), [&] { return normal(d.shape, center, deviation, start, d.dtype, d.order_if_any()); });
         });
  define(m, "bernoulli", [](nb::handle p, nb::handle seed) {
    const uint64_t start = require_seed("bernoulli", seed);
    const Tensor chances = require_tensor("bernoulli", p.ptr());
    return unlocked_if_long(chances.size, [&] { return bernoulli(chances, start); });
  });
  define(m, "multinomial", [](nb::handle p, nb::handle count, nb::handle flag, nb::handle seed, bool indices) {
    const bool replacement = require_truth("multinomial", "replacement", flag.ptr());
    const int64_t n = require_integer("multinomial", "num_samples", count.ptr());
    const uint64_t start = require_seed("multinomial", seed);
    const Tensor weights = require_tensor("multinomial", p.ptr());
    return unlocked_if_long(weights.size + (indices ? n : 0),
                            [&] { return multinomial(weights, n, replacement, start, indices); });
  });
  define(m, "randperm", [](nb::handle n, nb::handle seed, int64_t dtype) {
    const int64_t length = require_integer("randperm", "n", n.ptr());
    const uint64_t start = require_seed("randperm", seed);
    const DType t = require_dtype("randperm", dtype);
    return unlocked_if_long(length, [&] { return randperm(length, start, t); });
  });
}

}  // namespace suanzi::python
