#include "tensor/storage.h"

#include <limits>
#include <new>

#include "base/status.h"
#include "runtime/costs.h"

namespace suanzi {
namespace {

// The offset in bytes of the data in a large block, which begins at or near the start of a page. This offset is far
// from 16, the offset of the data in large blocks of malloc (NumPy's arrays). A load waits for an earlier store whose
// address has the same last 12 bits, as if the two addresses were equal. With inputs at offset 16 and the result at
// offset sizeof(Storage), every load had to wait. Operators with two operands then took a third longer.
constexpr size_t page_middle = 2048;

}  // namespace

void Storage::free() {
  const Block block = block_;
  if (release_owner_) release_owner_(owner_);
  this->~Storage();
  suanzi::release(block);
}

StoragePtr StoragePtr::allocate(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2)
    fail(Status::alloc_failed, "allocate: ", bytes, " bytes exceed the address space");
  const size_t before = bytes < static_cast<size_t>(costs::staggered_block) ? sizeof(Storage) : page_middle;
  const Block block = suanzi::allocate(before + bytes);
  return StoragePtr(new (block.data) Storage(block, block.data + before, bytes));
}

StoragePtr StoragePtr::reference(std::byte* data, size_t bytes, bool writable, void* owner,
                                 Storage::ReleaseOwner release_owner) {
  const Block block = suanzi::allocate(sizeof(Storage));
  StoragePtr result(new (block.data) Storage(block, data, bytes));
  result->writable_ = writable;
  result->foreign_ = true;
  result->set_owner(owner, release_owner);
  return result;
}

}  // namespace suanzi
