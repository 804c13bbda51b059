// Random numbers as Python functions.
#include "python/bindings.h"

namespace suanzi::python {

void bind_random(nanobind::module_&) {}

}  // namespace suanzi::python
