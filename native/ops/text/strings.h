// Comparison, choice and truth of strings: the same code for every instruction-set level, compiled once.
#pragma once

#include "kernels/kernel.h"

namespace suanzi {

// Stores the kernels of equal, not_equal, less, less_equal, greater, greater_equal, maximum and minimum for strings, of
// argmax and argmin, and their truth.
void fill_text(KernelTable& table, CompactKernels& compact, SearchTable& search);

}  // namespace suanzi
