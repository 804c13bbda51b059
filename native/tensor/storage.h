// A Storage is the reference-counted bytes that one or more tensors view.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/allocator.h"
#include "runtime/tracing.h"

namespace suanzi {

// The storage object is in the first bytes of its own block, so a tensor needs one allocation. For foreign memory, the
// object is alone in a small block.
class alignas(64) Storage {
 public:
  using ReleaseOwner = void (*)(void* owner);

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  // Returns true if the bytes belong to other code.
  bool foreign() const { return foreign_; }
  // Returns the number of the trace in which the storage was made, or 0 (runtime/tracing.h).
  uint32_t trace() const { return trace_; }
  // Returns true if the storage has more than one holder.
  bool shared() const { return references_.load(std::memory_order_acquire) != 1; }

  // Returns the owner of the bytes, or the object to which the bytes refer. The owner lives as long as the bytes.
  void* owner() const { return owner_; }
  void set_owner(void* owner, ReleaseOwner release_owner) {
    owner_ = owner;
    release_owner_ = release_owner;
  }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // The last holder needs no atomic read-modify-write, because no other thread can then increase the count.
    if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      free();
  }

 private:
  friend class StoragePtr;
  Storage(Block block, std::byte* data, size_t bytes) : block_(block), data_(data), bytes_(bytes) {}
  void free();

  std::atomic<int64_t> references_{1};
  Block block_;
  std::byte* data_;
  size_t bytes_;
  void* owner_ = nullptr;
  ReleaseOwner release_owner_ = nullptr;
  bool writable_ = true;
  bool foreign_ = false;
  uint32_t trace_ = current_trace;
};

class StoragePtr {
 public:
  StoragePtr() = default;
  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_) storage_->retain();
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_) storage_->release();
  }

  // Allocates uninitialised bytes. Throws ALLOC_FAILED if the memory does not suffice.
  static StoragePtr allocate(size_t bytes);
  // Returns a storage for bytes that another owner holds. The release of the last tensor releases the owner.
  static StoragePtr reference(std::byte* data, size_t bytes, bool writable, void* owner,
                              Storage::ReleaseOwner release_owner);

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  explicit StoragePtr(Storage* storage) : storage_(storage) {}
  Storage* storage_ = nullptr;
};

}  // namespace suanzi
