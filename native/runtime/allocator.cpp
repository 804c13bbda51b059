// The size classes, the lists of each thread, the shared pool, and the treatment of the lists and the pool at a fork.
#include "runtime/allocator.h"

#include <pthread.h>
#include <sys/mman.h>
#ifdef __linux__
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>

#include "base/status.h"
#include "runtime/costs.h"
#include "runtime/fork.h"
#include "runtime/machine.h"

namespace suanzi {
namespace {

constexpr auto mapped_block = static_cast<size_t>(costs::mapped_block);
constexpr auto thread_block_limit = static_cast<size_t>(costs::thread_block);
// The limit of the bytes in a list of a thread. The limit of a list's length is at least 2 and at most 64 blocks.
constexpr auto thread_list_bytes = static_cast<size_t>(costs::thread_list);

// Size classes are the multiples of 64 bytes up to 1024. Above 1024 bytes, eight size classes are between a power of
// two and the next power of two.
struct SizeClass {
  size_t index, capacity;
};
constexpr SizeClass class_of(size_t bytes) {
  const size_t last = bytes == 0 ? 0 : bytes - 1;
  const int shift = std::bit_width(last | 512) - 4;
  return {static_cast<size_t>(shift - 6) * 8 + (last >> shift), ((last >> shift) + 1) << shift};
}
constexpr size_t thread_classes = class_of(thread_block_limit).index + 1;
constexpr size_t pool_classes = class_of(mapped_block).index;

struct FreeBlock {
  FreeBlock* next;
};

class FreeList {
 public:
  void push(std::byte* data) { head_ = new (data) FreeBlock{head_}; }
  std::byte* pop() {
    FreeBlock* const block = head_;
    if (block != nullptr) head_ = block->next;
    return reinterpret_cast<std::byte*>(block);
  }

 private:
  FreeBlock* head_ = nullptr;
};

// An integer that one thread changes and other threads may read.
class Counter {
 public:
  void add(int64_t amount) { value_.store(get() + amount, std::memory_order_relaxed); }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }
  int64_t take() {
    const int64_t value = get();
    add(-value);
    return value;
  }

 private:
  std::atomic<int64_t> value_{0};
};

struct ThreadCache {
  struct List {
    FreeList blocks;
    int32_t count = 0;
    int32_t limit = 0;
    size_t capacity = 0;
  };

  ThreadCache() {
    for (size_t capacity = 0; capacity < thread_block_limit;) {
      const SizeClass size = class_of(capacity + 1);
      capacity = size.capacity;
      lists[size.index].limit = static_cast<int32_t>(std::clamp<size_t>(thread_list_bytes / capacity, 2, 64));
      lists[size.index].capacity = capacity;
    }
  }

  // Returns a block from the list of the size class, or null if the list is empty.
  std::byte* take(SizeClass size) {
    List& list = lists[size.index];
    std::byte* const data = list.blocks.pop();
    if (data == nullptr) return nullptr;
    --list.count;
    cached.add(-static_cast<int64_t>(list.capacity));
    return data;
  }

