// A sort of many keys. The kernel (ops/sort/sort.kernels.h) sorts keys that fit the cache. Otherwise, all threads
// distribute the keys into buckets that fit the cache. The caller provides the keys and receives the sorted keys.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <vector>

#include "kernels/kernel.h"
#include "ops/sort/sort.kernels.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"

namespace suanzi {

inline const SortingKernels& sorting() { return *kernels().sorting; }

using costs::key_tile;
using costs::many_keys;
inline constexpr int64_t chunk_keys = costs::keys_of_thread;

namespace detail {

// Bins are ranges of keys of equal width. The number of bins is so small that the bins' tables stay in the L1 cache
// beside the ends of the buckets. Buckets are runs of bins with about the same number of keys.
inline constexpr int bin_bits = 12;
inline constexpr int bin_count = 1 << bin_bits;
inline constexpr int64_t wanted_buckets = 128;
inline constexpr int max_buckets = 2 * wanted_buckets + 1;

template <class Key>
struct Bins {
  Key low = 0;
  int shift = 0;

  // Chooses bins for keys by a sample of the keys. The keys may change later. The code counts keys outside the range of
  // the sample in the first or the last bin.
  template <class Source>
  static Bins choose(int64_t n, const Source& source) {
    constexpr int64_t places = 256, neighbours = 4;
    Key sample[neighbours];
    Key low = std::numeric_limits<Key>::max(), high = 0;
    for (int64_t i = 0; i < places; ++i) {
      source(sample, (n - neighbours) / (places - 1) * i, neighbours);
      low = std::min(low, *std::min_element(sample, sample + neighbours));
      high = std::max(high, *std::max_element(sample, sample + neighbours));
    }
    const int width = static_cast<int>(std::bit_width(static_cast<Key>(high - low)));
    return {low, std::max(0, width - bin_bits)};
  }
};

// The distribution of n keys into buckets, which are ranges of bins. One thread counts and moves the keys of a chunk.
// Chunks have at most 2^31 keys, so 32 bits can count the keys.
template <class Key>
class Distribution {
 public:
  Distribution(int64_t n, Key* work, Key* other, Bins<Key> bins)
      : n_(n),
        tiles_((n + key_tile - 1) / key_tile),
        chunks_(std::max<int64_t>(std::min<int64_t>(num_threads(), n / chunk_keys), (n >> 31) + 1)),
        work_(work),
        other_(other),
        bins_(bins),
        counts_(memory_.take<uint32_t>(chunks_ * bin_count)) {}

  // Copies the source's keys to `other`, counts the keys of each bin, and makes buckets from bins.
  template <class Source>
  void count(const Source& source) {
    parallel_for(chunks_, [&](int64_t chunk) {
      uint32_t* const mine = counts_ + chunk * bin_count;
      std::fill_n(mine, bin_count, 0);
      for_tiles(chunk, source, [&](const Key*, const uint32_t* bin, int64_t count) {
        for (int64_t i = 0; i < count; ++i) ++mine[bin[i]];
      });
    });
    choose_buckets();
    find_places();
  }

  // Moves the keys from `other` to their buckets in `work`.
  void move() const {
    parallel_for(chunks_, [&](int64_t chunk) {
      Key* place[max_buckets];
      for (int64_t b = 0; b < buckets(); ++b) place[b] = work_ + places_[static_cast<size_t>(chunk * buckets() + b)];
      const auto kept = [](Key*, int64_t, int64_t) {};
      for_tiles(chunk, kept, [&](const Key* keys, const uint32_t* bin, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          Key* const at = place[bucket_of_[bin[i]]]++;
          *at = keys[i];
          // Stores complete in order, so the code prefetches the next cache line of the bucket.
          __builtin_prefetch(reinterpret_cast<const std::byte*>(at) + cache_line, 1);
        }
      });
    });
  }

  int64_t buckets() const { return static_cast<int64_t>(begin_.size()) - 1; }
  int64_t begin(int64_t bucket) const { return begin_[static_cast<size_t>(bucket)]; }
  int64_t size(int64_t bucket) const { return begin(bucket + 1) - begin(bucket); }

