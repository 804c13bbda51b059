// Scratch: memory that a computation borrows from the allocator of tensors, given back with the object.
#pragma once

#include "tensor/storage.h"

namespace suanzi {

class Scratch {
 public:
  // Room for `count` elements, aligned to 64 bytes, with unspecified contents; what was taken before is gone.
  template <class T>
  T* take(int64_t count) {
    const size_t bytes = sizeof(T) * static_cast<size_t>(count);
    if (!storage_ || storage_->bytes() < bytes) {
      storage_ = {};
      storage_ = StoragePtr::allocate(bytes);
    }
    return get<T>();
  }
  // What was taken last.
  template <class T>
  T* get() const {
    return reinterpret_cast<T*>(storage_->data());
  }

 private:
  StoragePtr storage_;
};

}  // namespace suanzi
