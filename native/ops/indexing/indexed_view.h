// IndexedView is the normal form of the arguments of all operators that gather or scatter by index. The functions in
// this file convert arguments to the normal form. ops/indexing/gather.h and scatter.h move the elements of any indexed
// view.
//
// An indexed view is a view in which indices select along some axes. The address of the element at position r is
//     sum of r[d] * strides[d]  +  sum over lookups of index(r) * lookup.stride
// elements after the base's first element, where index(r) is an element of the lookup's index tensor, broadcast to the
// shape of the view.
#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi {

struct Lookup {
  Tensor index;    // integers in [-size, size)
  Dims strides;    // the strides of the index along the dimensions of the view
  int64_t size;    // the size of the axis along which indices select
  int64_t stride;  // the stride of that axis
  int axis;        // the number of the axis for messages
};

struct IndexedView {
  Tensor base;
  Dims shape;
  Dims strides;                 // strides in elements of the base, and 0 along dimensions that only the indices have
  std::vector<Lookup> lookups;  // at least one lookup
};

// An index tensor, and the axis of a tensor along which the index selects.
struct AxisIndex {
  Tensor index;
  int axis;      // the axis of the tensor
  int named_as;  // the number of the axis in messages
};

// Returns a view of x in which the common shape of the indices replaces the indexed axes. The indices broadcast to this
// shape. The function inserts the shape after the first `place` remaining axes. x and every index share the first
// `batch` dimensions.
IndexedView index_axes(const char* op, const Tensor& x, std::vector<AxisIndex> indices, int place, int batch = 0);

// Returns x indexed along one axis by an index of the same rank. `shape` is the shape of the view. Along another
// axis, `shape` is not larger than the shape of x unless x has size 1. The index broadcasts to `shape`.
IndexedView index_along(const char* op, const Tensor& x, const Tensor& index, int axis, const Dims& shape);

// Returns x indexed by the tuples in the last dimension of `indices`. A tuple has one number for each axis after the
// first `batch` axes.
IndexedView index_tuples(const char* op, const Tensor& x, const Tensor& indices, int batch);

}  // namespace suanzi
