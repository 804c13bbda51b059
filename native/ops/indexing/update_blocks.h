// Updates of a target that no cache holds, grouped by the block of the target that they go to.
//
// A store to a random place there waits for memory and for page tables. So the updates are first written as streams,
// one for each block, in their order; then every block is fetched once, and takes its updates while a cache holds it.
#pragma once

#include <functional>
#include <vector>

#include "ops/indexing/block_walk.h"
#include "tensor/scratch.h"

namespace suanzi {

// Bytes [low, high), counted from the first element of the base, of which the elements of a view are some.
struct ByteRange {
  int64_t low, high;
};

// The values of the n updates from `start` on: in place, or written to `staged`, where there is room for
// them.
using ReadValues = std::function<const std::byte*(int64_t start, int64_t n, std::byte* staged)>;

struct Widening;  // ops/indexing/wide_updates.h

class GroupedUpdates {
 public:
  // Reads and checks every index of the walk, whose blocks are elements of this size, and every value; takes 4 bytes
  // for each update beside its value, and an eighth of all that. Blocks are combined in a type that is `ratio` times as
  // wide.
  GroupedUpdates(const BlockWalk& walk, int64_t element_size, ByteRange target, const ReadValues& read, int ratio = 1);

  // Combines the updates with the elements at `target`, or writes them there where `combine` is null. Updates of one
  // place keep their order. Before that the target becomes a copy of `initial`, if given, block by block, each on its
  // way into the cache. With a widening, a block of the target, which is contiguous, is combined in the wide type.
  void apply(std::byte* target, CombineKernel combine, const std::byte* initial, const Widening* widening) const;

 private:
  // The updates that a part of all has for a block: a chain of chunks.
  struct Stream {
    int64_t first = -1, last = -1;
    int64_t in_last = 0;  // updates of the last chunk; the others are full
  };

  const Stream& stream(int64_t part, int64_t block) const {
    return streams_[static_cast<size_t>(part * blocks_ + block)];
  }
  int64_t begin_of(int64_t part) const { return walk_.blocks() / parts_ * part; }
  int64_t end_of(int64_t part) const { return part == parts_ - 1 ? walk_.blocks() : begin_of(part + 1); }
  template <int Bytes>
  std::byte* chunk(int64_t number) const;
  template <int Bytes>
  void group(int64_t part, const ReadValues& read);
  // body(updates, n) for the updates of a block in their order, a chunk at a time.
  template <int Bytes, class Body>
  void for_chunks(int64_t block, Body body) const;

  const BlockWalk& walk_;
  const int64_t element_size_;
  const ByteRange target_;
  int block_shift_;
  int64_t blocks_;
  int64_t parts_;
  int64_t chunk_updates_;
  std::vector<Stream> streams_;
  std::vector<int64_t> next_;  // the chunk that follows a chunk
  Scratch memory_;
};

}  // namespace suanzi
