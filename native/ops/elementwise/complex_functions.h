// The mathematical functions of complex numbers. Most functions call the C library for each element. The code is
// compiled once for all instruction-set levels, so that shared inline functions contain no instructions that only some
// levels have.
#pragma once

#include "kernels/kernel.h"

namespace suanzi {

// Stores the kernels of the complex functions (sqrt, rsqrt, exp, log, sin, …) for complex64 and complex128.
void fill_complex_functions(KernelTable& table);

// Computes z^w for any w, with parts of type T.
template <class T>
void complex_power(void* out, const void* const* in, int64_t n, const KernelParams& params);
extern template void complex_power<float>(void*, const void* const*, int64_t, const KernelParams&);
extern template void complex_power<double>(void*, const void* const*, int64_t, const KernelParams&);

}  // namespace suanzi
