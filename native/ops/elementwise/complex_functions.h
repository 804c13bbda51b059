// The mathematical functions of complex numbers, element by element through the C library: the same code for every
// instruction-set level, compiled once, so that no level's instructions get into shared inline functions.
#pragma once

#include "kernels/kernel.h"

namespace suanzi {

// Stores the kernels of sqrt, rsqrt, pow, exp, log, sin, … for complex64 and complex128.
void fill_complex_functions(KernelTable& table);

}  // namespace suanzi
