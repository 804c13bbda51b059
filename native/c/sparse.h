// Queries of the handles of sparse tensors.
#pragma once

#include "c/handle.h"

namespace suanzi::c {

// The sizes of the pattern, and those of blocks.
Dims shape_of(const SparseTensor& x);

}  // namespace suanzi::c