 private:
  template <class Read, class Body>
  void for_tiles(int64_t chunk, const Read& read, const Body& body) const {
    const auto find_bins = kernels().sorting->of<Key>().bins;
    alignas(64) uint32_t bin[key_tile];
    const int64_t end = std::min(n_, tiles_ * (chunk + 1) / chunks_ * key_tile);
    for (int64_t start = tiles_ * chunk / chunks_ * key_tile; start < end; start += key_tile) {
      const int64_t count = std::min(key_tile, end - start);
      Key* const keys = other_ + start;
      read(keys, start, count);
      find_bins(bin, keys, count, bins_.low, bins_.shift, bin_count - 1);
      body(keys, bin, count);
    }
  }

  void choose_buckets() {
    const int64_t wanted = n_ / wanted_buckets + 1;
    int64_t seen = 0;
    for (int b = 0; b < bin_count; ++b) {
      int64_t in_bin = 0;
      for (int64_t chunk = 0; chunk < chunks_; ++chunk) in_bin += counts_[chunk * bin_count + b];
      if (seen > begin_.back() && seen + in_bin - begin_.back() > wanted) begin_.push_back(seen);
      bucket_of_[b] = static_cast<uint16_t>(begin_.size() - 1);
      seen += in_bin;
    }
    begin_.push_back(n_);
  }

  // Computes the place in `work` at which each chunk writes its keys of each bucket.
  void find_places() {
    places_.assign(static_cast<size_t>(chunks_ * buckets()), 0);
    for (int64_t chunk = 0; chunk < chunks_; ++chunk)
      for (int b = 0; b < bin_count; ++b)
        places_[static_cast<size_t>(chunk * buckets() + bucket_of_[b])] += counts_[chunk * bin_count + b];
    for (int64_t bucket = 0; bucket < buckets(); ++bucket) {
      int64_t at = begin(bucket);
      for (int64_t chunk = 0; chunk < chunks_; ++chunk)
        at += std::exchange(places_[static_cast<size_t>(chunk * buckets() + bucket)], at);
    }
  }

  int64_t n_, tiles_, chunks_;
  Key *work_, *other_;
  Bins<Key> bins_;
  Scratch memory_;
  uint32_t* counts_;
  uint16_t bucket_of_[bin_count];
  std::vector<int64_t> begin_{0};  // the start of each bucket, and the end of the last bucket
  std::vector<int64_t> places_;
};

}  // namespace detail

// Sorts the n keys that source(tile, start, count) writes to a tile of at most key_tile keys. The function passes each
// part of the sorted keys to sink(start, keys, count), possibly on several threads at once. `work` and `other` have
// room for n keys. The sink may write keys [start, start + count) of `other`.
//
// The function stores keys in `other` when it counts the keys, and moves the keys from `other`, because another thread
// may write to the elements of the source. The function reads only a sample of the keys twice. The source may be
// `other`, whose tiles are then read in place.
template <class Key, class Source, class Sink>
void sort_many(int64_t n, const Source& source, Key* work, Key* other, const Sink& sink, int depth = 0) {
  detail::Distribution<Key> keys(n, work, other, detail::Bins<Key>::choose(n, source));
  keys.count(source);
  keys.move();

  // If a bucket has too large a part of all keys, the function distributes the bucket again, with bins for the bucket's
  // range. The depth of this recursion is limited.
  constexpr int deepest = 3;
  const auto is_heavy = [&](int64_t count) { return count > many_keys && count > n / 8 && depth < deepest; };
  parallel_for(keys.buckets(), [&](int64_t b) {
    const int64_t start = keys.begin(b), count = keys.size(b);
    if (is_heavy(count)) return;
    kernels().sorting->of<Key>().sort(work + start, other + start, count, count);
    sink(start, work + start, count);
  });
  for (int64_t b = 0; b < keys.buckets(); ++b) {
    const int64_t start = keys.begin(b), count = keys.size(b);
    if (!is_heavy(count)) continue;
    Key* const copy = other + start;
    std::copy_n(work + start, count, copy);
    // std::function has the same type at every depth of the recursion, so the compiler makes only one further copy of
    // sort_many.
    const std::function<void(Key*, int64_t, int64_t)> from_copy = [copy](Key* tile, int64_t at, int64_t some) {
      if (tile != copy + at) std::copy_n(copy + at, some, tile);
    };
    const std::function<void(int64_t, const Key*, int64_t)> to_sink = [&](int64_t at, const Key* sorted, int64_t some) {
      sink(start + at, sorted, some);
    };
    sort_many(count, from_copy, work + start, copy, to_sink, depth + 1);
  }
}

}  // namespace suanzi
