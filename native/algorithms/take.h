// Taking elements of a contiguous row by their indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace suanzi {

namespace detail {
template <class Element, class Index>
void take(std::byte* out, const std::byte* row, const Index* indices, int64_t count) {
  auto* const target = reinterpret_cast<Element*>(out);
  const auto* const source = reinterpret_cast<const Element*>(row);
  for (int64_t i = 0; i < count; ++i) target[i] = source[indices[i]];
}
}  // namespace detail

// out[i] = row[indices[i]] for elements of `size` bytes; the caller vouches for the indices.
template <class Index>
void take_elements(std::byte* out, const std::byte* row, const Index* indices, int64_t count, int size) {
  switch (size) {
    case 1:
      return detail::take<uint8_t>(out, row, indices, count);
    case 2:
      return detail::take<uint16_t>(out, row, indices, count);
    case 4:
      return detail::take<uint32_t>(out, row, indices, count);
    case 8:
      return detail::take<uint64_t>(out, row, indices, count);
    default:
      return detail::take<std::array<uint64_t, 2>>(out, row, indices, count);
  }
}

}  // namespace suanzi
