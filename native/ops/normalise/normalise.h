// Normalisation of rows to mean 0 and variance 1, softmax of rows, and scaling of channels. All steps run on a row
// while the row is in a core's own cache.
#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace suanzi {

struct Normalisation {
  // If `centres` is true, the functions subtract the mean from rows. Otherwise, the functions only divide rows by the
  // root mean square.
  bool centres;
  double eps;
  std::optional<Tensor> weight = {}, bias = {};  // tensors with one element for each element of a row
};

// Normalises x, of float32 or float64, whose last `axes` dimensions are a row. The function runs the same steps and
// returns the same bits as the operators mean, subtract, square, add, rsqrt, multiply and multiply_add
// (src/suanzi/nn/normalisation.py).
Tensor normalise_rows(const char* op, const Tensor& x, int axes, const Normalisation& how);

// The parameters of each channel. The code divides `weight` by the root of `variance` + eps to compute a factor. Then
// the code subtracts `centre` from the elements of the channel, multiplies the differences by the factor, and adds
// `bias`.
struct ChannelScaling {
  std::optional<Tensor> centre, variance;
  double eps;
  std::optional<Tensor> weight = {}, bias = {};
};

// Scales the channels of x, of float32 or float64 and shape (N, C, ...). The function runs the same steps and returns
// the same bits as the operators subtract, add, rsqrt, multiply and multiply_add (src/suanzi/nn/normalisation.py).
Tensor scale_channels(const char* op, const Tensor& x, const ChannelScaling& how);

// Computes the softmax of rows along the last dimension of x, of float32 or float64. The function runs the same steps
// as the operators max, subtract, exp, sum and true_divide. For rows of up to costs::whole_reduction elements, the
// function also returns the same bits as these operators.
Tensor softmax_rows(const char* op, const Tensor& x);

}  // namespace suanzi
