// Products of compressed rows, whose elements are numbers, no blocks. Each row of a result is computed by one thread in
// a fixed order, so that the bits do not depend on the threads.
#pragma once

#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

struct Product {
  Pattern pattern;
  Tensor values;
};

// Rows (m, k) with one number each times a dense (k,) or (k, n). Types promote; the 16-bit floating ones are computed
// in float32 and rounded once.
Tensor multiply_dense(const char* op, const Pattern& a, const Tensor& values, const Tensor& dense);

// Rows (m, k) times rows (k, n): canonical rows, with a place wherever two elements meet. Scratch memory for each
// thread: an element for each of n columns where rows of the result are long, else two words for each product in a row;
// and for all an element for each product where they are at most some millions.
Product multiply_rows(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b,
                      const Tensor& b_values);

}  // namespace suanzi::sparse
