// The application of the rule for values that may become elements (base/limits.h) to a whole tensor (clause 7.2.1.1.3
// of the standard).
#pragma once

#include "base/limits.h"
#include "tensor/tensor.h"

namespace suanzi {

// Fails with TYPE_MISMATCH or OUT_OF_RANGE for the first element of x, in row-major order, that type `t` cannot hold.
// For complex types, the function checks all real parts before the imaginary parts. Fails with TYPE_MISMATCH if only
// one of the two types is string, or if only x is complex.
void check_fits(const char* op, const Tensor& x, DType t);

}  // namespace suanzi
