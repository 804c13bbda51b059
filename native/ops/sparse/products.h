// Products of compressed rows whose elements are numbers, not blocks. One thread computes each row of a result in a
// fixed order, so the bits do not depend on the threads.
#pragma once

#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

struct Product {
  Pattern pattern;
  Tensor values;
};

// Multiplies rows (m, k) with one number each by a dense (k,) or (k, n). Types promote; 16-bit floating types are
// computed in float32 and rounded once.
Tensor multiply_dense(const char* op, const Pattern& a, const Tensor& values, const Tensor& dense);

// Multiplies rows (m, k) by rows (k, n). The result has canonical rows, with a place wherever two elements meet.
// Scratch memory for each thread: an element for each of n columns if rows of the result are long, else two words for
// each product in a row. For all threads together: an element for each product, if these are at most some millions.
Product multiply_rows(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b,
                      const Tensor& b_values);

}  // namespace suanzi::sparse
