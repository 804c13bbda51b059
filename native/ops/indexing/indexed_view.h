// IndexedView: the normal form of everything that gathers or scatters by index, and how the operators' arguments become
// one. Nothing moves here; ops/indexing/gather.h and scatter.h do that for any indexed view.
//
// It is a view in which some axes are looked up: the element at position r lies at
//     sum of r[d] * strides[d]  +  sum over lookups of index(r) * lookup.stride
// elements after the base's first, where index(r) is an element of the lookup's index tensor, broadcast to the shape.
#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi {

struct Lookup {
  Tensor index;    // integers in [-size, size)
  Dims strides;    // strides of the index along the dimensions of the view
  int64_t size;    // size of the axis that is looked up
  int64_t stride;  // stride of that axis
  int axis;        // the axis's number, for messages
};

struct IndexedView {
  Tensor base;
  Dims shape;
  Dims strides;                 // in elements of the base; 0 along dimensions that belong to the indices alone
  std::vector<Lookup> lookups;  // one at least
};

// An index tensor and the axis of a tensor that it stands for.
struct AxisIndex {
  Tensor index;
  int axis;      // axis of the tensor that is indexed
  int named_as;  // in messages
};

// x with some of its axes replaced by the common shape of their indices, which broadcast: it stands where `place` of
// the remaining axes have gone before. The first `batch` dimensions are those of x and of every index alike.
IndexedView index_axes(const char* op, const Tensor& x, std::vector<AxisIndex> indices, int place, int batch = 0);

// x indexed along one axis by an index of the same rank. `shape` is that of the view: no larger than x's along the
// other axes, and the index broadcasts to it.
IndexedView index_along(const char* op, const Tensor& x, const Tensor& index, int axis, const Dims& shape);

// The indices along the last dimension of `indices`, one for each of the axes that follow the first `batch`.
IndexedView index_tuples(const char* op, const Tensor& x, const Tensor& indices, int batch);

}  // namespace suanzi
