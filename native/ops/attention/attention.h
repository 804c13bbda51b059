// Attention: weighted means of values, the weights being the softmax of products of queries and keys.
//
// The scores of a few queries at a time are in a core's own cache; there is no matrix of all of them.
#pragma once

#include <optional>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi::attention {

struct Options {
  double scale = 1;    // the factor of the products
  double softcap = 0;  // c > 0: the scores s become c tanh(s / c)
  // Query i stands at position offset + i among the keys, in each of the batch; it sees those from `before` positions
  // before its own to `after` positions after it; of each of the batch, the first ones.
  std::vector<int64_t> offsets = {};  // empty: 0 for each sequence
  std::optional<int64_t> before = {}, after = {};
  std::vector<int64_t> lengths = {};  // empty: queries see all keys
};

// The operands have one type, float32 or float64, but for a mask of bool; strides are any.
struct Operands {
  Tensor query;                     // (batch, heads, queries, size)
  Tensor key;                       // (batch, groups, keys, size); `groups` divides `heads`
  Tensor value;                     // (batch, groups, keys, width)
  std::optional<Tensor> mask = {};  // broadcasts to (batch, heads, queries, keys): True is seen; numbers are added
};

// Writes the means into `out`, of shape (batch, heads, queries, width) with contiguous rows. A query that sees no key,
// or only such as have a score of minus infinity, gets zeros. Scratch memory: some rows of scores for each thread.
void run(const char* op, const Operands& operands, const Options& options, const Tensor& out);

}  // namespace suanzi::attention
