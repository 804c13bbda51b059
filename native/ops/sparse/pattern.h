// Pattern: where the elements of a sparse tensor are. Its numbers have been checked once and never change, so that all
// of sparse/ may index with them.
//
// Coordinates (COO): a row of `indices` for each dimension. Compressed rows (CSR): the column of each element, and for
// each row where its elements start. A pattern may name a place twice: the elements there add up.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::sparse {

enum class Format : uint8_t { coo, csr };

struct Pattern {
  Format format = Format::coo;
  Dims shape;
  // (rank, count) coordinates, each row contiguous, or (count,) columns: int32, or int64 where a size needs it.
  Tensor indices;
  Tensor starts;                     // starts of compressed rows: int64, one more than there are rows
  DType index_type = DType::int64;   // in which coordinates are shown, as they were given: a wider one where it must
  DType starts_type = DType::int64;  // the type in which starts are shown
  bool canonical = false;            // in row-major order, no place twice

  int rank() const { return shape.size(); }
  int64_t count() const { return indices.shape[indices.rank() - 1]; }
  template <class Index>
  const Index* row(int axis) const {
    return indices.as<Index>() + axis * indices.strides[0];
  }
};

// The type that numbers places along dimensions of these sizes.
DType index_type_for(const Dims& shape);

// call.operator()<Index>() for the type of a pattern's indices.
template <class Call>
auto with_index(const Pattern& p, Call call) {
  if (p.indices.dtype == DType::int32) return call.template operator()<int32_t>();
  return call.template operator()<int64_t>();
}

// Checked patterns of coordinates (count, rank) and of starts and columns, of any integer type; copies.
Pattern from_coordinates(const char* op, const Dims& shape, const Tensor& coordinates);
Pattern from_rows(const char* op, const Dims& shape, const Tensor& starts, const Tensor& columns);

// A pattern of indices in the type that the shape asks for, known to be good.
Pattern make_coordinates(const Dims& shape, Tensor indices, DType index_type, bool canonical);

// Copies in the types that are shown: (count, rank) coordinates, (count,) columns, starts.
Tensor shown_indices(const char* op, const Pattern& p);
Tensor shown_starts(const char* op, const Pattern& p);

// Compressed rows written out as coordinates; the elements stay in their order.
Pattern to_coordinates(const char* op, const Pattern& p);

// Coordinates of the axes from `first` up to `last` as one row-major number (int64) each; they must fit.
Tensor linear_places(const char* op, const Pattern& p, int first, int last);
// Coordinates of the axes whose bits are set as one number each.
Tensor linear_places(const char* op, const Pattern& p, uint64_t axes);

// Returns the pattern in another shape of as many places.
Pattern reshape(const char* op, const Pattern& p, const Dims& shape);

}  // namespace suanzi::sparse
