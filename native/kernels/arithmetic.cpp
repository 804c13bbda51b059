// Arithmetic: add to clip in the order of the operation table, but for the divisions with an integral quotient
// (integer_division.cpp), and the powers that are arithmetic too, square and sqrt. Integers wrap.
#include "kernels/families.h"
#include "kernels/functors.h"
#include "kernels/loops.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct Divide {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a / b;
  }
};
struct Or {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a | b;
  }
};
struct And {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return a & b;
  }
};

struct MultiplyAdd {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) const {
    if constexpr (std::is_floating_point_v<T>) {
      return mul_add(a, b, c);
    } else {
      return a * b + c;
    }
  }
};
struct AndOr {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b, V c) const {
    return (a & b) | c;
  }
};

struct Maximum {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return maximum(a, b);
    } else {
      return select(a > b, a, b);
    }
  }
};
struct Minimum {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return minimum(a, b);
    } else {
      return select(a < b, a, b);
    }
  }
};
template <class Upper, class Lower>
struct Clip {
  template <class V>
  SUANZI_INLINE V operator()(V x, V low, V high) const {
    return Upper{}(Lower{}(x, low), high);
  }
};

struct Identity {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a;
  }
};
struct Negative {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return -a;
  }
};
struct Abs {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return abs(a);
    } else {
      return select(a < Vec<T, N>(T(0)), bit_cast<T>(-bit_cast<UintFor<T>>(a)), a);
    }
  }
};
struct Reciprocal {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return V(typename V::element(1)) / a;
  }
};
// A floating zero or NaN is its own sign.
struct Sign {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    const Vec<T, N> zero(T(0)), one(T(1));
    if constexpr (std::is_floating_point_v<T>) {
      return select((a < zero) | (a > zero), copysign(one, a), a);
    } else if constexpr (std::is_signed_v<T>) {
      return select(a > zero, one, select(a < zero, Vec<T, N>(T(-1)), zero));
    } else {
      return select(a != zero, one, zero);
    }
  }
};
struct Square {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a * a;
  }
};
struct Sqrt {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return sqrt(a);
  }
};

// Operations that integers and floating types share: modulo 2^n and rounded.
template <class F>
void fill_ring(KernelTable& table, Operation op) {
  fill_bits<F>(table, op, Integers{});
  fill<F>(table, op, Floats{});
}
template <class F>
void fill_ordered(KernelTable& table, Operation op) {
  fill<F>(table, op, Integers{});
  fill<F>(table, op, Floats{});
}

}  // namespace

void fill_arithmetic(KernelTable& table) {
  fill_ring<Add>(table, Operation::add);
  fill_ring<Subtract>(table, Operation::subtract);
  fill_ring<Multiply>(table, Operation::multiply);
  fill_ring<MultiplyAdd>(table, Operation::multiply_add);
  fill_ring<Negative>(table, Operation::negative);
  fill_ring<Square>(table, Operation::square);

  fill_ordered<Maximum>(table, Operation::maximum);
  fill_ordered<Minimum>(table, Operation::minimum);
  fill_ordered<Clip<Minimum, Maximum>>(table, Operation::clip);
  fill_ordered<Sign>(table, Operation::sign);
  fill<Abs>(table, Operation::abs, Signed{});
  fill<Abs>(table, Operation::abs, Floats{});
  fill<Identity>(table, Operation::abs, Unsigned{});

  fill<Divide>(table, Operation::true_divide, Floats{});
  fill<Reciprocal>(table, Operation::reciprocal, Floats{});
  fill<Sqrt>(table, Operation::sqrt, Floats{});

  fill<Or>(table, Operation::add, Bool{});
  fill<And>(table, Operation::multiply, Bool{});
  fill<AndOr>(table, Operation::multiply_add, Bool{});
  fill<Or>(table, Operation::maximum, Bool{});
  fill<And>(table, Operation::minimum, Bool{});
  fill<Clip<And, Or>>(table, Operation::clip, Bool{});
  for (Operation op : {Operation::abs, Operation::sign, Operation::square}) fill<Identity>(table, op, Bool{});
}

}  // namespace suanzi::SUANZI_LEVEL
