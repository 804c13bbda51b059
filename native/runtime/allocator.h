// Memory for tensors comes from a caching allocator with statistics and a limit.
//
// Small blocks come from lists that each thread owns and uses without a lock. Larger blocks come from a shared pool.
// The system can use huge pages for blocks of at least 2 MiB. The pool keeps these blocks, so a program that repeats
// the same work touches no new page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

inline constexpr size_t block_alignment = 64;

// A block of memory. The class has no destructor. The code that received the block from allocate() must pass the block
// unchanged to release(), in any thread.
struct Block {
  std::byte* data = nullptr;
  size_t capacity = 0;
};

// Returns a block of at least `bytes` bytes, aligned to block_alignment, with unspecified contents. The block's
// capacity is the size of the block's size class. The capacity exceeds a request of at most 1024 bytes by at most 64
// bytes, and a larger request by at most an eighth. Throws StatusError alloc_failed if the request exceeds the limit or
// the machine's memory, or if the system refuses the memory.
Block allocate(size_t bytes);

// Releases a block, which may be empty.
void release(Block block) noexcept;

// Bytes and counts of this process. Bytes are sums of capacities, not of requests. Every thread may keep some blocks
// (about 3 MiB at most, far less in practice). `cached` includes these blocks. `peak` is inexact by at most the size of
// these blocks. `cache_limit` and release_cached() do not affect the blocks that other threads keep. `limit` is exact.
struct MemoryStatistics {
  int64_t in_use;       // the number of bytes that are allocated and not yet released
  int64_t peak;         // the largest value of in_use since the start or reset_peak()
  int64_t cached;       // the number of released bytes that are kept for reuse
  int64_t limit;        // the limit of in_use, or 0 without a limit
  int64_t cache_limit;  // the limit of cached
  int64_t allocations;  // the number of allocations
  int64_t reused;       // the number of allocations from the cache
};
MemoryStatistics memory_statistics();

void reset_peak();

// set_memory_limit limits `in_use`, and set_cache_limit limits `cached`. Both functions throw StatusError
// invalid_argument for a negative limit. A memory limit of 0 means no limit. A memory limit below the memory in use
// only stops further allocations.
void set_memory_limit(int64_t bytes);
void set_cache_limit(int64_t bytes);

// Returns the shared cache and the calling thread's cache to the system.
void release_cached();

}  // namespace suanzi
