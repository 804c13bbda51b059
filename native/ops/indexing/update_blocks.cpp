#include "ops/indexing/update_blocks.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/element_size.h"
#include "kernels/kernel.h"
#include "ops/indexing/wide_updates.h"
#include "runtime/costs.h"
#include "runtime/threads.h"

namespace suanzi {
namespace {

constexpr int64_t most_blocks = costs::most_update_blocks;
// The bounds of the number of updates in a chunk. The least bound is so large that chunks are long runs of memory.
// Above the least bound, the unused parts of the last chunks are at most an eighth of the memory.
constexpr int64_t least_chunk = 64, largest_chunk = 4096;
// The distances of prefetches, in updates. The code prefetches addresses `ahead` updates early, because stores complete
// in order, and prefetches complete in any order. The code prefetches the updates themselves `far_ahead` updates early,
// because the processor's own prefetching stops at the end of each page.
constexpr int64_t ahead = 16, far_ahead = 256;

// An update. `place` counts bytes from the beginning of the block.
template <int Bytes>
struct Update {
  uint32_t place;
  std::byte value[Bytes];
};

// Returns the number of bytes that a chunk of `updates` updates occupies. Streams with the same number of updates
// advance together. A cache line between chunks makes the chunks begin in different sets of a cache. Without this cache
// line, the chunks would evict one another.
template <int Bytes>
int64_t chunk_bytes(int64_t updates) {
  return updates * static_cast<int64_t>(sizeof(Update<Bytes>)) + cache_line;
}

template <int Bytes>
void store(std::byte* block, const Update<Bytes>* updates, int64_t n) {
  const auto put = [&](int64_t i) { std::memcpy(block + updates[i].place, updates[i].value, Bytes); };
  int64_t i = 0;
  for (; i + ahead < n; ++i) {
    __builtin_prefetch(updates + i + far_ahead);
    __builtin_prefetch(block + updates[i + ahead].place, 1);
    put(i);
  }
  for (; i < n; ++i) put(i);
}

// Combines n updates with the elements of a block. Elements in `block` are `ratio` times as far apart as in the target.
// If a widening is given, the function first converts the values of the updates to the wide type.
template <int Bytes>
void combine_with(CombineKernel combine, std::byte* block, const Update<Bytes>* updates, int64_t n, int64_t ratio = 1,
                  const Widening* widening = nullptr) {
  if constexpr (Bytes == 4) {
    if (widening && widening->narrow == DType::float32)
      return combine_floats(
          widening->mode, block, n,
          [&](int64_t i) {
            __builtin_prefetch(updates + i + far_ahead);
            return int64_t{updates[i].place} * ratio;
          },
          [&](int64_t i) {
            float value;
            std::memcpy(&value, updates[i].value, sizeof(value));
            return value;
          });
  }
  constexpr int64_t tile = 512;
  for (int64_t start = 0, count; start < n; start += count, updates += count) {
    alignas(64) int64_t offsets[tile];
    alignas(64) std::byte values[tile * Bytes];
    count = std::min(tile, n - start);
    for (int64_t i = 0; i < count; ++i) {
      __builtin_prefetch(updates + i + far_ahead);
      offsets[i] = updates[i].place * ratio;
      __builtin_prefetch(block + offsets[i], 1);
      std::memcpy(values + i * Bytes, updates[i].value, Bytes);
    }
    if (!widening) {
      combine(block, offsets, values, count);
      continue;
    }
    alignas(64) std::byte wide[tile * 16];
    widening->to_wide(wide, values, count);
    combine(block, offsets, wide, count);
  }
}

}  // namespace

GroupedUpdates::GroupedUpdates(const BlockWalk& walk, int64_t element_size, ByteRange target, const ReadValues& read,
                               int ratio)
    : walk_(walk), element_size_(element_size), target_(target) {
  const int64_t extent = target.high - target.low, all = walk.blocks();
  block_shift_ = std::bit_width(static_cast<uint64_t>(std::max(costs::update_block / ratio, extent / most_blocks) - 1));
  blocks_ = ((extent - 1) >> block_shift_) + 1;
  parts_ = std::clamp<int64_t>(all / (8 * least_chunk * blocks_), 1, num_threads());
  streams_.resize(static_cast<size_t>(parts_ * blocks_));
  chunk_updates_ = std::clamp<int64_t>(all / (8 * parts_ * blocks_), least_chunk, largest_chunk);
  const int64_t chunks = all / chunk_updates_ + parts_ * blocks_;
  next_.resize(static_cast<size_t>(chunks));
  for_element_size(element_size_, [&]<int Bytes>() {
    (void)memory_.take<std::byte>(chunks * chunk_bytes<Bytes>(chunk_updates_));
    parallel_for(parts_, [&](int64_t part) { group<Bytes>(part, read); });
  });
}

template <int Bytes>
std::byte* GroupedUpdates::chunk(int64_t number) const {
  return memory_.get<std::byte>() + number * chunk_bytes<Bytes>(chunk_updates_);
}

template <int Bytes>
void GroupedUpdates::group(int64_t part, const ReadValues& read) {
  // The address of the next update of a block, and the end of this update's chunk. Heads are local variables, because
  // bytes may alias any object.
  struct Head {
    Update<Bytes>* at;
    Update<Bytes>* end;
  } heads[most_blocks + 1] = {};
  Stream* const streams = &streams_[static_cast<size_t>(part * blocks_)];
  int64_t fresh = begin_of(part) / chunk_updates_ + part * blocks_;  // the first chunk that only this part uses
  const auto next_chunk = [&](int64_t b) {
    Stream& s = streams[b];
    (s.first < 0 ? s.first : next_[static_cast<size_t>(s.last)]) = fresh;
    s.last = fresh;
    auto* const begin = reinterpret_cast<Update<Bytes>*>(chunk<Bytes>(fresh++));
    return Head{begin, begin + chunk_updates_};
  };
  walk_.run(begin_of(part), end_of(part), [&](int64_t origin, const int64_t* offsets, int64_t position, int64_t n) {
    alignas(64) std::byte staged[offsets_tile * Bytes];
    const std::byte* const values = read(position, n, staged);
    const int shift = block_shift_;
    const int64_t within = (int64_t{1} << shift) - 1, base = origin - target_.low;
    for (int64_t i = n * Bytes; i < 2 * n * Bytes; i += cache_line) __builtin_prefetch(values + i);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t place = base + offsets[i];
      Head& head = heads[place >> shift];
      if (head.at == head.end) head = next_chunk(place >> shift);
      Update<Bytes>* const update = head.at++;
      update->place = static_cast<uint32_t>(place & within);
      std::memcpy(update->value, values + i * Bytes, Bytes);
      __builtin_prefetch(reinterpret_cast<std::byte*>(update) + cache_line, 1);
    }
  });
  for (int64_t b = 0; b < blocks_; ++b)
    if (streams[b].first >= 0) streams[b].in_last = chunk_updates_ - (heads[b].end - heads[b].at);
}

