#include "tensor/storage.h"

#include <limits>
#include <new>

#include "tensor/status.h"

namespace suanzi {

void Storage::free() {
  const Block block = block_;
  if (release_owner_) release_owner_(owner_);
  this->~Storage();
  suanzi::release(block);
}

StoragePtr StoragePtr::allocate(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2)
    fail(Status::alloc_failed, "allocate: ", bytes, " bytes exceed the address space");
  const Block block = suanzi::allocate(sizeof(Storage) + bytes);
  return StoragePtr(new (block.data) Storage(block, block.data + sizeof(Storage), bytes));
}

StoragePtr StoragePtr::reference(std::byte* data, size_t bytes, bool writable, void* owner,
                                 Storage::ReleaseOwner release_owner) {
  const Block block = suanzi::allocate(sizeof(Storage));
  StoragePtr result(new (block.data) Storage(block, data, bytes));
  result->writable_ = writable;
  result->set_owner(owner, release_owner);
  return result;
}

}  // namespace suanzi
