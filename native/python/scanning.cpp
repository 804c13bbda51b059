// Scans: cumulative sums and products as Python functions.
#include "python/bindings.h"

namespace suanzi::python {

void bind_scanning(nanobind::module_&) {}

}  // namespace suanzi::python
