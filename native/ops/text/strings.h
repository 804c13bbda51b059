// Comparison, choice and truth of strings. The code is the same for every instruction-set level and compiled once.
#pragma once

#include "kernels/kernel.h"

namespace suanzi {

// Stores the kernels for strings: equal, not_equal, less, less_equal, greater, greater_equal, maximum, minimum, argmax
// and argmin, and their truth.
void fill_text(KernelTable& table, CompactKernels& compact, SearchTable& search);

}  // namespace suanzi
