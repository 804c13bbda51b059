// Pattern: the places of the elements of a sparse tensor. The indices of a pattern have been checked once and never
// change, so all files of sparse/ may use them without further checks.
//
// A pattern of coordinates (COO) has a row of `indices` for each dimension. A pattern of compressed rows (CSR) has the
// column of each element, and for each row the number of its first element. A pattern may have a place twice: the
// tensor's element at that place is the sum of both elements.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::sparse {

enum class Format : uint8_t { coo, csr };

struct Pattern {
  Format format = Format::coo;
  Dims shape;
  // Coordinates (rank, count), with contiguous rows, or columns (count,): int32, or int64 if a size needs it.
  Tensor indices;
  Tensor starts;  // the starts of compressed rows: int64, with one more entry than there are rows
  // the type in which coordinates are returned: the type in which they were given, or a wider type if needed
  DType index_type = DType::int64;
  DType starts_type = DType::int64;  // the type in which starts are returned
  bool canonical = false;            // true if elements are in row-major order and no place occurs twice

  int rank() const { return shape.size(); }
  int64_t count() const { return indices.shape[indices.rank() - 1]; }
  template <class Index>
  const Index* row(int axis) const {
    return indices.as<Index>() + axis * indices.strides[0];
  }
};

// Returns the type that can number places along dimensions of these sizes.
DType index_type_for(const Dims& shape);

// Calls call.operator()<Index>() for the type of a pattern's indices.
template <class Call>
auto with_index(const Pattern& p, Call call) {
  if (p.indices.dtype == DType::int32) return call.template operator()<int32_t>();
  return call.template operator()<int64_t>();
}

// Create checked patterns from coordinates (count, rank), and from starts and columns, of any integer type; both copy.
Pattern from_coordinates(const char* op, const Dims& shape, const Tensor& coordinates);
Pattern from_rows(const char* op, const Dims& shape, const Tensor& starts, const Tensor& columns);

// Returns a pattern of indices that have the type for the shape and are known to be valid.
Pattern make_coordinates(const Dims& shape, Tensor indices, DType index_type, bool canonical);

// Return copies in the types for users: coordinates (count, rank) or columns (count,), and starts.
Tensor shown_indices(const char* op, const Pattern& p);
Tensor shown_starts(const char* op, const Pattern& p);

// Returns compressed rows as coordinates; the elements keep their order.
Pattern to_coordinates(const char* op, const Pattern& p);

// Returns the coordinates of the axes from `first` up to `last` as one row-major number (int64) each; the numbers must
// fit.
Tensor linear_places(const char* op, const Pattern& p, int first, int last);
// Returns one number for each element, made from its coordinates along the axes whose bits are set.
Tensor linear_places(const char* op, const Pattern& p, uint64_t axes);

// Returns the pattern in another shape with the same number of places.
Pattern reshape(const char* op, const Pattern& p, const Dims& shape);

}  // namespace suanzi::sparse
