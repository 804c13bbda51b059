// Staging copies a piece of a strided operand to a contiguous tile, and copies a tile back to its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "walk/iteration.h"

namespace suanzi::walk {

// The size in bytes of one register. The register's tile and the tiles of a few other registers stay in the L1 cache.
inline constexpr int64_t register_bytes = 8192;

// Copies elements [start, start + count) of the walk from `source` along `path` to `tile`.
void gather(std::byte* tile, const std::byte* source, const Path& path, int element_size, int64_t start, int64_t count);

// Copies a tile to elements [start, start + count) of the walk.
void scatter(std::byte* target, const std::byte* tile, const Path& path, int element_size, int64_t start,
             int64_t count);

// Writes `count` copies of an element to `tile`.
void repeat(std::byte* tile, const std::byte* element, int element_size, int64_t count);

// Returns the address of elements [start, start + count) if the elements are contiguous. Otherwise, the function
// returns null.
std::byte* in_place(std::byte* data, const Path& path, int element_size, int64_t start, int64_t count);

// A piece is contiguous elements or, if `constant` is true, one element that equals all elements.
struct Piece {
  std::byte* elements;
  bool constant;
};
Piece piece_at(std::byte* data, const Path& path, int element_size, int64_t start, int64_t count);

}  // namespace suanzi::walk
