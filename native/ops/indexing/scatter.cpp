#include "ops/indexing/scatter.h"

#include <algorithm>
#include <cstring>

#include "base/element_size.h"
#include "kernels/kernel.h"
#include "ops/indexing/block_walk.h"
#include "ops/indexing/indexed.kernels.h"
#include "ops/indexing/update_blocks.h"
#include "ops/indexing/wide_updates.h"
#include "runtime/share.h"
#include "walk/copy.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

// Copies n blocks, in order, to the addresses `offsets` bytes after `target`.
using Move = void (*)(std::byte* target, const int64_t* offsets, const std::byte* values, int64_t n, int64_t bytes);

template <int Bytes>
void move_elements(std::byte* target, const int64_t* offsets, const std::byte* values, int64_t n, int64_t) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < n; ++i) std::memcpy(target + offsets[i], values + i * Bytes, Bytes);
}

void move_blocks(std::byte* target, const int64_t* offsets, const std::byte* values, int64_t n, int64_t bytes) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(target + offsets[i], values + i * bytes, static_cast<size_t>(bytes));
}

Move move_of(int64_t bytes) {
  if (!is_element_size(bytes)) return move_blocks;
  return for_element_size(bytes, []<int Bytes>() -> Move { return move_elements<Bytes>; });
}

// Returns the range of bytes that contains the elements of a tensor.
ByteRange extent(const Tensor& x) {
  int64_t low = 0, high = size_of(x.dtype);
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t reach = (x.shape[d] - 1) * x.strides[d] * size_of(x.dtype);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

CombineKernel combine_kernel(const char* op, ScatterMode mode, DType t) {
  const CombineKernel kernel = kernels().indexed->combine[static_cast<int>(mode)][static_cast<int>(t)];
  if (!kernel && mode != ScatterMode::update)
    fail(Status::type_mismatch, op, ": mode ", scatter_mode_names[static_cast<int>(mode)], " is not defined for ",
         name(t));
  return kernel;
}

// The values for the elements of a view. The class returns values in their own memory, or copies the values to a tile.
class Values {
 public:
  Values(const Tensor& values, const Dims& shape) : data_(values.data), size_(size_of(values.dtype)) {
    Dims order;
    for (int d = shape.size() - 1; d >= 0; --d) order.push_back(d);
    path_ = make_path(shape, order, walk::View::broadcast(values, shape));
  }
  bool linear() const { return path_.linear(size_); }
  // Returns the first n values if they are contiguous. Otherwise, the function returns null.
  const std::byte* first(int64_t n) const { return walk::in_place(data_, path_, size_, 0, n); }
  const std::byte* at(int64_t start, int64_t n, std::byte* staged) const {
    if (const std::byte* there = walk::in_place(data_, path_, size_, start, n)) return there;
    walk::gather(staged, data_, path_, size_, start, n);
    return staged;
  }

 private:
  std::byte* data_;
  int size_;
  walk::Path path_;
};

// Returns true if grouping the updates of single elements by blocks of the target saves time. Updates that are computed
// in a wider type need a larger part of a cache, and a pass over the whole target.
bool pays_to_group(int64_t updates, const Tensor& target, bool wide) {
  if (!wide) return updates >= costs::grouped_updates && target.nbytes() >= costs::grouped_target;
  return target.contiguous && updates >= costs::grouped_updates / 8 && target.nbytes() >= costs::grouped_target / 16 &&
         target.size <= 8 * updates;
}

bool same_elements(const Tensor& a, const Tensor& b) { return a.data == b.data && a.strides == b.strides; }

// Returns x with the updates at the elements that view(x) would select. The result is `out` if `out` is given, and a
// new tensor otherwise.
template <class View>
Tensor updated(const char* op, const Tensor& x, const Tensor& updates, ScatterMode mode, const Tensor* out, View view) {
  if (out) {
    check_out(op, *out, x.shape, x.dtype);
    if (const auto wider = wider_type(x.dtype, *out))
      return updated(op, cast(op, x, *wider), cast(op, updates, *wider), mode, out, view);
  }
  const bool direct = out && out->dtype == x.dtype;
  const Tensor result = direct ? *out : make_empty_like(op, x.shape, x.dtype, x);
  const IndexedView selected = view(result);
  if (broadcast(op, selected.shape, updates.shape) != selected.shape)
    fail(Status::dimensions_mismatch, op, ": updates of shape ", updates.shape, " do not broadcast to ",
         selected.shape);
  scatter_into(op, selected, updates, mode, !direct, same_elements(x, result) ? nullptr : &x);
  if (!out || direct) return result;
  copy_into(op, *out, result);
  return *out;
}

}  // namespace

Tensor apart(const char* op, const Tensor& x, const Tensor& target) {
  return may_overlap(x, target) ? clone(op, x) : x;
}

bool put_few(const Tensor& x, const Tensor& index, const Tensor& values) {
  const int rows = index.rank(), rest = x.rank() - 1;
  if (rest < 0 || values.dtype != x.dtype || x.dtype == DType::string || !values.contiguous || !values.storage ||
      values.rank() != rows + rest || !x.storage || !x.storage->writable() ||
      !std::equal(index.shape.begin(), index.shape.end(), values.shape.begin()) ||
      !std::equal(values.shape.begin() + rows, values.shape.end(), x.shape.begin() + 1) || may_overlap(values, x) ||
      may_overlap(index, x))
    return false;
  alignas(64) int64_t offsets[offsets_tile];
  if (!few_rows(x, index, offsets)) return false;
  const int64_t bytes = x.nbytes() / x.shape[0];
  move_of(bytes)(x.data, offsets, values.data, index.size, bytes);
  return true;
}

