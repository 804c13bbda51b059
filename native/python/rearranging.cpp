// Joining and rearranging: concat, pad, roll and their kind as Python functions.
#include "python/bindings.h"

namespace suanzi::python {

void bind_rearranging(nanobind::module_&) {}

}  // namespace suanzi::python
