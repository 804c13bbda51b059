// A Scratch is memory that a computation borrows from the allocator of tensors. The destructor returns the memory.
#pragma once

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "tensor/storage.h"

namespace suanzi {

class Scratch {
 public:
  // Returns room for `count` elements, aligned to 64 bytes, with unspecified contents. The call releases the block that
  // the previous call returned.
  template <class T>
  T* take(int64_t count) {
    const size_t bytes = sizeof(T) * static_cast<size_t>(count);
    if (!storage_ || storage_->bytes() < bytes) {
      storage_ = {};
      storage_ = StoragePtr::allocate(bytes);
    }
    return get<T>();
  }
  // Returns the block of the last call of `take`.
  template <class T>
  T* get() const {
    return reinterpret_cast<T*>(storage_->data());
  }

 private:
  StoragePtr storage_;
};

// Uninitialised memory for n numbers, which lives as long as the object.
template <class T>
class ScratchArray {
 public:
  explicit ScratchArray(int64_t n) : block_(allocate(bytes_of(n))) {}
  ~ScratchArray() { release(block_); }
  ScratchArray(ScratchArray&& other) noexcept : block_(std::exchange(other.block_, Block{})) {}
  ScratchArray& operator=(ScratchArray&&) = delete;
  T* data() const { return reinterpret_cast<T*>(block_.data); }

 private:
  static size_t bytes_of(int64_t n) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(n, 1), sizeof(T), &bytes))
      fail(Status::alloc_failed, "scratch memory for ", n, " numbers cannot be allocated");
    return static_cast<size_t>(bytes);
  }

  Block block_;
};

}  // namespace suanzi