void scatter_into(const char* op, const IndexedView& view, const Tensor& values, ScatterMode mode, bool fresh,
                  const Tensor* initial) {
  const Tensor& target = view.base;
  check_target(op, target);
  (void)checked_size(op, view.shape, target.dtype);
  const CombineKernel combine = combine_kernel(op, mode, target.dtype);
  const Tensor from = apart(op, values, target);
  const Values given(from, view.shape);
  const BlockWalk walk(op, view, mode == ScatterMode::update && given.linear());
  const int64_t length = walk.block_length(), bytes = length * size_of(target.dtype);
  const int64_t per_row = walk.blocks() / std::max<int64_t>(walk.rows(), 1),
                row_bytes = std::max(per_row * bytes, int64_t{1});
  const int64_t each = std::max<int64_t>(costs::moved_bytes / row_bytes, 1), tasks = (walk.rows() + each - 1) / each;
  const std::optional<Widening> wide = widening(mode, target.dtype);
  const bool grouped = tasks == 1 && length == 1 && pays_to_group(walk.blocks(), target, wide.has_value());
  const Move move = move_of(bytes);
  const auto write = [&](int64_t origin, const int64_t* offsets, const std::byte* source, int64_t n) {
    if (combine) {
      combine(target.data + origin, offsets, source, n);
    } else {
      move(target.data + origin, offsets, source, n, bytes);
    }
  };
  const bool plain_copy = initial && initial->contiguous && target.contiguous && target.dtype != DType::string &&
                          !may_overlap(*initial, target);
  const auto prepare = [&] {
    if (plain_copy && tasks == 1 && target.nbytes() <= costs::cached_target) {
      std::memcpy(target.data, initial->data, static_cast<size_t>(target.nbytes()));
    } else if (initial) {
      copy_into(op, target, *initial);
    }
    keep_referents(target, from);
  };
  const ReadValues read = [&](int64_t start, int64_t n, std::byte* staged) { return given.at(start, n, staged); };
  if (grouped) {
    const GroupedUpdates updates(walk, bytes, extent(target), read, wide ? wide->ratio() : 1);
    if (!plain_copy) prepare();
    updates.apply(target.data, combine, plain_copy ? initial->data : nullptr, wide ? &*wide : nullptr);
    return;
  }
  if (wide && walk.blocks() > 1) {
    if (initial && !plain_copy) {
      if (!fresh) walk.check();
      prepare();
    }
    return update_wide(*wide, walk, target, read, combine, plain_copy ? initial : nullptr);
  }
  // If a walk has only one tile, the walk checks all indices before the code writes an element.
  const bool one_tile = !initial && tasks == 1 && walk.blocks() <= offsets_tile;
  if (!one_tile && !fresh) walk.check();
  prepare();
  if (!one_tile && tasks == 1 && !combine && is_element_size(bytes))
    if (const std::byte* all = given.first(walk.blocks() * length))
      if (walk.put(target.data, all, bytes)) return;
  parallel_for(tasks, is_shared(walk.rows() * row_bytes) ? max_threads : 1, [&](int64_t task) {
    const int64_t first = task * each * per_row;
    const int64_t last = std::min(walk.rows(), (task + 1) * each) * per_row;
    walk.run(first, last, [&](int64_t origin, const int64_t* offsets, int64_t position, int64_t n) {
      alignas(64) std::byte staged[offsets_tile * sizeof(ElementBuffer)];
      write(origin, offsets, given.at(position * length, n * length, staged), n);
    });
  });
}

Tensor as_updates(const char* op, const Tensor& updates, DType t) {
  DType common;
  if (!promote(updates.dtype, t, common) || common != t)
    fail(Status::type_mismatch, op, ": updates have element type ", name(updates.dtype), ", which does not promote to ",
         name(t));
  return updates.dtype == t ? updates : cast(op, updates, t);
}

Tensor scatter(const char* op, const Tensor& x, const Tensor& index, const Tensor& updates, int64_t axis,
               ScatterMode mode, const Tensor* out) {
  check_alive(op, x);
  check_alive(op, index);
  check_alive(op, updates);
  const int at = checked_axis(op, axis, x.rank());
  bool fits = index.rank() == x.rank();
  for (int i = 0; fits && i < x.rank(); ++i) fits = i == at || index.shape[i] <= x.shape[i];
  if (!fits)
    fail(Status::dimensions_mismatch, op, ": an index of shape ", index.shape, " does not fit ", x.shape,
         " along axis ", at);
  return updated(op, x, updates, mode, out, [&](const Tensor& target) {
    return index_along(op, target, apart(op, index, target), at, index.shape);
  });
}

Tensor scatter_nd(const char* op, const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
                  const Tensor* out) {
  check_alive(op, x);
  check_alive(op, indices);
  check_alive(op, updates);
  return updated(op, x, updates, mode, out,
                 [&](const Tensor& target) { return index_tuples(op, target, apart(op, indices, target), 0); });
}

}  // namespace suanzi
