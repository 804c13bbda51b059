#include "algorithms/update_blocks.h"

#include <bit>
#include <cstring>
#include <utility>

#include "algorithms/element_size.h"
#include "runtime/threads.h"

namespace suanzi {
namespace {

// A block is a part of a core's own cache, but for targets of so many blocks that their streams would not fit there.
constexpr int64_t block_bytes = 256 * 1024;
constexpr int64_t most_blocks = 1024;
// Updates left out between streams: with as many updates each, they would else advance through the same sets of a cache
// and drive one another out (measured: three times slower).
constexpr int64_t gap = 512;

// One update in a stream; the place is counted from the beginning of its block.
template <int Bytes>
struct Update {
  uint32_t place;
  std::byte value[Bytes];
};

}  // namespace

GroupedUpdates::GroupedUpdates(const BlockWalk& walk, int64_t element_size, ByteRange target, const ReadValues& read)
    : walk_(walk), element_size_(element_size), low_(target.low), parts_(num_threads()) {
  const int64_t extent = target.high - target.low;
  block_shift_ = std::bit_width(static_cast<uint64_t>(std::max(block_bytes, extent / most_blocks) - 1));
  blocks_ = ((extent - 1) >> block_shift_) + 1;
  ends_.resize(static_cast<size_t>(parts_ * blocks_));
  parallel_for(parts_, [&](int64_t part) { count(part); });
  int64_t end = 0;
  for (int64_t b = 0; b < blocks_; ++b, end += gap) {
    for (int64_t part = 0; part < parts_; ++part) end += std::exchange(end_of(part, b), end);
  }

  for_element_size(element_size_, [&]<int Bytes>() {
    (void)memory_.take<Update<Bytes>>(end);
    parallel_for(parts_, [&](int64_t part) { move<Bytes>(part, read); });
  });
}

void GroupedUpdates::apply(const ApplyUpdates& apply) const {
  for_element_size(element_size_, [&]<int Bytes>() { apply_of<Bytes>(apply); });
}

template <int Bytes>
void GroupedUpdates::apply_of(const ApplyUpdates& apply) const {
  const auto* const updates = memory_.get<Update<Bytes>>();
  const auto end_of_block = [&](int64_t b) { return ends_[static_cast<size_t>((parts_ - 1) * blocks_ + b)]; };
  parallel_for(blocks_, [&](int64_t b) {
    const int64_t base = low_ + (b << block_shift_), end = end_of_block(b);
    int64_t at = b == 0 ? 0 : end_of_block(b - 1) + gap;
    for (int64_t n = 0; at < end; at += n) {
      alignas(64) int64_t offsets[offsets_tile];
      alignas(64) std::byte values[offsets_tile * Bytes];
      n = std::min(offsets_tile, end - at);
      for (int64_t i = 0; i < n; ++i) {
        offsets[i] = base + updates[at + i].place;
        std::memcpy(values + i * Bytes, updates[at + i].value, Bytes);
      }
      apply(offsets, values, n);
    }
  });
}

template <class Body>
void GroupedUpdates::walk_part(int64_t part, Body body) const {
  const int64_t all = walk_.blocks(), share = all / parts_;
  walk_.run(part * share, part == parts_ - 1 ? all : (part + 1) * share, body);
}

void GroupedUpdates::count(int64_t part) {
  int64_t* const counts = &end_of(part, 0);
  walk_part(part, [&](int64_t origin, const int64_t* offsets, int64_t, int64_t n) {
    const int64_t base = origin - low_;
    for (int64_t i = 0; i < n; ++i) ++counts[(base + offsets[i]) >> block_shift_];
  });
}

template <int Bytes>
void GroupedUpdates::move(int64_t part, const ReadValues& read) {
  walk_part(part, [&](int64_t origin, const int64_t* offsets, int64_t position, int64_t n) {
    alignas(64) std::byte staged[offsets_tile * Bytes];
    const std::byte* const values = read(position, n, staged);
    // Bytes may alias anything but what is local.
    int64_t* const ends = &end_of(part, 0);
    auto* const updates = memory_.get<Update<Bytes>>();
    const int shift = block_shift_;
    const int64_t within = (int64_t{1} << shift) - 1, base = origin - low_;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t place = base + offsets[i];
      Update<Bytes>& update = updates[ends[place >> shift]++];
      update.place = static_cast<uint32_t>(place & within);
      std::memcpy(update.value, values + i * Bytes, Bytes);
    }
  });
}

}  // namespace suanzi
