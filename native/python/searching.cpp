// Searching: argmax, nonzero, selection by a mask as Python functions.
#include "python/bindings.h"

namespace suanzi::python {

void bind_searching(nanobind::module_&) {}

}  // namespace suanzi::python
