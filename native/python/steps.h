// The loop over the calls of a model.
#pragma once

#include <nanobind/nanobind.h>

namespace suanzi::python {

// Adds `call_steps` to the module.
void bind_steps(nanobind::module_& m);

}  // namespace suanzi::python
