// The shape of the tiles in which this thread wants results to be computed (suanzi.tile_shape): walks of that many
// dimensions go tile by tile. It changes no result.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/dims.h"

namespace suanzi {

namespace detail {
inline std::atomic<int64_t> tile_shapes{0};  // number in all threads: while there is none, no thread looks for its own
inline std::optional<Dims>& own_tile_shape() {
  thread_local std::optional<Dims> own;
  return own;
}
}  // namespace detail

// Null where none is set.
inline const Dims* tile_shape() {
  if (detail::tile_shapes.load(std::memory_order_relaxed) == 0) [[likely]]
    return nullptr;
  const std::optional<Dims>& own = detail::own_tile_shape();
  return own ? &*own : nullptr;
}

// INVALID_ARGUMENT unless a result of so many dimensions can be computed in such tiles.
void check_tile(const char* op, const Dims& tile, int rank, int element_bytes);

namespace detail {
inline const Dims*& walked_tile() {
  thread_local const Dims* tile = nullptr;
  return tile;
}
}  // namespace detail

// While it lives, this thread walks in these tiles; an operator that has checked the caller's shape makes it. The
// steps of other operators choose their own way.
class TileWalk {
 public:
  explicit TileWalk(const Dims* tile) : before_(std::exchange(detail::walked_tile(), tile)) {}
  TileWalk(const TileWalk&) = delete;
  TileWalk& operator=(const TileWalk&) = delete;
  ~TileWalk() { detail::walked_tile() = before_; }

 private:
  const Dims* before_;
};

// The tiles of the walk that this thread is about to begin; null where it chooses them.
inline const Dims* walked_tile() {
  return detail::tile_shapes.load(std::memory_order_relaxed) == 0 ? nullptr : detail::walked_tile();
}

// Sets a shape, and returns the one that was set before.
inline std::optional<Dims> set_tile_shape(std::optional<Dims> shape) {
  std::optional<Dims>& own = detail::own_tile_shape();
  detail::tile_shapes += static_cast<int64_t>(shape.has_value()) - static_cast<int64_t>(own.has_value());
  return std::exchange(own, std::move(shape));
}

// While it lives, the thread has no tile shape: an operator that is made of others is computed. The caller's shape is
// for the operator that the caller called.
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
