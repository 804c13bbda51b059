// Reductions of sparse tensors over axes of their patterns, where elements that are not stored are zero. Stored
// elements are folded one by one in their order, so that the bits do not depend on the threads.
#pragma once

#include "kernels/operations.h"
#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

// The fold (sum, prod, max or min) over all axes of the pattern but those whose bits are set in `kept`, of one for each
// place of these axes: shape (sizes kept …, block …). No place is named twice, and no axis that is not kept has size 0.
// The 16-bit floating types are computed in float32 and rounded once. Scratch memory: a word for each result.
Tensor fold(const char* op, Reduction reduction, const Pattern& p, const Tensor& values, uint64_t kept);

}  // namespace suanzi::sparse
