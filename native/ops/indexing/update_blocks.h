// Updates of a target that is larger than the caches, grouped by blocks of the target.
//
// A store to a random address of a large target misses the caches of memory and of page tables. Therefore, the code
// first writes the updates, in their order, to a stream for each block. Then the code fetches every block once, and
// applies the block's updates while a cache holds the block.
#pragma once

#include <functional>
#include <vector>

#include "ops/indexing/block_walk.h"
#include "tensor/scratch.h"

namespace suanzi {

// A range [low, high) of bytes that contains all elements of a view. Bytes are counted from the first element of the
// base.
struct ByteRange {
  int64_t low, high;
};

// Returns the address of the updates [start, start + n). The address is in the updates' own memory or in `staged`,
// which has room for n updates.
using ReadValues = std::function<const std::byte*(int64_t start, int64_t n, std::byte* staged)>;

struct Widening;  // defined in ops/indexing/wide_updates.h

class GroupedUpdates {
 public:
  // Reads and checks every index of the walk, whose blocks are elements of `element_size` bytes, and reads every value.
  // For each update, the object needs memory for the value, 4 more bytes, and an eighth of this sum. apply() combines
  // blocks in a type that is `ratio` times as wide.
  GroupedUpdates(const BlockWalk& walk, int64_t element_size, ByteRange target, const ReadValues& read, int ratio = 1);

  // Combines the updates with the elements at `target`, or writes the updates if `combine` is null. Updates of one
  // element keep their order. If `initial` is given, the function first copies each block of `initial` to the target.
  // The copy also loads the block into the cache. If `widening` is given, the updates are combined in the wide type,
  // and the target must be contiguous.
  void apply(std::byte* target, CombineKernel combine, const std::byte* initial, const Widening* widening) const;

 private:
  // The updates of one part of the walk for one block, as a chain of chunks.
  struct Stream {
    int64_t first = -1, last = -1;
    int64_t in_last = 0;  // the number of updates in the last chunk, the only chunk that may have room
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
  // Calls body(updates, n) for each chunk of a block's updates, in the order of the updates.
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
  std::vector<int64_t> next_;  // the successor of each chunk
  Scratch memory_;
};

}  // namespace suanzi
