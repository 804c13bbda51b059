// Functions that make new patterns from patterns. The functions sort elements, unite elements at the same place,
// compress rows, transpose, and select.
#pragma once

#include "ops/sparse/rows.h"
#include "ops/sparse/values.h"

namespace suanzi::sparse {

// Returns the canonical pattern of the same format, in row-major order. Elements of one place are summed in the order
// of the pattern. The scratch memory is 16 bytes for each element.
Derived coalesce(const char* op, const Pattern& p);

// Returns the dense tensor of a pattern and its values. The pattern need not be canonical, because the function adds
// elements of the same place.
Tensor coalesced_to_dense(const char* op, const Pattern& p, const Tensor& values);

// Returns the canonical pattern of compressed rows for a pattern of two dimensions.
Derived to_rows(const char* op, const Pattern& p);

// Returns the pattern with its dimensions in another order. Compressed rows stay compressed. If the order of the
// dimensions changes, compressed rows become canonical.
Derived permute(const char* op, const Pattern& p, const Dims& axes);

// Returns true if the permutation transposes compressed rows, and one pass can transpose the rows together with their
// values.
bool transposes_at_once(const Pattern& p, const Tensor& values, const Dims& axes);
struct Transposed {
  Pattern pattern;
  Tensor values;
};
Transposed transpose_rows(const char* op, const Pattern& p, const Tensor& values);

// Returns the elements inside a slice along each axis. The slices must be in bounds.
Derived slice(const char* op, const Pattern& p, const Slice* slices);

// Returns the elements whose coordinates along `axis` are in the vector `index`, in the order of the vector. The vector
// is int64 and contiguous.
Derived index_select(const char* op, const Pattern& p, const Tensor& index, int axis);

}  // namespace suanzi::sparse
