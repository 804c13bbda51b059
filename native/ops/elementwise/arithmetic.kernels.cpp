// The arithmetic operations from add to clip in the operation table, and the powers square and sqrt. The divisions with
// an integral quotient are in integer_division.kernels.cpp, copysign, nextafter and signbit are in
// floating.kernels.cpp, and `positive` is in select.kernels.cpp. Integers wrap.
#include "ops/elementwise/arithmetic.h"
#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/common.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

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
// Computes in[0] * in[1] + in[2]. If the second and the third operand are numbers, as in the scaling of a channel, the
// numbers stay in registers. The kernel then executes a third of the instructions.
template <class T>
void multiply_add(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  if (!brief && params.constants == 0b110)
    return apply<N>(MultiplyAdd{}, out, n, params.stream, Elements<T>(in[0]), Repeated<T, N>(in[1]),
                    Repeated<T, N>(in[2]));
  elementwise<MultiplyAdd, T>(out, in, n, params);
}

struct AndOr {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b, V c) const {
    return (a & b) | c;
  }
};

template <class Upper, class Lower>
struct Clip {
  template <class V>
  SUANZI_INLINE V operator()(V x, V low, V high) const {
    return Upper{}(Lower{}(x, low), high);
  }
};

// Clips between two numbers. The upper bound must not be -0.
template <class T>
class ClipBetween {
 public:
  ClipBetween(T low, T high)
      : low_(low), high_(high), zero_(low == 0 && !__builtin_signbit(double(low)) ? 0.0 : -0.0) {}

  template <int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> x) const {
    if constexpr (std::is_floating_point_v<T>) {
      // If the lower bound is 0, `zero_` is 0, and the sum turns -0 into 0, the greater of the two zeros. Otherwise,
      // `zero_` is -0, and the sum changes nothing.
      return math::clamp(x + Vec<T, N>(static_cast<T>(zero_)), low_, high_);
    } else {
      return min(max(x, Vec<T, N>(low_)), Vec<T, N>(high_));
    }
  }
  // Returns true if this functor has the same results as Clip. The results differ if a bound is NaN, because every
  // result is then NaN, or if the upper bound is -0, because -0 is the lesser of two zeros.
  static bool takes(T low, T high) {
    return low == low && high == high && (high != 0 || !__builtin_signbit(double(high)));
  }

 private:
  T low_, high_;
  double zero_;
};

template <class T>
void clip(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  if (params.constants == 0b110) {
    const T low = *static_cast<const T*>(in[1]), high = *static_cast<const T*>(in[2]);
    if (ClipBetween<T>::takes(low, high))
      return apply<N>(ClipBetween<T>(low, high), out, n, params.stream, Elements<T>(in[0]));
  }
  elementwise<Clip<Minimum, Maximum>, T>(out, in, n, params);
}

struct Identity {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a;
  }
};
// Negates 16-bit floating numbers. The functor reads the bits of a number as an unsigned integer.
struct NegativeHalf {
  template <int N>
  SUANZI_INLINE Vec<uint16_t, N> operator()(Vec<uint16_t, N> a) const {
    return a ^ Vec<uint16_t, N>(uint16_t{0x8000});
  }
};
struct AbsHalf {
  template <int N>
  SUANZI_INLINE Vec<uint16_t, N> operator()(Vec<uint16_t, N> a) const {
    return a & Vec<uint16_t, N>(uint16_t{0x7fff});
  }
};
// Returns the sign of a number. The sign of NaN is NaN, and the sign of a negative zero is 0.
struct Sign {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    const Vec<T, N> zero(T(0)), one(T(1));
    if constexpr (std::is_floating_point_v<T>) {
      return select((a < zero) | (a > zero), copysign(one, a), a + zero);
    } else if constexpr (std::is_signed_v<T>) {
      return select(a > zero, one, select(a < zero, Vec<T, N>(T(-1)), zero));
    } else {
      return select(a != zero, one, zero);
    }
  }
};

// Stores the kernels of an operation for integers, which wrap modulo 2^n, and for floating types, which are rounded.
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
template <class... T>
void fill_multiply_add(KernelTable& table, Types<T...>) {
  (set(table, Operation::multiply_add, dtype_of<T>, multiply_add<T>), ...);
}
template <class... T>
void fill_clip(KernelTable& table, Types<T...>) {
  (set(table, Operation::clip, dtype_of<T>, clip<T>), ...);
}

}  // namespace

void fill_arithmetic(KernelTable& table) {
  fill_ring<Add>(table, Operation::add);
  fill_ring<Subtract>(table, Operation::subtract);
  fill_ring<Multiply>(table, Operation::multiply);
  fill<MultiplyAdd>(table, Operation::multiply_add, Integers{});
  fill_multiply_add(table, Floats{});
  fill_ring<Negative>(table, Operation::negative);
  fill_ring<Square>(table, Operation::square);

  fill_ordered<Maximum>(table, Operation::maximum);
  fill_ordered<Minimum>(table, Operation::minimum);
  fill_clip(table, Integers{});
  fill_clip(table, Floats{});
  fill_ordered<Sign>(table, Operation::sign);
  fill<Abs>(table, Operation::abs, Signed{});
  fill<Abs>(table, Operation::abs, Floats{});
  fill<Identity>(table, Operation::abs, Unsigned{});

  fill<Divide>(table, Operation::true_divide, Floats{});
  fill<Reciprocal>(table, Operation::reciprocal, Floats{});
  fill<Sqrt>(table, Operation::sqrt, Floats{});
  for (const DType half : {DType::float16, DType::bfloat16}) {
    set(table, Operation::negative, half, elementwise<NegativeHalf, uint16_t>);
    set(table, Operation::abs, half, elementwise<AbsHalf, uint16_t>);
  }

  fill<Or>(table, Operation::add, Bool{});
  fill<And>(table, Operation::multiply, Bool{});
  fill<AndOr>(table, Operation::multiply_add, Bool{});
  fill<Or>(table, Operation::maximum, Bool{});
  fill<And>(table, Operation::minimum, Bool{});
  fill<Clip<And, Or>>(table, Operation::clip, Bool{});
  for (Operation op : {Operation::abs, Operation::sign, Operation::square}) fill<Identity>(table, op, Bool{});
}

}  // namespace suanzi::SUANZI_LEVEL
