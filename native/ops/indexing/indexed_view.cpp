#include "ops/indexing/indexed_view.h"

namespace suanzi {
namespace {

void check_index(const char* op, const Tensor& index) {
  check_alive(op, index);
  if (!is_integer(index.dtype))
    fail(Status::type_mismatch, op, ": an index has element type ", name(index.dtype), ", not an integer type");
}

// Returns the strides of a tensor's dimensions [from, rank), broadcast to `shape`.
Dims broadcast_strides(const Tensor& x, int from, const Dims& shape) {
  Dims strides(shape.size(), 0);
  const int extra = shape.size() - x.rank() + from;
  for (int i = from; i < x.rank(); ++i)
    if (x.shape[i] == shape[i - from + extra]) strides[i - from + extra] = x.strides[i];
  return strides;
}

void append(Dims& dims, const Dims& more) {
  for (int64_t n : more) dims.push_back(n);
}

}  // namespace

IndexedView index_axes(const char* op, const Tensor& x, std::vector<AxisIndex> indices, int place, int batch) {
  Dims common;
  uint64_t indexed = 0;
  for (const AxisIndex& each : indices) {
    check_index(op, each.index);
    Dims own;
    for (int i = batch; i < each.index.rank(); ++i) own.push_back(each.index.shape[i]);
    common = broadcast(op, common, own);
    indexed |= uint64_t{1} << each.axis;
  }
  const int rank = x.rank() - static_cast<int>(indices.size()) + common.size();
  if (rank > max_rank)
    fail(Status::invalid_argument, op, ": the result has ", rank, " dimensions, more than the ", max_rank,
         " supported");

  IndexedView view{x, {}, {}, {}};
  const auto insert_common = [&] {
    append(view.shape, common);
    append(view.strides, Dims(common.size(), 0));
  };
  int remaining = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (indexed >> axis & 1) continue;
    if (remaining++ == place) insert_common();
    view.shape.push_back(x.shape[axis]);
    view.strides.push_back(x.strides[axis]);
  }
  if (remaining <= place) insert_common();

  view.lookups.reserve(indices.size());
  for (AxisIndex& each : indices) {
    Dims strides(rank, 0);
    for (int i = 0; i < batch; ++i) strides[i] = each.index.strides[i];
    const Dims own = broadcast_strides(each.index, batch, common);
    for (int i = 0; i < common.size(); ++i) strides[place + i] = own[i];
    view.lookups.push_back(
        {std::move(each.index), std::move(strides), x.shape[each.axis], x.strides[each.axis], each.named_as});
  }
  return view;
}

IndexedView index_along(const char* op, const Tensor& x, const Tensor& index, int axis, const Dims& shape) {
  check_index(op, index);
  IndexedView view{x, shape, x.strides, {}};
  view.strides[axis] = 0;
  for (int i = 0; i < x.rank(); ++i)
    // A dimension of size 1 broadcasts to the size in `shape`.
    if (x.shape[i] == 1) view.strides[i] = 0;
  view.lookups.push_back({index, broadcast_strides(index, 0, shape), x.shape[axis], x.strides[axis], axis});
  return view;
}

IndexedView index_tuples(const char* op, const Tensor& x, const Tensor& indices, int batch) {
  check_index(op, indices);
  if (indices.rank() == 0)
    fail(Status::dimensions_mismatch, op, ": indices of shape () have no last axis, along which a tuple lies");
  const int last = indices.rank() - 1;
  const int64_t length = indices.shape[last];
  if (length < 1 || length > x.rank() - batch)
    fail(Status::dimensions_mismatch, op, ": tuples of ", length, " indices do not fit the ", x.rank() - batch,
         " dimensions that they index");
  Dims shape, strides;
  for (int i = 0; i < last; ++i) {
    shape.push_back(indices.shape[i]);
    strides.push_back(indices.strides[i]);
  }
  std::vector<AxisIndex> each;
  for (int k = 0; k < length; ++k)
    each.push_back({make_view(indices, shape, strides, k * indices.strides[last]), batch + k, batch + k});
  return index_axes(op, x, std::move(each), batch, batch);
}

}  // namespace suanzi
