#include "walk/rows.h"

#include <bit>

#include "kernels/kernel.h"
#include "walk/movement.kernels.h"

namespace suanzi {
namespace {

Dims without(const Dims& sizes, int axis) {
  Dims rest;
  for (int i = 0; i < sizes.size(); ++i)
    if (i != axis) rest.push_back(sizes[i]);
  return rest;
}

const MoveKernels& movers(int element_size) {
  return kernels().move[std::countr_zero(static_cast<unsigned>(element_size))];
}

// Divides rows into runs of rows at equal distances, and calls move(first, count, distance) for each run.
template <class Move>
void for_each_run(std::byte* const* rows, int64_t count, Move move) {
  for (int64_t first = 0, end; first < count; first = end) {
    end = std::min(first + 2, count);
    const int64_t distance = rows[end - 1] - rows[first];
    while (end < count && rows[end] - rows[end - 1] == distance) ++end;
    move(first, end - first, distance);
  }
}

// Moves the plane's columns a few at a time, so that the code uses the cache lines that the plane's rows share while
// these lines are in the cache.
void move_by_squares(MoveKernel kernel, std::byte* target, const std::byte* source, Plane plane) {
  constexpr int64_t square = 8;
  for (int64_t left = plane.columns; left > 0; left -= square) {
    plane.columns = std::min(left, square);
    kernel(target, source, plane);
    target += square * plane.target_column;
    source += square * plane.source_column;
  }
}

}  // namespace

Dims Rows::walking_order(const Tensor& x, int axis) {
  return walk::walking_order(without(x.shape, axis), {x.data, x.dtype, without(x.strides, axis)});
}

Rows::Rows(const Tensor& x, int axis, const Dims& order) : data_(x.data), element_size_(size_of(x.dtype)) {
  const Dims shape = without(x.shape, axis);
  path_ = walk::make_path(shape, order, {x.data, x.dtype, without(x.strides, axis)});
  count_ = product(shape);
  // A tensor of rank 0 is a row of one element.
  length_ = x.rank() ? x.shape[axis] : 1;
  step_ = length_ > 1 ? x.strides[axis] * element_size_ : element_size_;
}

void Rows::locate(std::byte** rows, int64_t first, int64_t count) const {
  if (path_.sizes.size() <= 1) {
    const int64_t step = path_.sizes.empty() ? 0 : path_.steps[0];
    for (int64_t i = 0; i < count; ++i) rows[i] = data_ + (first + i) * step;
    return;
  }
  walk::Cursor cursor(path_, first);
  for (int64_t i = 0; i < count; ++i) {
    rows[i] = data_ + cursor.offset();
    if (i + 1 < count) cursor.advance(1);
  }
}

void Rows::load(std::byte* block, std::byte* const* rows, int64_t count) const {
  const MoveKernels& move = movers(element_size_);
  for_each_run(rows, count, [&](int64_t first, int64_t run, int64_t distance) {
    const Plane plane{length_, run, element_size_, row_bytes(), step_, distance};
    std::byte* const target = block + first * row_bytes();
    if (distance == element_size_) return move.transpose(target, rows[first], plane);
    move_by_squares(move.stride, target, rows[first], plane);
  });
}

void Rows::store(const std::byte* block, std::byte* const* rows, int64_t count) const {
  const MoveKernels& move = movers(element_size_);
  for_each_run(rows, count, [&](int64_t first, int64_t run, int64_t distance) {
    const std::byte* const source = block + first * row_bytes();
    if (distance == element_size_)
      return move.transpose(rows[first], source, {run, length_, element_size_, step_, row_bytes(), element_size_});
    move_by_squares(move.stride, rows[first], source, {length_, run, step_, distance, element_size_, row_bytes()});
  });
}

}  // namespace suanzi
