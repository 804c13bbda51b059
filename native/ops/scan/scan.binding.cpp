// Scans (cumulative sums and products) as Python functions.
#include "ops/scan/scan.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "python/results.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

template <Scan op>
nb::object scan_to(const char* name, nb::handle operand, nb::handle axis, nb::handle dtype, nb::handle include_initial,
                   nb::handle exclusive, nb::handle reverse, nb::handle out) {
  const Tensor x = require_tensor(name, operand.ptr());
  ScanOptions options;
  options.axis = optional_integer(name, "axis", axis.ptr());
  options.dtype = optional_dtype(name, dtype.ptr());
  options.include_initial = require_truth(name, "include_initial", include_initial.ptr());
  options.exclusive = require_truth(name, "exclusive", exclusive.ptr());
  options.reverse = require_truth(name, "reverse", reverse.ptr());
  return nb::steal(compute_into(name, x, options.dtype, out.ptr(), [&] { return scan(name, op, x, options); }));
}

template <Scan op>
void bind_scan(nb::module_& m, const char* name) {
  define(m, name,
         [name](nb::handle x, nb::handle axis, nb::handle dtype, nb::handle include_initial, nb::handle exclusive,
                nb::handle reverse, nb::handle out) {
           return scan_to<op>(name, x, axis, dtype, include_initial, exclusive, reverse, out);
         });
}

}  // namespace

void bind_scanning(nb::module_& m) {
  bind_scan<Scan::sum>(m, "cumulative_sum");
  bind_scan<Scan::prod>(m, "cumulative_prod");
}

}  // namespace suanzi::python
