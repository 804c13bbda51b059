// Functions that select slices, rows and columns of compressed rows. Slices and selected rows of canonical rows are
// canonical.
#pragma once

#include "ops/sparse/values.h"

namespace suanzi::sparse {

// A Slice is the `count` indices start, start + step, … along an axis.
struct Slice {
  int64_t start, step, count;
};

Derived slice_rows(const char* op, const Pattern& p, const Slice& rows, const Slice& columns);

// Returns the rows whose numbers are in `rows`, in the order of `rows`. The numbers must be in bounds.
Derived select_rows(const char* op, const Pattern& p, const int64_t* rows, int64_t count);

// Returns the columns whose numbers are in the list `index`. The list is int64 and contiguous, and must be in bounds.
// Rows keep the order of their old columns, so the result is canonical only if the list ascends.
Derived select_columns(const char* op, const Pattern& p, const Tensor& index);

}  // namespace suanzi::sparse
