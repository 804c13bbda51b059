// Text is the type of the elements of string tensors (6.2). The functions below compare elements, and a TextStore owns
// the bytes to which elements refer.
//
// An element is an address and a length. The bytes are in blocks that are written once. The storage of a tensor holds
// every block to which its elements refer. Therefore a copy of an element from one tensor to another copies 16 bytes
// and shares a block (keep_referents in tensor/tensor.h). The code in this file takes no locks. In the Python module,
// code that uses string tensors holds the interpreter's lock, also in long calls (python/bindings.h). Code that reads a
// half-written pair of an address and a length would read outside the block.
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
// Compares two strings by their code points. The result is negative if a comes before b, positive if a comes after b,
// and 0 if the strings are equal.
inline int compare(const Text& a, const Text& b) { return view(a).compare(view(b)); }

// The blocks to which the elements of one storage refer.
//
// The size of the held text stays within an allowance. Each block counts as its bytes and 1 KiB. The allowance is the
// sum of three terms. The first term is four times the length of the text to which elements referred at the last call
// of `compact`. The other terms are the size of the elements and 64 KiB. `settle` calls `compact`, which passes over
// all elements, if the held text exceeds the allowance. After this pass, at least half of the allowance is free, so
// assignments in a loop take only a time that is proportional to the assigned text.
class TextStore {
 public:
  // Returns a copy of the bytes that lives as long as this store. Throws ALLOC_FAILED if the memory does not suffice.
  Text append(std::string_view bytes);
  // Makes this store hold the blocks of another store as well.
  void share(const TextStore& other);

  bool is_crowded() const { return held_ > allowance_; }
  // Computes the allowance again from the text of `elements`, which are all elements that refer to this store. If the
  // held text is more than half of the allowance, the function copies the text to one new block, to which the elements
  // then refer. If the memory does not suffice for the block, the function keeps the old blocks.
  void compact(std::span<Text> elements);

 private:
  static constexpr int64_t least_allowance = 64 * 1024;

  void hold(StoragePtr block);

  std::vector<StoragePtr> blocks_;  // the blocks in the order of their addresses
  char* free_ = nullptr;            // the free room in the newest block that this store has made
  char* end_ = nullptr;
  int64_t held_ = 0;
  int64_t allowance_ = least_allowance;
};

// Copies the bytes to memory that the target's storage keeps, and returns the copy as an element of `target`.
Text adopt(const Tensor& target, std::string_view bytes);

// Frees text to which no element of a string tensor's storage refers, if this text exceeds the allowance. Only code
// between operations may call this function, for example a binding that reads an operand or returns a result. During an
// operation, the storage may hold text whose elements are not yet written.
void settle(const Tensor& x) noexcept;

}  // namespace suanzi
