// Text: the elements of string tensors (6.2), their order, and the ownership of the bytes that they refer to.
//
// An element is an address and a length. The bytes are in blocks that are written once. The storage of a tensor holds
// every block that one of its elements refers to, so copying an element from one tensor to another copies 16 bytes and
// shares a block (keep_referents in tensor/tensor.h). The code in this file takes no locks. String tensors are only
// used under the interpreter's lock, even by long work (python/bindings.h), because an address and a length read half
// written would point outside the block.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace suanzi {

inline std::string_view view(const Text& text) { return {text.data, static_cast<size_t>(text.length)}; }

inline bool equal(const Text& a, const Text& b) { return view(a) == view(b); }
// Returns a negative, zero or positive number by the order of code points.
inline int compare(const Text& a, const Text& b) { return view(a).compare(view(b)); }

// The blocks that the elements of one storage refer to.
//
// The size of the held text (a block counts its bytes and 1 KiB) stays within an allowance: four times the text that
// elements referred to when the store was last settled, plus the size of the elements, plus 64 KiB. Settling passes
// over all elements. After settling, at least half of the allowance is free, so that assignments in a loop cost no more
// than their text.
class TextStore {
 public:
  // Returns a copy of the bytes that lives as long as this store; throws ALLOC_FAILED.
  Text append(std::string_view bytes);
  // Makes this store hold the blocks of another store as well.
  void share(const TextStore& other);

  bool is_crowded() const { return held_ > allowance_; }
  // Sets the allowance anew from the text of `elements`, which are all the elements that refer to this store. If the
  // held text is more than half of the allowance, the text is copied to one new block, to which the elements then
  // refer, if there is memory for the block.
  void compact(std::span<Text> elements);

 private:
  static constexpr int64_t least_allowance = 64 * 1024;

  void hold(StoragePtr block);

  std::vector<StoragePtr> blocks_;  // ordered by address
  char* free_ = nullptr;            // free room in the newest block that this store has made
  char* end_ = nullptr;
  int64_t held_ = 0;
  int64_t allowance_ = least_allowance;
};

// Returns the bytes as an element of `target`: a copy that the target's storage keeps.
Text adopt(const Tensor& target, std::string_view bytes);

// Frees text that no element of a string tensor's storage refers to, if that text exceeds the allowance. Only code
// between operations may call this function, as when an operand is read or a result is returned: during an operation,
// the storage may hold text whose elements are not written yet.
void settle(const Tensor& x) noexcept;

}  // namespace suanzi
