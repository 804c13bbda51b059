// Normalisation of rows and channels as Python functions for suanzi.nn, which reads and checks the arguments of users.
#include "ops/normalise/normalise.h"

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {

void bind_normalisation(nb::module_& m) {
  define(m, "normalise_rows",
         "(operator: str, x: Tensor, axes: int, centres: bool, eps: float, weight: Tensor | None, bias: Tensor | None, "
         "/) -> Tensor",
         [](const char* op, nb::handle x, nb::handle axes, nb::handle centres, nb::handle eps, nb::handle weight,
            nb::handle bias) {
           const Normalisation how{require_truth(op, "centres", centres.ptr()), require_real(op, "eps", eps.ptr()),
                                   optional_tensor(op, weight), optional_tensor(op, bias)};
           const auto count = static_cast<int>(require_integer(op, "axes", axes.ptr()));
           const Tensor given = require_tensor(op, x.ptr());
           return unlocked_if_long(4 * given.size, [&] { return normalise_rows(op, given, count, how); });
         });
  define(m, "scale_channels",
         "(operator: str, x: Tensor, centre: Tensor | None, variance: Tensor | None, eps: float, weight: Tensor | None,"
         " bias: Tensor | None, /) -> Tensor",
         [](const char* op, nb::handle x, nb::handle centre, nb::handle variance, nb::handle eps, nb::handle weight,
            nb::handle bias) {
           const ChannelScaling how{optional_tensor(op, centre), optional_tensor(op, variance),
                                    require_real(op, "eps", eps.ptr()), optional_tensor(op, weight),
                                    optional_tensor(op, bias)};
           const Tensor given = require_tensor(op, x.ptr());
           return unlocked_if_long(2 * given.size, [&] { return scale_channels(op, given, how); });
         });
  define(m, "softmax_rows", "(operator: str, x: Tensor, /) -> Tensor", [](const char* op, nb::handle x) {
    const Tensor given = require_tensor(op, x.ptr());
    return unlocked_if_long(4 * given.size, [&] { return softmax_rows(op, given); });
  });
}

}  // namespace suanzi::python
