// Sorting, its permutations, and what rests on order as Python functions.
#include "python/bindings.h"

namespace suanzi::python {

void bind_sorting(nanobind::module_&) {}

}  // namespace suanzi::python
