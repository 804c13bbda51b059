// Memory for tensors: a caching allocator with statistics and a limit.
//
// Small blocks come from lists that each thread owns (no lock), larger ones from a shared pool, blocks of 2 MiB and
// more from huge pages that are kept so that a steady state touches no fresh page. Knows nothing of tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suanzi {

inline constexpr size_t block_alignment = 64;

// A block owns nothing: whoever got it from allocate() gives it back to release(), from any thread, unchanged.
struct Block {
  std::byte* data = nullptr;
  size_t capacity = 0;
};

// At least `bytes` bytes, aligned to block_alignment, with unspecified contents. The capacity is that of a size class
// (at most one eighth, or 63 bytes, above the request). StatusError alloc_failed past the limit or the machine's
// memory.
Block allocate(size_t bytes);

// Accepts an empty block.
void release(Block block) noexcept;

// Bytes and counts of this process. Capacities count, not requests. Every thread may keep some blocks of its own (about
// 3 MiB at most, far less in practice): `cached` includes them, but neither `cache_limit` nor release_cached() reaches
// those of other threads, and `peak` is exact only to within them. `limit` is exact.
struct MemoryStatistics {
  int64_t in_use;       // handed out and not yet released
  int64_t peak;         // the largest in_use since the start or reset_peak()
  int64_t cached;       // released and kept for reuse
  int64_t limit;        // on in_use; 0 is none
  int64_t cache_limit;  // on cached
  int64_t allocations;  // blocks handed out
  int64_t reused;       // allocations that came from the cache
};
MemoryStatistics memory_statistics();

void reset_peak();

// StatusError invalid_argument if negative. A limit below the memory in use only stops further allocations.
void set_memory_limit(int64_t bytes);
void set_cache_limit(int64_t bytes);

// Returns the shared cache and the calling thread's own to the system.
void release_cached();

}  // namespace suanzi
