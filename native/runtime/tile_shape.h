// The shape of the tiles in which this thread computes results (suanzi.tile_shape). A walk with as many dimensions as
// the shape computes tile by tile. The shape changes no result.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/dims.h"

namespace suanzi {

namespace detail {
// The number of threads that have a tile shape. If the number is 0, no thread looks for its shape.
inline std::atomic<int64_t> tile_shapes{0};
inline std::optional<Dims>& own_tile_shape() {
  thread_local std::optional<Dims> own;
  return own;
}
}  // namespace detail

// Returns this thread's tile shape, or null if the thread has no tile shape.
inline const Dims* tile_shape() {
  if (detail::tile_shapes.load(std::memory_order_relaxed) == 0) [[likely]]
    return nullptr;
  const std::optional<Dims>& own = detail::own_tile_shape();
  return own ? &*own : nullptr;
}

// Fails with INVALID_ARGUMENT unless tiles of this shape can compute a result of `rank` dimensions.
void check_tile(const char* op, const Dims& tile, int rank, int element_bytes);

namespace detail {
inline const Dims*& walked_tile() {
  thread_local const Dims* tile = nullptr;
  return tile;
}
}  // namespace detail

// While this object lives, the thread's walks use the tiles of the object. An operator makes the object after it has
// checked the caller's shape. Other operators that the operator calls choose their own tiles.
class TileWalk {
 public:
  explicit TileWalk(const Dims* tile) : before_(std::exchange(detail::walked_tile(), tile)) {}
  TileWalk(const TileWalk&) = delete;
  TileWalk& operator=(const TileWalk&) = delete;
  ~TileWalk() { detail::walked_tile() = before_; }

 private:
  const Dims* before_;
};

// Returns the shape of the tiles of the walk that this thread is about to begin, or null if the walk chooses the shape.
inline const Dims* walked_tile() {
  return detail::tile_shapes.load(std::memory_order_relaxed) == 0 ? nullptr : detail::walked_tile();
}

// Sets the tile shape of this thread, and returns the previous shape.
inline std::optional<Dims> set_tile_shape(std::optional<Dims> shape) {
  std::optional<Dims>& own = detail::own_tile_shape();
  detail::tile_shapes += static_cast<int64_t>(shape.has_value()) - static_cast<int64_t>(own.has_value());
  return std::exchange(own, std::move(shape));
}

// While this object lives, the thread has no tile shape. An operator that calls other operators makes this object,
// because the caller's shape is only for the operator that the caller called.
class OwnTiles {
 public:
  OwnTiles() {
    if (tile_shape()) [[unlikely]]
      before_ = set_tile_shape(std::nullopt);
  }
  OwnTiles(const OwnTiles&) = delete;
  OwnTiles& operator=(const OwnTiles&) = delete;
  ~OwnTiles() {
    if (before_) [[unlikely]]
      set_tile_shape(std::move(before_));
  }

 private:
  std::optional<Dims> before_;
};

}  // namespace suanzi
