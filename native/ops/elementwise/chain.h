// A chain is a step of a tile program (walk/program.h) that computes several arithmetic operations. These operations
// are the links. Most links use the result of the previous link, which stays in the processor's registers. Single steps
// write each result to a tile and read the tile again. A chain can also keep a result in a slot and begin again, so a
// sum of products is one chain.
#pragma once

#include <array>

#include "kernels/kernel.h"

namespace suanzi {

// The operations of one operand and of two operands that can be links, and the functors (arithmetic.h) of these
// operations.
#define SUANZI_LINKS(ONE, TWO) \
  TWO(add, Add)                \
  TWO(subtract, Subtract)      \
  TWO(multiply, Multiply)      \
  TWO(true_divide, Divide)     \
  TWO(maximum, Maximum)        \
  TWO(minimum, Minimum)        \
  ONE(negative, Negative)      \
  ONE(abs, Abs)                \
  ONE(reciprocal, Reciprocal)  \
  ONE(square, Square)          \
  ONE(sqrt, Sqrt)

constexpr bool is_link(Operation operation) {
  switch (operation) {
#define SUANZI_CASE(name, F) case Operation::name:
    SUANZI_LINKS(SUANZI_CASE, SUANZI_CASE)
#undef SUANZI_CASE
    return true;
    default:
      return false;
  }
}

// One operation on the current result. The operands are the result and `other`, in reversed order if `reversed` is
// true. An operation of one operand has no `other`. A link with a slot in `kept` computes nothing. The link stores the
// result in that slot, and the chain begins again with `other`.
struct Link {
  // The other operand, which is one of the kernel's operands, or a slot.
  struct Place {
    uint8_t number = 0;
    bool in_slot = false;
  };
  static constexpr uint8_t nowhere = 255;

  Operation operation{};
  Place other{};
  bool reversed = false;
  uint8_t kept = nowhere;

  bool keeps() const { return kept != nowhere; }
};

// The data to which KernelParams::more points in a call of a chain's kernel (KernelTable::chain). The chain begins with
// operand 0.
struct Chain {
  static constexpr size_t most_links = 32;
  // The largest number of slots that a chain of `most_links` links can need. A chain needs one slot more than its
  // halves only if the two halves need equally many slots, because builder.cpp puts the half that needs more slots
  // first. Each slot requires a link that writes to the slot and a link that reads from the slot.
  static constexpr uint8_t most_slots = 3;
  static_assert(3 * (2 << most_slots) - 2 > most_links);

  size_t size = 0;
  std::array<Link, most_links> links;
};

}  // namespace suanzi
