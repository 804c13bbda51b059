#include "walk/staging.h"

#include <algorithm>
#include <cstring>

#include "runtime/costs.h"

namespace suanzi::walk {
namespace {

template <int Size>
struct Element {
  std::byte bytes[Size];
};

enum class Direction { gather, scatter };

template <int Size, Direction direction>
[[gnu::noinline]] void copy_run(std::byte* tile, std::byte* memory, int64_t step, int64_t n) {
  using E = Element<Size>;
  if (direction == Direction::gather && step == 0) {
    E element;
    std::memcpy(&element, memory, sizeof(E));
    for (int64_t i = 0; i < n; ++i) std::memcpy(tile + i * Size, &element, sizeof(E));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (direction == Direction::gather) {
      std::memcpy(tile + i * Size, memory + i * step, sizeof(E));
    } else {
      std::memcpy(memory + i * step, tile + i * Size, sizeof(E));
    }
  }
}

template <int Size, Direction direction>
void copy_rows(std::byte* tile, std::byte* memory, const Path& path, int64_t start, int64_t count) {
  for (Cursor cursor(path, start); count > 0;) {
    const int64_t n = std::min(count, cursor.left_in_row());
    std::byte* run = memory + cursor.offset();
    if (cursor.step() == Size && n >= costs::short_row) {
      if constexpr (direction == Direction::gather) {
        std::memcpy(tile, run, static_cast<size_t>(n * Size));
      } else {
        std::memcpy(run, tile, static_cast<size_t>(n * Size));
      }
    } else {
      copy_run<Size, direction>(tile, run, cursor.step(), n);
    }
    tile += n * Size;
    count -= n;
    cursor.advance(n);
  }
}

template <Direction direction>
void copy(std::byte* tile, std::byte* memory, const Path& path, int size, int64_t start, int64_t count) {
  switch (size) {
    case 1:
      return copy_rows<1, direction>(tile, memory, path, start, count);
    case 2:
      return copy_rows<2, direction>(tile, memory, path, start, count);
    case 4:
      return copy_rows<4, direction>(tile, memory, path, start, count);
    case 8:
      return copy_rows<8, direction>(tile, memory, path, start, count);
    default:
      return copy_rows<16, direction>(tile, memory, path, start, count);
  }
}

}  // namespace

void gather(std::byte* tile, const std::byte* source, const Path& path, int size, int64_t start, int64_t count) {
  auto* memory = const_cast<std::byte*>(source);  // `gather` only reads the memory
  const bool repeats = path.sizes.size() >= 2 && path.steps[1] == 0 && 2 * path.sizes[0] <= count;
  if (!repeats) return copy<Direction::gather>(tile, memory, path, size, start, count);
  // If broadcasting repeats a short row, the function copies the row to the tile once, and then within the tile. The
  // function copies further rows in the same way.
  const int64_t all = path.sizes[0] * path.sizes[1];
  for (int64_t n; count > 0; start += n, count -= n, tile += n * size) {
    n = std::min(count, all - start % all);
    int64_t filled = std::min(path.sizes[0], n);
    copy<Direction::gather>(tile, memory, path, size, start, filled);
    for (int64_t more; filled < n; filled += more) {
      more = std::min(filled, n - filled);
      std::memcpy(tile + filled * size, tile, static_cast<size_t>(more * size));
    }
  }
}

void repeat(std::byte* tile, const std::byte* element, int size, int64_t count) {
  // The code fills a block element by element, and then repeats the block by memcpy. A block fits the L1 cache, and is
  // so long that few calls of memcpy are necessary.
  constexpr int64_t block = register_bytes;
  const int64_t first = std::min(count, block / size), bytes = count * size;
  if (count > 0) gather(tile, element, Path{{first}, {0}}, size, 0, first);
  for (int64_t filled = first * size, more; filled < bytes; filled += more) {
    more = std::min(first * size, bytes - filled);
    std::memcpy(tile + filled, tile, static_cast<size_t>(more));
  }
}

void scatter(std::byte* target, const std::byte* tile, const Path& path, int size, int64_t start, int64_t count) {
  copy<Direction::scatter>(const_cast<std::byte*>(tile), target, path, size, start, count);
}

Piece piece_at(std::byte* data, const Path& path, int size, int64_t start, int64_t count) {
  if (path.linear(size)) return {data + start * size, false};
  if (path.steps[0] != size && path.steps[0] != 0) return {nullptr, false};
  const Cursor cursor(path, start);
  return {cursor.left_in_row() >= count ? data + cursor.offset() : nullptr, path.steps[0] == 0};
}

std::byte* in_place(std::byte* data, const Path& path, int size, int64_t start, int64_t count) {
  const Piece piece = piece_at(data, path, size, start, count);
  return piece.constant ? nullptr : piece.elements;
}

}  // namespace suanzi::walk
