// Merges the elements of two patterns, for operators of two sparse operands.
#pragma once

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// The places that both patterns have, or that either has, and the elements of both patterns at these places; the
// element is zero if the pattern lacks the place.
struct Merged {
  Pattern pattern;
  Tensor first, second;
};

// Merges two canonical patterns of one format and shape, and their values. The scratch memory is a byte for each
// element of both patterns, and for coordinates of more than one dimension also a word for each.
Merged merge(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b, const Tensor& b_values,
             bool both);

}  // namespace suanzi::sparse
