// Attention computes weighted means of values. The weights are the softmax of products of queries and keys.
//
// The scores of a few queries at a time stay in a core's own cache. The code never stores a matrix of all scores.
#pragma once

#include <optional>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi::attention {

struct Options {
  double scale = 1;    // the factor of the products of queries and keys
  double softcap = 0;  // if c = softcap is positive, each score s becomes c tanh(s / c)
  // In each sequence of the batch, query i is at position offset + i among the keys. The query sees the keys from
  // `before` positions before this position to `after` positions after this position. The query sees only the first
  // `lengths` keys of the sequence.
  std::vector<int64_t> offsets = {};  // empty means 0 for each sequence
  std::optional<int64_t> before = {}, after = {};
  std::vector<int64_t> lengths = {};  // empty means that queries see all keys
};

// The operands have one type, float32 or float64, except a mask of bool. The operands may have any strides.
struct Operands {
  Tensor query;  // (batch, heads, queries, size)
  Tensor key;    // (batch, groups, keys, size); `groups` divides `heads`
  Tensor value;  // (batch, groups, keys, width)
  // The mask must broadcast to (batch, heads, queries, keys). A query sees keys whose mask is True. The code adds a
  // mask of numbers to the scores.
  std::optional<Tensor> mask = {};
};

// Writes the means into `out`, of shape (batch, heads, queries, width) with contiguous rows. A query that sees no key,
// or only keys with a score of minus infinity, has the mean zero. The scratch memory holds some rows of scores for each
// thread.
void run(const char* op, const Operands& operands, const Options& options, const Tensor& out);

}  // namespace suanzi::attention
