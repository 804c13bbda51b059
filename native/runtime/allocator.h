// Memory for tensors: a caching allocator with statistics and a limit.
//
// Small blocks come from lists that each thread owns (no lock). Larger blocks come from a shared pool. Blocks of at
// least 2 MiB consist of huge pages, which the pool keeps, so that a program in a steady state touches no new page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

inline constexpr size_t block_alignment = 64;

// A block of memory. The class has no destructor: the code that got a block from allocate() must pass the block
// unchanged to release(), in any thread.
struct Block {
  std::byte* data = nullptr;
  size_t capacity = 0;
};

// Returns a block of at least `bytes` bytes, aligned to block_alignment, with unspecified contents. Its capacity is the
// size of its class (at most one eighth, or 63 bytes, above the request). Throws StatusError alloc_failed if the
// request exceeds the limit or the machine's memory.
Block allocate(size_t bytes);

// Releases a block, which may be empty.
void release(Block block) noexcept;

// Bytes and counts of this process. Byte counts are capacities, not requests. Every thread may keep some blocks of its
// own (about 3 MiB at most, far less in practice). `cached` includes these blocks, `peak` is inexact by at most their
// size, and `cache_limit` and release_cached() do not affect the blocks that other threads keep. `limit` is exact.
struct MemoryStatistics {
  int64_t in_use;       // handed out and not yet released
  int64_t peak;         // the largest value of in_use since the start or reset_peak()
  int64_t cached;       // bytes released and kept for reuse
  int64_t limit;        // the limit of in_use; 0 means no limit
  int64_t cache_limit;  // the limit of cached
  int64_t allocations;  // blocks handed out
  int64_t reused;       // allocations that came from the cache
};
MemoryStatistics memory_statistics();

void reset_peak();

// Throws StatusError invalid_argument for a negative limit. A limit below the memory in use only stops further
// allocations.
void set_memory_limit(int64_t bytes);
void set_cache_limit(int64_t bytes);

// Returns the shared cache and the calling thread's cache to the system.
void release_cached();

}  // namespace suanzi
