// Rows with mean 0 and variance 1, and exponentials divided by the sum of their row: each row in one go while it is in
// a core's own cache.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

struct Normalisation {
  bool centres;  // the mean is subtracted; else the rows are divided by the root of the mean of their squares
  double eps;
  std::optional<Tensor> weight = {}, bias = {};  // one element for each of a row
};

// x is of float32 or float64; its last `axes` dimensions are a row. The steps, and their bits, are those of the
// operators mean, subtract, square, add, rsqrt, multiply and multiply_add (src/suanzi/nn/normalisation.py).
Tensor normalise_rows(const char* op, const Tensor& x, int axes, const Normalisation& how);

// The softmax of the rows along the last dimension of x, which is of float32 or float64. The steps, and for rows of up
// to costs::whole_reduction elements their bits, are those of the operators max, subtract, exp, sum and true_divide.
Tensor softmax_rows(const char* op, const Tensor& x);

}  // namespace suanzi