template <int Bytes, class Body>
void GroupedUpdates::for_chunks(int64_t block, Body body) const {
  for (int64_t part = 0; part < parts_; ++part) {
    const Stream& s = stream(part, block);
    for (int64_t c = s.first; c >= 0; c = c == s.last ? -1 : next_[static_cast<size_t>(c)]) {
      const auto* const updates = reinterpret_cast<const Update<Bytes>*>(chunk<Bytes>(c));
      body(updates, c == s.last ? s.in_last : chunk_updates_);
    }
  }
}

void GroupedUpdates::apply(std::byte* target, CombineKernel combine, const std::byte* initial,
                           const Widening* widening) const {
  for_element_size(element_size_, [&]<int Bytes>() {
    parallel_for(blocks_, [&](int64_t b) {
      const int64_t begin = target_.low + (b << block_shift_);
      const int64_t bytes = std::min(int64_t{1} << block_shift_, target_.high - begin);
      std::byte* const block = target + begin;
      if (widening) {
        const Widening& w = *widening;
        const int64_t elements = bytes / Bytes;
        const ScratchArray<std::byte> wide(bytes * w.ratio());
        w.to_wide(wide.data(), initial ? initial + begin : block, elements);
        for_chunks<Bytes>(b, [&](const Update<Bytes>* updates, int64_t n) {
          combine_with(w.combine, wide.data(), updates, n, w.ratio(), widening);
        });
        w.to_narrow(block, wide.data(), elements);
        return;
      }
      if (initial) std::memcpy(block, initial + begin, static_cast<size_t>(bytes));
      for_chunks<Bytes>(b, [&](const Update<Bytes>* updates, int64_t n) {
        combine ? combine_with(combine, block, updates, n) : store(block, updates, n);
      });
    });
  });
}

}  // namespace suanzi
