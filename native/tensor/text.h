// Text: the elements of string tensors (6.2), their order, and who keeps the bytes that they refer to.
//
// An element is an address and a length. The bytes lie in blocks that are written once; the storage of a tensor holds
// every block that one of its elements refers to, so copying an element from one tensor to another copies 16 bytes and
// shares a block (keep_referents in tensor/tensor.h). Nothing here locks: string tensors are only touched under the
// interpreter's lock, also by long work (python/bindings.h), because an address and a length seen half written would
// lead outside the block.
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
// Negative, zero or positive, by the order of code points.
inline int compare(const Text& a, const Text& b) { return view(a).compare(view(b)); }

// The blocks that the elements of one storage refer to.
//
// The held text (a block counts its bytes and 1 KiB) stays within an allowance: four times what was referred to when it
// was settled, plus the size of the elements, plus 64 KiB. To settle it costs a pass over the elements; it leaves at
// least half of the allowance to be used up before the next one, so that assignments in a loop cost no more than their
// text.
class TextStore {
 public:
  // A copy of the bytes that lives as long as this store; throws ALLOC_FAILED.
  Text append(std::string_view bytes);
  // Holds the blocks of another store too.
  void share(const TextStore& other);

  bool is_crowded() const { return held_ > allowance_; }
  // Settles the allowance by the text of `elements`, which are all that refer to this store. Where more than half of it
  // is held, they are rewritten to refer to one block of their own, if there is memory for that.
  void compact(std::span<Text> elements);

 private:
  static constexpr int64_t least_allowance = 64 * 1024;

  void hold(StoragePtr block);

  std::vector<StoragePtr> blocks_;  // in the order of their addresses
  char* free_ = nullptr;            // room in the newest block that this store has made
  char* end_ = nullptr;
  int64_t held_ = 0;
  int64_t allowance_ = least_allowance;
};

// The bytes as an element of `target` may refer to them: a copy that its storage keeps.
Text adopt(const Tensor& target, std::string_view bytes);

// Frees text that no element of a string tensor's storage refers to, if it is too much. Only between operations, as
// when an operand is read or a result is returned: in the midst of one, elements may have yet to come to what is kept
// for them.
void settle(const Tensor& x) noexcept;

}  // namespace suanzi
