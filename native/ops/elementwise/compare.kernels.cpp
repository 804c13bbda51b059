// All operations with boolean results: comparisons, checks for infinity and NaN, and logical operations. A number is
// true if the number is not zero. NaN is true.
#include <cstring>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/common.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct Equal {
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return a != b;
  }
};
struct Greater {
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return a > b;
  }
};
struct GreaterEqual {
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return a >= b;
  }
};
struct Less {
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return a <= b;
  }
};

template <class V>
SUANZI_INLINE typename V::mask is_true(V a) {
  return a != V(typename V::element(0));
}
struct LogicalAnd {
  static constexpr bool asks_for_truth = true;
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return is_true(a) & is_true(b);
  }
};
struct LogicalOr {
  static constexpr bool asks_for_truth = true;
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return is_true(a) | is_true(b);
  }
};
struct LogicalXor {
  static constexpr bool asks_for_truth = true;
  template <class V>
  SUANZI_INLINE auto operator()(V a, V b) const {
    return is_true(a) ^ is_true(b);
  }
};
struct LogicalNot {
  static constexpr bool asks_for_truth = true;
  template <class V>
  SUANZI_INLINE auto operator()(V a) const {
    return ~is_true(a);
  }
};

template <class V>
SUANZI_INLINE V infinity() {
  return V(static_cast<typename V::element>(__builtin_inf()));
}
struct IsFinite {
  template <class V>
  SUANZI_INLINE auto operator()(V a) const {
    return abs(a) < infinity<V>();
  }
};
struct IsInf {
  template <class V>
  SUANZI_INLINE auto operator()(V a) const {
    return abs(a) == infinity<V>();
  }
};
struct IsNan {
  template <class V>
  SUANZI_INLINE auto operator()(V a) const {
    return a != a;
  }
};
// Fills the result of a check whose answer is the same for all numbers of a type.
template <uint8_t Answer>
void answer(void* out, const void* const*, int64_t n, const KernelParams&) {
  std::memset(out, Answer, static_cast<size_t>(n));
}

template <class T, int N>
SUANZI_INLINE Vec<double, N> to_float64(Vec<T, N> x) {
  if constexpr (std::is_same_v<T, uint32_t>) {
    return to_double(convert<int64_t>(x));
  } else {
    return convert<double>(x);
  }
}

// Tests |a - b| <= absolute + relative * |b| in float64. The functor computes the distance of two integers exactly, and
// then converts the distance to float64.
struct IsClose {
  template <class>
  static constexpr int lane_bytes = 8;
  double absolute, relative;
  bool equal_nan;

  SUANZI_INLINE explicit IsClose(const KernelParams& params)
      : absolute(params.real[0]), relative(params.real[1]), equal_nan(params.integer[0] != 0) {}

  template <int N>
  SUANZI_INLINE Mask<8, N> within(Vec<double, N> distance, Vec<double, N> b) const {
    return distance <= Vec<double, N>(absolute) + Vec<double, N>(relative) * abs(b);
  }

  template <class T, int N>
  SUANZI_INLINE Mask<8, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const Vec<double, N> x = convert<double>(a), y = convert<double>(b);
      const Mask<8, N> close = (x == y) | ((abs(y) < infinity<Vec<double, N>>()) & within(abs(x - y), y));
      return equal_nan ? close | ((x != x) & (y != y)) : close;
    } else {
      const Vec<UintFor<T>, N> upward = bit_cast<UintFor<T>>(b) - bit_cast<UintFor<T>>(a);
      const Vec<UintFor<T>, N> distance =
          bit_cast<UintFor<T>>(select(a > b, bit_cast<T>(-upward), bit_cast<T>(upward)));
      return within(to_float64(distance), to_float64(b));
    }
  }
};

template <class F>
void fill_all(KernelTable& table, Operation op) {
  fill<F>(table, op, Bool{});
  fill<F>(table, op, Integers{});
  fill<F>(table, op, Floats{});
}
// Stores the kernels of an operation whose result does not depend on the signedness of integers.
template <class F>
void fill_signless(KernelTable& table, Operation op) {
  fill<F>(table, op, Bool{});
  fill_bits<F>(table, op, Integers{});
  fill<F>(table, op, Floats{});
}
template <class... T>
void fill_answer(KernelTable& table, Operation op, Kernel kernel, Types<T...>) {
  (set(table, op, dtype_of<T>, kernel), ...);
}
template <class F, uint8_t OfIntegers>
void fill_check(KernelTable& table, Operation op) {
  fill_answer(table, op, answer<OfIntegers>, Bool{});
  fill_answer(table, op, answer<OfIntegers>, Integers{});
  fill<F>(table, op, Floats{});
}

}  // namespace

void fill_compare(KernelTable& table) {
  fill_signless<Equal>(table, Operation::equal);
  fill_signless<NotEqual>(table, Operation::not_equal);
  fill_all<Greater>(table, Operation::greater);
  fill_all<GreaterEqual>(table, Operation::greater_equal);
  fill_all<Less>(table, Operation::less);
  fill_all<LessEqual>(table, Operation::less_equal);
  fill_all<IsClose>(table, Operation::isclose);
  fill_check<IsFinite, 1>(table, Operation::isfinite);
  fill_check<IsInf, 0>(table, Operation::isinf);
  fill_check<IsNan, 0>(table, Operation::isnan);
  fill_signless<LogicalAnd>(table, Operation::logical_and);
  fill_signless<LogicalOr>(table, Operation::logical_or);
  fill_signless<LogicalXor>(table, Operation::logical_xor);
  fill_signless<LogicalNot>(table, Operation::logical_not);
}

}  // namespace suanzi::SUANZI_LEVEL
