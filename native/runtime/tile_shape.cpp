#include "runtime/tile_shape.h"

#include "base/status.h"
#include "runtime/costs.h"

namespace suanzi {

void check_tile(const char* op, const Dims& tile, int rank, int element_bytes) {
  if (tile.size() != rank)
    fail(Status::invalid_argument, op, ": the tile shape ", tile, " does not have the ", rank,
         " dimensions of the result");
  int64_t bytes = element_bytes;
  for (const int64_t extent : tile)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) bytes = INT64_MAX;
  if (bytes > costs::largest_tile)
    fail(Status::invalid_argument, op, ": a tile of shape ", tile, " has more than ", costs::largest_tile, " bytes");
}

}  // namespace suanzi
