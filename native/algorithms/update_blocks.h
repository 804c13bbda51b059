// Updates of a target that no cache holds, grouped by the block of the target that they go to.
//
// A store to a random place there waits for memory and for page tables. So the updates are first written as one stream
// for each block, in their order; then every block is fetched once, and takes its updates while a cache holds it.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/block_walk.h"
#include "algorithms/scratch.h"

namespace suanzi {

// Bytes [low, high), counted from the first element of the base, of which the elements of a view are some.
struct ByteRange {
  int64_t low, high;
};

// Where the values of the n updates from `start` on lie: in place, or written to `staged`, where there is room for
// them.
using ReadValues = std::function<const std::byte*(int64_t start, int64_t n, std::byte* staged)>;
// Applies n updates, at most offsets_tile, in their order; calls for different places may run at the same time.
using ApplyUpdates = std::function<void(const int64_t* offsets, const std::byte* values, int64_t n)>;

class GroupedUpdates {
 public:
  // Reads and checks every index of the walk, whose blocks are elements of this size, and every value; takes as much
  // memory as the values, of at least 4 bytes each, and 4 bytes for each.
  GroupedUpdates(const BlockWalk& walk, int64_t element_size, ByteRange target, const ReadValues& read);

  // Updates of one place keep their order.
  void apply(const ApplyUpdates& apply) const;

 private:
  // The end so far of what a part of the updates has in a block; at last, the end of it all.
  int64_t& end_of(int64_t part, int64_t block) { return ends_[static_cast<size_t>(part * blocks_ + block)]; }
  template <class Body>
  void walk_part(int64_t part, Body body) const;
  void count(int64_t part);
  template <int Bytes>
  void move(int64_t part, const ReadValues& read);
  template <int Bytes>
  void apply_of(const ApplyUpdates& apply) const;

  const BlockWalk& walk_;
  const int64_t element_size_;
  const int64_t low_;
  const int64_t parts_;
  int block_shift_;
  int64_t blocks_;
  std::vector<int64_t> ends_;
  Scratch memory_;
};

}  // namespace suanzi
