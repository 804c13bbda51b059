// A function that copies elements of a contiguous row by their indices.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/element_size.h"

namespace suanzi {

// Writes out[i] = row[indices[i]] for elements of `size` bytes. The caller guarantees that the indices are valid.
template <class Index>
void take_elements(std::byte* out, const std::byte* row, const Index* indices, int64_t count, int size) {
  for_element_size(size, [&]<int Size>() {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * Size, row + static_cast<int64_t>(indices[i]) * Size, Size);
  });
}

}  // namespace suanzi
