// Selects compressed rows from compressed rows, without a change of order. Canonical rows stay canonical.
#pragma once

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// The indices start, start + step, … along an axis; there are `count` of them.
struct Slice {
  int64_t start, step, count;
};

Derived slice_rows(const char* op, const Pattern& p, const Slice& rows, const Slice& columns);

// Returns the rows that a list names, in its order; the list must be in bounds.
Derived select_rows(const char* op, const Pattern& p, const int64_t* rows, int64_t count);

// Returns the columns that a list (int64, contiguous) names; the list must be in bounds. Rows keep the order of their
// old columns, so the result is canonical only if the list ascends.
Derived select_columns(const char* op, const Pattern& p, const Tensor& index);

}  // namespace suanzi::sparse
