// Functions that move the values of a sparse tensor to another pattern. Values have the shape (count, …). Each element
// may be a block of numbers.
#pragma once

#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

// The origin of the elements of a new pattern. If neither `runs` nor `spans` is set, element k is the old element
// from[k]. If `runs` is set, element k is the sum of the old elements from[runs[k]] … from[runs[k + 1] - 1]. If `spans`
// is set, the elements starts[r] … starts[r + 1] - 1 are consecutive old elements, beginning with spans[r]. If `from`
// is not set, from[i] means i. All members are int64.
struct Origin {
  Tensor from{}, runs{};
  Tensor spans{}, starts{};

  bool moves() const { return static_cast<bool>(from.storage); }
  bool sums() const { return static_cast<bool>(runs.storage); }
  bool spanned() const { return static_cast<bool>(spans.storage); }
};

// A pattern made from other patterns, and the origin of its elements.
struct Derived {
  Pattern pattern;
  Origin origin;
};

// Fails unless `values` can be the values of a pattern. Values are numbers of shape (count, …).
void check_values(const char* op, const Pattern& p, const Tensor& values);

// Returns the values of a new pattern, made from the old values by `origin`. Sums of 16-bit floating types are rounded
// once. The sum of bools is `or`.
Tensor carry(const char* op, const Tensor& values, const Origin& origin);

// Copies the spans of an origin one after the other, for elements of any type with the shape (count, …).
Tensor copy_spans(const char* op, const Tensor& x, const Tensor& spans, const Tensor& starts);

// Returns a dense tensor with the values at the places of a canonical pattern, and zeros elsewhere.
Tensor to_dense(const char* op, const Pattern& p, const Tensor& values);

// Returns the elements of a dense tensor, whose shape begins with the pattern's shape, at the pattern's places.
Tensor from_dense(const char* op, const Pattern& p, const Tensor& dense);

}  // namespace suanzi::sparse
