// A Pattern holds the places of the elements of a sparse tensor. The indices of a pattern have been checked once and
// never change, so all files of sparse/ may use indices without further checks.
//
// A pattern of coordinates (COO) holds a row of `indices` for each dimension. A pattern of compressed rows (CSR) holds
// the column of each element, and for each row the number of its first element. A pattern may contain a place more than
// once. The tensor's element at this place is the sum of all elements at the place.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::sparse {

enum class Format : uint8_t { coo, csr };

struct Pattern {
  Format format = Format::coo;
  Dims shape;
  // The coordinates, of shape (rank, count) with contiguous rows, or the columns, of shape (count,). The type is int32,
  // or int64 if a size needs int64.
  Tensor indices;
  // The starts of compressed rows, in int64. This tensor has one entry more than rows.
  Tensor starts;
  // The type in which users receive coordinates. If the caller passed int16 or int32, the type is the same type, or a
  // wider type if the sizes need a wider type. For all other types, the type is int64.
  DType index_type = DType::int64;
  DType starts_type = DType::int64;  // the type in which users receive starts
  // `canonical` is true if elements are in row-major order and no place occurs twice.
  bool canonical = false;

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

// These functions create checked patterns from coordinates of shape (count, rank), or from starts and columns. The
// arguments may have any integer type, and the functions copy the arguments.
Pattern from_coordinates(const char* op, const Dims& shape, const Tensor& coordinates);
Pattern from_rows(const char* op, const Dims& shape, const Tensor& starts, const Tensor& columns);

// Returns a pattern of coordinates. `indices` must be valid and have the type index_type_for(shape). The function does
// not check the indices.
Pattern make_coordinates(const Dims& shape, Tensor indices, DType index_type, bool canonical);

// These functions return copies in the types for users. `shown_indices` returns coordinates of shape (count, rank) or
// columns of shape (count,), and `shown_starts` returns starts.
Tensor shown_indices(const char* op, const Pattern& p);
Tensor shown_starts(const char* op, const Pattern& p);

// Returns compressed rows as coordinates. The elements keep their order.
Pattern to_coordinates(const char* op, const Pattern& p);

// Returns one number for each element, the row-major number of the element's coordinates along the axes [first, last).
// The numbers must fit int64.
Tensor linear_places(const char* op, const Pattern& p, int first, int last);
// Returns one number for each element, the row-major number of the element's coordinates along the axes whose bits are
// set.
Tensor linear_places(const char* op, const Pattern& p, uint64_t axes);

// Returns true if two shapes have the same sizes other than 1, in the same order. The coordinates in the two shapes
// then differ only by axes of size 1.
bool differ_by_ones(const Dims& a, const Dims& b);
// Returns the pattern in another shape with the same number of places.
Pattern reshape(const char* op, const Pattern& p, const Dims& shape);

}  // namespace suanzi::sparse
