// A chain: operations of arithmetic of which each takes the result of the one before, as one step of a tile program.
// What is on the way stays in the processor's registers, where single steps write each result to a tile and read it
// again.
#pragma once

#include <array>

#include "kernels/kernel.h"

namespace suanzi {

// The operations that can be links, of one operand and of two, with what does each to vectors (arithmetic.h).
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

// What is done to the result so far: the operation takes it and `operand` of the kernel, in the other order if
// `reversed`; an operation of one operand has none.
struct Link {
  Operation operation;
  uint8_t operand = 0;
  bool reversed = false;
};

// What KernelParams::more is for a chain's kernel (KernelTable::chain), which begins with its operand 0.
struct Chain {
  static constexpr size_t most_links = 32;

  size_t size = 0;
  std::array<Link, most_links> links;
};

}  // namespace suanzi
