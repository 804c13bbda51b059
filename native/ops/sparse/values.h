// The values of a sparse tensor on their way into another pattern. They have the shape (count, …): each element may be
// a block of numbers.
#pragma once

#include "ops/sparse/pattern.h"

namespace suanzi::sparse {

// The origin of the elements of a new pattern: element k is the old element from[k], and where there are runs the sum
// of the old elements from[runs[k]] … from[runs[k + 1] - 1]; where there are spans, elements starts[r] … of the new one
// are the old ones from spans[r] on. All are int64; without any of them they are the old ones in their order.
struct Origin {
  Tensor from{}, runs{};
  Tensor spans{}, starts{};

  bool moves() const { return static_cast<bool>(from.storage); }
  bool sums() const { return static_cast<bool>(runs.storage); }
  bool spanned() const { return static_cast<bool>(spans.storage); }
};

// A pattern made from others, and where its elements come from.
struct Derived {
  Pattern pattern;
  Origin origin;
};

// Fails unless these can be the values of a pattern, numbers of shape (count, …).
void check_values(const char* op, const Pattern& p, const Tensor& values);

// The values of the new pattern. Sums of 16-bit floating types are rounded once; those of bool are `or`.
Tensor carry(const char* op, const Tensor& values, const Origin& origin);

// The spans of an origin one after the other, of elements of any kind: of the shape (count, …).
Tensor copy_spans(const char* op, const Tensor& x, const Tensor& spans, const Tensor& starts);

// A dense tensor of the values at the places of a canonical pattern, zero elsewhere.
Tensor to_dense(const char* op, const Pattern& p, const Tensor& values);

// The elements of a dense tensor, whose shape begins with the pattern's, at the pattern's places.
Tensor from_dense(const char* op, const Pattern& p, const Tensor& dense);

}  // namespace suanzi::sparse
