// The shape of the tiles in which this thread wants results to be computed (suanzi.tile_shape): what is walked of that
// many dimensions goes tile by tile. It changes no result.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/dims.h"

namespace suanzi {

namespace detail {
inline std::atomic<int64_t> tile_shapes{0};  // of all threads: while there is none, no thread looks for its own
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

// Gives the one that was set before.
inline std::optional<Dims> set_tile_shape(std::optional<Dims> shape) {
  std::optional<Dims>& own = detail::own_tile_shape();
  detail::tile_shapes += static_cast<int64_t>(shape.has_value()) - static_cast<int64_t>(own.has_value());
  return std::exchange(own, std::move(shape));
}

}  // namespace suanzi
