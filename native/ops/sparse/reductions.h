// Reductions of sparse tensors over axes of the tensors' patterns. Elements that are not stored are zero. One thread
// folds all stored elements of a result, in a fixed order, so the bits do not depend on the number of threads.
#pragma once

#include "kernels/operations.h"
#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

// Folds (sum, prod, max or min) over all axes of the pattern except axes whose bits are set in `kept`. The result has
// the shape (sizes kept …, block …), with one block for each place of the kept axes. The pattern must not contain a
// place twice, and a reduced axis must not have size 0. Folds of 16-bit floating types are computed in float32 and
// rounded once. The scratch memory is 8 bytes for each stored element and 8 bytes for each result.
Tensor fold(const char* op, Reduction reduction, const Pattern& p, const Tensor& values, uint64_t kept);

}  // namespace suanzi::sparse
