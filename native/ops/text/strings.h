// Comparison, choice and truth of strings. The code is the same for every level, and is compiled once.
#pragma once

#include "kernels/kernel.h"

namespace suanzi {

// Stores the kernels for strings in the tables. The kernels compute the operations `equal`, `not_equal`, `less`,
// `less_equal`, `greater`, `greater_equal`, `maximum`, `minimum`, `argmax` and `argmin`, and the truth of strings.
void fill_text(KernelTable& table, CompactKernels& compact, SearchTable& search);

}  // namespace suanzi
