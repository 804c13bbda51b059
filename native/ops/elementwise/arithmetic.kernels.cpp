// Arithmetic: add to clip in the order of the operation table, but for the divisions with an integral quotient
// (integer_division.kernels.cpp), and the powers that are arithmetic too: square, cube, sqrt and half_power. Integers
// wrap.
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/common.h"
#include "ops/elementwise/functors.h"
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
      return max(a, b);
    }
  }
};
struct Minimum {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return minimum(a, b);
    } else {
      return min(a, b);
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

// The bounds are parameters: numbers, of which the upper is not -0.
struct ClipByNumbers {
  double low, high, zero;
  int64_t integer_low, integer_high;

  explicit ClipByNumbers(const KernelParams& p)
      : low(p.real[0]),
        high(p.real[1]),
        zero(low == 0 && !__builtin_signbit(low) ? 0.0 : -0.0),
        integer_low(p.integer[0]),
        integer_high(p.integer[1]) {}

  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> x) const {
    if constexpr (std::is_floating_point_v<T>) {
      // Adding 0 makes -0 the greater zero that the lower bound is, adding -0 changes nothing.
      return math::clamp(x + Vec<T, N>(static_cast<T>(zero)), static_cast<T>(low), static_cast<T>(high));
    } else {
      return min(max(x, Vec<T, N>(static_cast<T>(integer_low))), Vec<T, N>(static_cast<T>(integer_high)));
    }
  }
};

struct Identity {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a;
  }
};
// Of 16-bit floating types, as the integers that they lie in.
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
      return max(a, bit_cast<T>(-bit_cast<UintFor<T>>(a)));
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
// As pow does it: rounded once in float64 for float32, and from a product of twice the digits for float64.
struct Cube {
  template <class T>
  static constexpr int lane_bytes = std::is_same_v<T, float> ? 8 : sizeof(T);
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    if constexpr (std::is_same_v<T, float>) {
      const Vec<double, N> x = convert<double>(a);
      return convert<T>(x * x * x);
    } else if constexpr (std::is_same_v<T, double>) {
      const math::DoubleDouble<N> square = math::two_prod(a, a);
      const Vec<T, N> cube = square.hi * a;
      const Vec<T, N> error = math::product_error(square.hi, a, cube) + square.lo * a;
      return select(math::is_finite(cube) & (cube != Vec<T, N>(T(0))), cube + error, cube);
    } else {
      return a * a * a;
    }
  }
};
// a^(1/2) as pow has it: no zero is negative, and minus infinity becomes infinity.
struct HalfPower {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    const Vec<T, N> infinity(std::numeric_limits<T>::infinity());
    return select(a == -infinity, infinity, sqrt(a + Vec<T, N>(T(0))));
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
  fill_ring<Cube>(table, Operation::cube);

  fill_ordered<Maximum>(table, Operation::maximum);
  fill_ordered<Minimum>(table, Operation::minimum);
  fill_ordered<Clip<Minimum, Maximum>>(table, Operation::clip);
  fill_ordered<ClipByNumbers>(table, Operation::clip_by_numbers);
  fill_ordered<Sign>(table, Operation::sign);
  fill<Abs>(table, Operation::abs, Signed{});
  fill<Abs>(table, Operation::abs, Floats{});
  fill<Identity>(table, Operation::abs, Unsigned{});

  fill<Divide>(table, Operation::true_divide, Floats{});
  fill<Reciprocal>(table, Operation::reciprocal, Floats{});
  fill<Sqrt>(table, Operation::sqrt, Floats{});
  fill<HalfPower>(table, Operation::half_power, Floats{});
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
