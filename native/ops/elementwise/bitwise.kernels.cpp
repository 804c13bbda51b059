// Bitwise operations and shifts. If the count is negative, or at least the number of bits, a right shift of a negative
// number returns -1, and all other shifts return 0.
#include "kernels/families.h"
#include "kernels/loops.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct And {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a & b;
  }
};
struct Or {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a | b;
  }
};
struct Xor {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a ^ b;
  }
};
struct Invert {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return ~a;
  }
};
struct InvertBool {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a ^ V(uint8_t(1));
  }
};

// Shifts each lane of x by its own count, 0 <= count < bits. Narrow lanes have no shift instruction, so the function
// shifts narrow lanes in steps of 1, 2, 4, …, one step for each bit of the count.
template <bool Left, class T, int N>
SUANZI_INLINE Vec<T, N> shift(Vec<T, N> x, Vec<T, N> count) {
  if constexpr (sizeof(T) >= 4) {
    return Left ? x << count : x >> count;
  } else {
    const Vec<T, N> zero(T(0));
    for (int step = 1; step < static_cast<int>(8 * sizeof(T)); step *= 2)
      x = select((count & Vec<T, N>(static_cast<T>(step))) != zero, Left ? x << step : x >> step, x);
    return x;
  }
}

// Returns true if the count is not negative and is below the number of bits. The function reads the count as an
// unsigned number. Read as an unsigned number, a negative count is too large.
template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> in_range(Vec<T, N> count) {
  return bit_cast<UintFor<T>>(count) < Vec<UintFor<T>, N>(UintFor<T>(8 * sizeof(T)));
}
struct LeftShift {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> x, Vec<T, N> count) const {
    const auto inside = in_range(count);
    return select(inside, shift<true>(x, select(inside, count, T(0))), T(0));
  }
};
struct RightShift {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> x, Vec<T, N> count) const {
    const auto inside = in_range(count);
    const Vec<T, N> shifted = shift<false>(x, select(inside, count, T(8 * sizeof(T) - 1)));
    return std::is_signed_v<T> ? shifted : select(inside, shifted, T(0));
  }
};

}  // namespace

void fill_bitwise(KernelTable& table) {
  fill<And>(table, Operation::bitwise_and, Bool{});
  fill<Or>(table, Operation::bitwise_or, Bool{});
  fill<Xor>(table, Operation::bitwise_xor, Bool{});
  fill<InvertBool>(table, Operation::bitwise_invert, Bool{});
  fill_bits<And>(table, Operation::bitwise_and, Integers{});
  fill_bits<Or>(table, Operation::bitwise_or, Integers{});
  fill_bits<Xor>(table, Operation::bitwise_xor, Integers{});
  fill_bits<Invert>(table, Operation::bitwise_invert, Integers{});
  fill_bits<LeftShift>(table, Operation::bitwise_left_shift, Integers{});
  fill<RightShift>(table, Operation::bitwise_right_shift, Integers{});
}

}  // namespace suanzi::SUANZI_LEVEL
