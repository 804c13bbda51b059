// The elements of two patterns side by side: what operators of two sparse operands work on.
#pragma once

#include "sparse/values.h"

namespace suanzi::sparse {

// The places that both name, or that either does, and where their elements come from; -1 where one has none.
struct Merged {
  Pattern pattern;
  Origin first, second;
};

// Of two canonical patterns of one format and shape. Scratch memory: as much as the result, were no place shared.
Merged merge(const char* op, const Pattern& a, const Pattern& b, bool both);

}  // namespace suanzi::sparse
