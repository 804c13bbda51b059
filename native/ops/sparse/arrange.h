// Patterns in another order: sorted with places named once, as compressed rows, transposed, chosen from.
#pragma once

#include "ops/sparse/rows.h"
#include "ops/sparse/values.h"

namespace suanzi::sparse {

// The canonical pattern of the same format: row-major order, elements of one place summed in the order that they had.
// Scratch memory: two words an element.
Derived coalesce(const char* op, const Pattern& p);

// to_dense of any pattern.
Tensor coalesced_to_dense(const char* op, const Pattern& p, const Tensor& values);

// The canonical pattern of compressed rows, of a pattern of two dimensions.
Derived to_rows(const char* op, const Pattern& p);

// The dimensions in another order. Compressed rows stay so, and become canonical.
Derived permute(const char* op, const Pattern& p, const Dims& axes);

// True if a permutation is the transpose of rows that can be transposed with their values, in one pass.
bool transposes_at_once(const Pattern& p, const Tensor& values, const Dims& axes);
struct Transposed {
  Pattern pattern;
  Tensor values;
};
Transposed transpose_rows(const char* op, const Pattern& p, const Tensor& values);

// Along each axis the indices of a slice, in bounds.
Derived slice(const char* op, const Pattern& p, const Slice* slices);

// Along the axis the indices that a vector (int64, contiguous) names, in its order.
Derived index_select(const char* op, const Pattern& p, const Tensor& index, int axis);

}  // namespace suanzi::sparse
