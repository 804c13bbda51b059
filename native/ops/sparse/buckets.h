// The distribution of elements into buckets on several threads. The elements of a bucket keep their order. The
// conversion from coordinates to compressed rows uses this distribution.
#pragma once

#include <utility>

#include "ops/sparse/ranges.h"
#include "tensor/scratch.h"

namespace suanzi::sparse {

// Calls put(place, i) for each element i of n elements, where n is less than 2^32. The places of one bucket's elements
// are consecutive, in the order of the elements. puts(first) creates a `put` for consecutive elements that begin with
// element `first`. starts[k] becomes the first place of bucket k, and starts[buckets] becomes n. The scratch memory is
// 4 bytes for each bucket and thread.
template <class Bucket, class Puts>
void distribute(int64_t n, int64_t buckets, int64_t* starts, const Bucket& bucket, const Puts& puts) {
  const int64_t chunks = !is_shared(costs::sparse_work(n)) || buckets > n / 4
                             ? 1
                             : std::min<int64_t>(num_threads(), costs::most_distributors);
  Scratch memory;
  auto* const counts = memory.take<uint32_t>(chunks * buckets);
  const auto for_chunk = [&](int64_t chunk, const auto& body) {
    for (int64_t i = n * chunk / chunks, end = n * (chunk + 1) / chunks; i < end; ++i) body(i);
  };
  parallel_for(chunks, [&](int64_t chunk) {
    uint32_t* const mine = counts + chunk * buckets;
    std::fill_n(mine, buckets, 0);
    for_chunk(chunk, [&](int64_t i) { ++mine[bucket(i)]; });
  });
  // The loop replaces each count by the first place in the bucket for the chunk's elements.
  int64_t at = 0;
  for (int64_t k = 0; k < buckets; ++k) {
    starts[k] = at;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      uint32_t& count = counts[chunk * buckets + k];
      at += std::exchange(count, static_cast<uint32_t>(at));
    }
  }
  starts[buckets] = at;
  parallel_for(chunks, [&](int64_t chunk) {
    uint32_t* const places = counts + chunk * buckets;
    auto put = puts(n * chunk / chunks);
    for_chunk(chunk, [&](int64_t i) { put(int64_t{places[bucket(i)]++}, i); });
  });
}

}  // namespace suanzi::sparse
