// What the handles of sparse tensors are asked.
#pragma once

#include "c/handle.h"

namespace suanzi::c {

// The sizes of the pattern, and those of blocks.
Dims shape_of(const SparseTensor& x);

}  // namespace suanzi::c
