// The elements of a sparse tensor as blocks of bytes. Values have the shape (count, …). Code that only moves elements
// depends only on the size of a block.
#pragma once

#include <cstring>

#include "base/element_size.h"
#include "tensor/tensor.h"

namespace suanzi::sparse {

// Returns the shape of a tensor that holds `count` blocks like the blocks of `values`.
inline Dims block_shape(const Tensor& values, int64_t count) {
  Dims shape{count};
  for (int axis = 1; axis < values.rank(); ++axis) shape.push_back(values.shape[axis]);
  return shape;
}

// Returns the size of a block, counted in numbers.
inline int64_t block_size(const Tensor& values) {
  int64_t size = 1;
  for (int axis = 1; axis < values.rank(); ++axis) size *= values.shape[axis];
  return size;
}

// Calls body(copy), where copy(out, in) is a function that copies one block of `bytes` bytes.
template <class Body>
void with_block_copy(int64_t bytes, const Body& body) {
  if (is_element_size(bytes)) {
    for_element_size(
        bytes, [&]<int Size>() { body([](std::byte* out, const std::byte* in) { std::memcpy(out, in, Size); }); });
  } else {
    body([bytes](std::byte* out, const std::byte* in) { std::memcpy(out, in, static_cast<size_t>(bytes)); });
  }
}

}  // namespace suanzi::sparse
