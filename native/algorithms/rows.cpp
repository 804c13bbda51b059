#include "algorithms/rows.h"

#include <cstring>

#include "algorithms/element_size.h"

namespace suanzi {
namespace {

Dims without(const Dims& sizes, int axis) {
  Dims rest;
  for (int i = 0; i < sizes.size(); ++i)
    if (i != axis) rest.push_back(sizes[i]);
  return rest;
}

// Transposes by squares of a few elements, so that the cache lines of neighbouring rows are used while they are there.
template <int Size, bool load>
void move_rows(std::byte* block, std::byte* const* rows, int64_t count, int64_t length, int64_t step) {
  constexpr int64_t square = 8;
  for (int64_t start = 0; start < length; start += square) {
    const int64_t end = std::min(length, start + square);
    for (int64_t r = 0; r < count; ++r) {
      std::byte* const line = block + r * length * Size;
      for (int64_t i = start; i < end; ++i) {
        if constexpr (load) {
          std::memcpy(line + i * Size, rows[r] + i * step, Size);
        } else {
          std::memcpy(rows[r] + i * step, line + i * Size, Size);
        }
      }
    }
  }
}

}  // namespace

Dims Rows::walking_order(const Tensor& x, int axis) {
  return tile::walking_order(without(x.shape, axis), {x.data, x.dtype, without(x.strides, axis)});
}

Rows::Rows(const Tensor& x, int axis, const Dims& order) : data_(x.data), element_size_(size_of(x.dtype)) {
  const Dims shape = without(x.shape, axis);
  path_ = tile::make_path(shape, order, {x.data, x.dtype, without(x.strides, axis)});
  count_ = product(shape);
  // A scalar is a row of one element.
  length_ = x.rank() ? x.shape[axis] : 1;
  step_ = length_ > 1 ? x.strides[axis] * element_size_ : element_size_;
}

void Rows::locate(std::byte** rows, int64_t first, int64_t count) const {
  if (path_.sizes.size() <= 1) {
    const int64_t step = path_.sizes.empty() ? 0 : path_.steps[0];
    for (int64_t i = 0; i < count; ++i) rows[i] = data_ + (first + i) * step;
    return;
  }
  tile::Cursor cursor(path_, first);
  for (int64_t i = 0; i < count; ++i) {
    rows[i] = data_ + cursor.offset();
    if (i + 1 < count) cursor.advance(1);
  }
}

void Rows::load(std::byte* block, std::byte* const* rows, int64_t count) const {
  for_element_size(element_size_, [&]<int Size>() { move_rows<Size, true>(block, rows, count, length_, step_); });
}

void Rows::store(const std::byte* block, std::byte* const* rows, int64_t count) const {
  auto* const memory = const_cast<std::byte*>(block);  // only read when storing
  for_element_size(element_size_, [&]<int Size>() { move_rows<Size, false>(memory, rows, count, length_, step_); });
}

}  // namespace suanzi
