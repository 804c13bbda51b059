// Products of compressed rows whose elements are numbers, not blocks. One thread computes each row of a result in a
// fixed order, so the bits do not depend on the number of threads.
#pragma once

#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

struct Product {
  Pattern pattern;
  Tensor values;
};

// Multiplies a pattern of shape (m, k), whose elements are numbers, and a dense tensor of shape (k,) or (k, n). The
// function promotes the types of the operands to a common type. Products of 16-bit floating types are computed in
// float32 and rounded once.
Tensor multiply_dense(const char* op, const Pattern& a, const Tensor& values, const Tensor& dense);

// Multiplies patterns of shapes (m, k) and (k, n). The result has canonical rows. The result has an element at each
// place to which at least one product of two elements contributes, even if the sum is 0. If a row of the result has
// many products, the scratch memory of each thread is an element and an index for each of n columns. Otherwise, the
// scratch memory of each thread is an element and 16 bytes for each product in a row. If the number of products is at
// most costs::roomy_products, the threads also share memory for an element and an index for each product.
Product multiply_rows(const char* op, const Pattern& a, const Tensor& a_values, const Pattern& b,
                      const Tensor& b_values);

}  // namespace suanzi::sparse
