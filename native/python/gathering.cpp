// Gathering and scattering by index as Python functions.
#include "python/bindings.h"

namespace suanzi::python {

void bind_gathering(nanobind::module_&) {}

}  // namespace suanzi::python