  std::array<List, thread_classes> lists{};
  Counter cached;  // the number of bytes in the lists
  Counter in_use;  // the number of allocated bytes, less the released bytes, since the last report to the pool
  Counter reused;  // the number of allocations from the lists since the last report
  ThreadCache* previous = nullptr;
  ThreadCache* next = nullptr;
};

// The flag is true if a caller has set a limit. Every allocation then calls the pool.
constinit std::atomic<bool> limited = false;

// The initial-exec model reaches the variable by one instruction instead of a call. The model uses 8 bytes of the space
// that the system keeps for libraries that are loaded late. Other C libraries refuse this model to libraries that are
// loaded late.
#ifdef __GLIBC__
[[gnu::tls_model("initial-exec")]]
#endif
constinit thread_local ThreadCache* thread_cache = nullptr;

std::byte* map_huge_pages(size_t capacity) noexcept {
  if (capacity >= static_cast<size_t>(costs::checked_block) && static_cast<int64_t>(capacity) > available_memory())
    return nullptr;
  const auto huge_page = static_cast<size_t>(huge_page_bytes());
  // A block that is smaller than a huge page need not begin at the boundary of a huge page.
  const size_t alignment = capacity >= huge_page ? huge_page : mapped_block;
  void* const mapping = mmap(nullptr, capacity + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  std::byte* const start = static_cast<std::byte*>(mapping);
  const size_t before = -reinterpret_cast<uintptr_t>(start) % alignment;
  if (before > 0) munmap(start, before);
  munmap(start + before + capacity, alignment - before);
#ifdef MADV_HUGEPAGE
  madvise(start + before, capacity, MADV_HUGEPAGE);
#endif
  return start + before;
}

std::byte* system_allocate(size_t capacity) noexcept {
  if (capacity >= mapped_block) return map_huge_pages(capacity);
  return static_cast<std::byte*>(std::aligned_alloc(block_alignment, capacity));
}

void system_release(Block block) noexcept {
  if (block.capacity < mapped_block) {
    std::free(block.data);
  } else {
    munmap(block.data, block.capacity);
  }
}

// The pool that all threads share. The caller of a member function must hold `mutex`, and passes its own thread's
// `cache`, or null.
class Pool {
 public:
  Pool();

  Block allocate(size_t bytes, ThreadCache* cache);
  void release(Block block, ThreadCache* cache) noexcept;

  // Moves blocks of a thread's list to the pool until `remaining` blocks are left.
  void spill(ThreadCache& cache, ThreadCache::List& list, int32_t remaining) noexcept;
  // Returns all cached blocks, including the blocks of the calling thread, to the system.
  void flush(ThreadCache* cache) noexcept;

  void join(ThreadCache* cache) noexcept;
  void leave(ThreadCache* cache) noexcept;

  MemoryStatistics statistics() const;
  void reset_peak(ThreadCache* cache);
  void set_limit(int64_t bytes) {
    limit_ = bytes;
    limited.store(bytes > 0, std::memory_order_relaxed);
  }
  void set_cache_limit(int64_t bytes);

  std::mutex mutex;

 private:
  std::byte* take(SizeClass size) noexcept;
  void keep(Block block) noexcept;
  void settle(ThreadCache* cache) noexcept;
  void shrink(int64_t bytes) noexcept;
  [[noreturn]] void fail_allocation(size_t bytes) const;

  int64_t in_use_ = 0, peak_ = 0, cached_ = 0, limit_ = 0, cache_limit_, allocations_ = 0, reused_ = 0;
  std::array<FreeList, pool_classes> lists_{};
  // The blocks of at least mapped_block bytes, beginning with the oldest block.
  std::array<Block, 256> large_{};
  size_t large_count_ = 0;
  ThreadCache* threads_ = nullptr;
};

// The pool is never destroyed, because blocks are still released by threads that outlive main(), and by destructors
// that run late. The static pointer keeps the pool's memory reachable for leak checkers.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

std::mutex& pool_mutex() { return pool().mutex; }

pthread_key_t thread_exit_key;

void on_thread_exit(void* cache) {
  thread_cache = nullptr;
  const std::lock_guard lock(pool().mutex);
  pool().leave(static_cast<ThreadCache*>(cache));
}

// Returns SUANZI_CACHE_LIMIT. If this variable is not set, the function returns an eighth of the memory, but at most
// costs::cache_limit.
int64_t initial_cache_limit() {
  const char* const variable = std::getenv("SUANZI_CACHE_LIMIT");
  const std::string_view text = variable == nullptr ? "" : variable;
  if (text.empty()) return std::min(machine_memory() / costs::cache_share, costs::cache_limit);
  int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size() || bytes < 0) {
    fail(Status::invalid_argument, "suanzi: SUANZI_CACHE_LIMIT='", text,
         "' is not a number of bytes, which is a whole number of at least 0");
  }
  return bytes;
}

// The thread that forks holds the lock, so that the pool is consistent in the child. The other threads do not exist in
// the child, but their caches stay registered. The child cannot use the blocks of these caches, but counts these
// blocks.
Pool::Pool() : cache_limit_(initial_cache_limit()) {
  pthread_key_create(&thread_exit_key, on_thread_exit);
  hold_across_fork<pool_mutex>();
}

// Returns the thread's cache, which the thread's first call creates. The function returns null if the memory does not
// suffice for a cache. The destructor of a pthread key, unlike the destructor of a thread_local, runs again when a
// later destructor of the thread allocates memory.
ThreadCache* own_cache(Pool& shared) noexcept {
  if (thread_cache != nullptr) return thread_cache;
  ThreadCache* const cache = new (std::nothrow) ThreadCache;
  if (cache == nullptr) return nullptr;
  if (pthread_setspecific(thread_exit_key, cache) != 0) {
    delete cache;
    return nullptr;
  }
  shared.join(cache);
  thread_cache = cache;
  return cache;
}

Block Pool::allocate(size_t bytes, ThreadCache* cache) {
  settle(cache);
  const int64_t bound = limit_ > 0 ? std::min(limit_, machine_memory()) : machine_memory();
  if (bytes > static_cast<uint64_t>(bound)) fail_allocation(bytes);
  const SizeClass size = class_of(bytes);
  const int64_t capacity = static_cast<int64_t>(size.capacity);
  // Blocks that threads took from their own lists since their last report still count against the limit.
  const bool fits_here = limit_ == 0 && capacity <= bound - in_use_;
  if (!fits_here && capacity > bound - statistics().in_use) fail_allocation(bytes);

  std::byte* data = cache != nullptr && size.index < thread_classes ? cache->take(size) : nullptr;
  if (data == nullptr) data = take(size);
  if (data != nullptr) {
    ++reused_;
  } else {
    if (capacity > bound - in_use_ - cached_) flush(cache);
    data = system_allocate(size.capacity);
    if (data == nullptr) {
      flush(cache);
      data = system_allocate(size.capacity);
    }
    if (data == nullptr) fail_allocation(bytes);
  }
  ++allocations_;
  in_use_ += capacity;
  peak_ = std::max(peak_, in_use_);
  return {data, size.capacity};
}

void Pool::fail_allocation(size_t bytes) const {
  const int64_t used = statistics().in_use;
  const uint64_t machine = static_cast<uint64_t>(std::min(machine_memory(), address_space()));
  const uint64_t needed = bytes > machine ? bytes : class_of(bytes).capacity;
  if (limit_ > 0 && needed > static_cast<uint64_t>(std::max<int64_t>(0, limit_ - used))) {
    fail(Status::alloc_failed, "allocate: ", bytes, " bytes exceed the limit of ", limit_, " bytes (", used,
         " in use)");
  }
  fail(Status::alloc_failed, "allocate: ", bytes, " bytes exceed the memory available (", machine, " bytes in all, ",
       used, " in use)");
}

void Pool::release(Block block, ThreadCache* cache) noexcept {
  settle(cache);
  in_use_ -= static_cast<int64_t>(block.capacity);
  keep(block);
}

std::byte* Pool::take(SizeClass size) noexcept {
  std::byte* data = nullptr;
  if (size.capacity < mapped_block) {
    data = lists_[size.index].pop();
  } else {
    // The pool first takes the newest block, because parts of this block may still be in a processor's cache.
    for (size_t i = large_count_; i-- > 0;) {
      if (large_[i].capacity != size.capacity) continue;
      data = large_[i].data;
      std::copy(large_.begin() + i + 1, large_.begin() + large_count_, large_.begin() + i);
      --large_count_;
      break;
    }
  }
  if (data != nullptr) cached_ -= static_cast<int64_t>(size.capacity);
  return data;
}

void Pool::keep(Block block) noexcept {
  const bool large = block.capacity >= mapped_block;
  const int64_t capacity = static_cast<int64_t>(block.capacity);
  if (capacity <= cache_limit_) shrink(cache_limit_ - capacity);
  if (cached_ > cache_limit_ - capacity) return system_release(block);
  if (large && large_count_ == large_.size()) shrink(cached_ - 1);
  if (large) {
    large_[large_count_++] = block;
  } else {
    lists_[class_of(block.capacity).index].push(block.data);
  }
  cached_ += capacity;
}

// Frees the oldest large blocks until at most `bytes` bytes are cached, or no large block is left.
void Pool::shrink(int64_t bytes) noexcept {
  size_t freed = 0;
  for (; freed < large_count_ && cached_ > bytes; ++freed) {
    cached_ -= static_cast<int64_t>(large_[freed].capacity);
    system_release(large_[freed]);
  }
  if (freed == 0) return;
  std::copy(large_.begin() + freed, large_.begin() + large_count_, large_.begin());
  large_count_ -= freed;
}

void Pool::flush(ThreadCache* cache) noexcept {
  if (cache != nullptr) {
    for (ThreadCache::List& list : cache->lists) spill(*cache, list, 0);
  }
  shrink(0);
  for (FreeList& list : lists_) {
    while (std::byte* const data = list.pop()) std::free(data);
  }
  cached_ = 0;
#ifdef __GLIBC__
  // Without this call, free() keeps all pages below the last block in use.
  malloc_trim(0);
#endif
}

void Pool::set_cache_limit(int64_t bytes) {
  cache_limit_ = bytes;
  shrink(bytes);
  if (cached_ > bytes) flush(nullptr);
}

void Pool::spill(ThreadCache& cache, ThreadCache::List& list, int32_t remaining) noexcept {
  for (; list.count > remaining; --list.count) {
    cache.cached.add(-static_cast<int64_t>(list.capacity));
    keep({list.blocks.pop(), list.capacity});
  }
}

// Adds the thread's counts since the last report to the pool's counts.
void Pool::settle(ThreadCache* cache) noexcept {
  if (cache == nullptr) return;
  in_use_ += cache->in_use.take();
  peak_ = std::max(peak_, in_use_);
  const int64_t hits = cache->reused.take();
  allocations_ += hits;
  reused_ += hits;
}

void Pool::join(ThreadCache* cache) noexcept {
  cache->next = threads_;
  if (threads_ != nullptr) threads_->previous = cache;
  threads_ = cache;
}

void Pool::leave(ThreadCache* cache) noexcept {
  settle(cache);
  for (ThreadCache::List& list : cache->lists) spill(*cache, list, 0);
  (cache->previous != nullptr ? cache->previous->next : threads_) = cache->next;
  if (cache->next != nullptr) cache->next->previous = cache->previous;
  delete cache;
}

MemoryStatistics Pool::statistics() const {
  MemoryStatistics sum{in_use_, peak_, cached_, limit_, cache_limit_, allocations_, reused_};
  for (const ThreadCache* cache = threads_; cache != nullptr; cache = cache->next) {
    const int64_t hits = cache->reused.get();
    sum.in_use += cache->in_use.get();
    sum.cached += cache->cached.get();
    sum.allocations += hits;
    sum.reused += hits;
  }
  sum.peak = std::max(sum.peak, sum.in_use);
  return sum;
}

void Pool::reset_peak(ThreadCache* cache) {
  settle(cache);
  peak_ = statistics().in_use;
}

[[gnu::noinline]] Block allocate_from_pool(size_t bytes) {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  return shared.allocate(bytes, own_cache(shared));
}

// Releases a block, and moves half of a full list of the calling thread to the pool, so that the next releases of this
// size are fast again.
[[gnu::noinline]] void release_to_pool(Block block) noexcept {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  ThreadCache* const cache = own_cache(shared);
  shared.release(block, cache);
  if (cache == nullptr || block.capacity > thread_block_limit) return;
  ThreadCache::List& list = cache->lists[class_of(block.capacity).index];
  shared.spill(*cache, list, list.limit / 2);
}

void check_limit(const char* function, int64_t bytes) {
  if (bytes < 0) fail(Status::invalid_argument, function, ": ", bytes, " bytes is a negative number");
}

}  // namespace

