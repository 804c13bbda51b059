// The merge of the elements of two patterns, for operators of two sparse operands.
#pragma once

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// The places of the intersection or of the union of two patterns, and the elements of the two patterns at these places.
// If a pattern lacks a place, the pattern's element at the place is zero.
struct Merged {
  Pattern pattern;
  Tensor first, second;
};

// Merges two canonical patterns of one format and shape, and their values. If `both` is true, the result contains only
// the places that the two patterns share. The scratch memory is a byte for each element of the two patterns. For
// coordinates of more than one dimension, the function also needs 8 bytes for each element. If `both` is true, the
// function also needs 16 bytes for each shared place.
Merged merge(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b, const Tensor& b_values,
             bool both);

}  // namespace suanzi::sparse
