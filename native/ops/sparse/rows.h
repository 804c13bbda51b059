// Compressed rows chosen from compressed rows, without a change of order. Canonical rows stay so.
#pragma once

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// The indices start, start + step, … along an axis, of which there are `count`.
struct Slice {
  int64_t start, step, count;
};

Derived slice_rows(const char* op, const Pattern& p, const Slice& rows, const Slice& columns);

// The rows that a list names, in its order; they are in bounds.
Derived select_rows(const char* op, const Pattern& p, const int64_t* rows, int64_t count);

// The columns that a list (int64, contiguous) names, in bounds. Rows stay in the order of their old columns: canonical
// only where the list ascends.
Derived select_columns(const char* op, const Pattern& p, const Tensor& index);

}  // namespace suanzi::sparse