Block allocate(size_t bytes) {
  ThreadCache* const cache = thread_cache;
  if (bytes > thread_block_limit || cache == nullptr || limited.load(std::memory_order_relaxed))
    return allocate_from_pool(bytes);
  const SizeClass size = class_of(bytes);
  std::byte* const data = cache->take(size);
  if (data == nullptr) return allocate_from_pool(bytes);
  cache->in_use.add(static_cast<int64_t>(size.capacity));
  cache->reused.add(1);
  return {data, size.capacity};
}

void release(Block block) noexcept {
  if (block.data == nullptr) return;
  ThreadCache* const cache = thread_cache;
  if (block.capacity > thread_block_limit || cache == nullptr) return release_to_pool(block);
  ThreadCache::List& list = cache->lists[class_of(block.capacity).index];
  if (list.count == list.limit) return release_to_pool(block);
  list.blocks.push(block.data);
  ++list.count;
  const int64_t capacity = static_cast<int64_t>(block.capacity);
  cache->cached.add(capacity);
  cache->in_use.add(-capacity);
}

MemoryStatistics memory_statistics() {
  const std::lock_guard lock(pool().mutex);
  return pool().statistics();
}

void reset_peak() {
  const std::lock_guard lock(pool().mutex);
  pool().reset_peak(thread_cache);
}

void set_memory_limit(int64_t bytes) {
  check_limit("set_memory_limit", bytes);
  const std::lock_guard lock(pool().mutex);
  pool().set_limit(bytes);
}

void set_cache_limit(int64_t bytes) {
  check_limit("set_cache_limit", bytes);
  const std::lock_guard lock(pool().mutex);
  pool().set_cache_limit(bytes);
}

void release_cached() {
  const std::lock_guard lock(pool().mutex);
  pool().flush(thread_cache);
}

}  // namespace suanzi
