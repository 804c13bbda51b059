// The elements of two patterns side by side, for operators of two sparse operands.
#pragma once

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// The places that both name, or that either does, and the elements there; zero where one has none.
struct Merged {
  Pattern pattern;
  Tensor first, second;
};

// Merges two canonical patterns of one format and shape, and their values. Scratch memory: a byte for each element of
// both, for coordinates of more than one dimension also a word.
Merged merge(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b, const Tensor& b_values,
             bool both);

}  // namespace suanzi::sparse
