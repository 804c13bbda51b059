// The mathematical functions of real numbers. Most of these functions call vector functions in math/. This file
// contains only short functions: powers of integers, and powers with the exponents 3 and 1/2.
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/error_function.h"
#include "math/exp.h"
#include "math/hyperbolic.h"
#include "math/inverse_hyperbolic.h"
#include "math/inverse_trig.h"
#include "math/log.h"
#include "math/pow.h"
#include "math/rsqrt.h"
#include "math/trig.h"

namespace suanzi::SUANZI_LEVEL {

namespace {

// Computes a power by squaring, modulo 2^n. For a negative exponent, the result is the exact power, truncated. For
// bases other than 1 and -1, the truncated power is 0. For base 0, whose power does not exist, the result is also 0.
// The powers of 1 and -1 depend only on the exponent's last bit.
struct IntegerPower {
  static constexpr bool heavy = true;
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> base, Vec<T, N> exponent) const {
    using U = Vec<UintFor<T>, N>;
    const Vec<T, N> zero(T(0)), one(T(1));
    const auto negative = exponent < zero;
    U square = bit_cast<UintFor<T>>(base), power(UintFor<T>(1));
    U left = bit_cast<UintFor<T>>(select(negative, exponent & one, exponent));
    for (; any(left != U(UintFor<T>(0))); left = left >> 1) {
      power = select((left & U(UintFor<T>(1))) != U(UintFor<T>(0)), power * square, power);
      square = square * square;
    }
    const auto vanishes = negative & (base != one) & (base != ~zero);
    return select(vanishes, zero, bit_cast<T>(power));
  }
};

// Returns x^3 with the same bits as pow. For float32, the square is exact in float64. The cube is rounded to float64
// first. A check of all cubes shows that no cube is so close to the middle of two float32 numbers that this rounding
// changes the result. For float64, the code computes the product with twice the digits of float64.
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
// Returns a^(1/2) with pow's special values. The result is never a negative zero, and the result for minus infinity is
// infinity.
struct HalfPower {
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const {
    const Vec<T, N> infinity(std::numeric_limits<T>::infinity());
    return select(a == -infinity, infinity, sqrt(a + Vec<T, N>(T(0))));
  }
};
// A call of a mathematical function takes so long that one copy of the loop is enough.
#define SUANZI_FUNCTION(_, name)                                               \
  struct name##_function {                                                     \
    static constexpr bool heavy = true;                                        \
    template <class T>                                                         \
    static constexpr int lane_bytes = vector_bytes / math::lanes_of_##name<T>; \
    template <class... V>                                                      \
    SUANZI_INLINE auto operator()(V... x) const                                \
      requires requires { math::name(x...); }                                  \
    {                                                                          \
      return math::name(x...);                                                 \
    }                                                                          \
  };
SUANZI_FUNCTIONS(SUANZI_FUNCTION, )
SUANZI_FUNCTION(, erf)
SUANZI_FUNCTION(, erfc)
SUANZI_FUNCTION(, gelu)
SUANZI_FUNCTION(, atan2)
SUANZI_FUNCTION(, pow)
#undef SUANZI_FUNCTION

// Computes powers. If the call passes the exponent 3 or 1/2 as a number, a special functor is faster and as accurate.
template <class General, class T>
void power(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const double exponent = params.real[0];
  if (exponent == 3)
    return elementwise<Cube, std::conditional_t<std::is_integral_v<T>, UintFor<T>, T>>(out, in, n, params);
  if constexpr (std::is_floating_point_v<T>)
    if (exponent == 0.5) return elementwise<HalfPower, T>(out, in, n, params);
  elementwise<General, T>(out, in, n, params);
}

template <class General, class... T>
void fill_power(KernelTable& table, Types<T...>) {
  (set(table, Operation::pow, dtype_of<T>, power<General, T>), ...);
}

}  // namespace

void fill_math(KernelTable& table) {
#define SUANZI_FILL(_, name) fill<name##_function>(table, Operation::name, Floats{});
  SUANZI_FUNCTIONS(SUANZI_FILL, )
#undef SUANZI_FILL
  fill<erf_function>(table, Operation::erf, Floats{});
  fill<erfc_function>(table, Operation::erfc, Floats{});
  fill<gelu_function>(table, Operation::gelu, Floats{});
  fill<atan2_function>(table, Operation::atan2, Floats{});
  fill_power<pow_function>(table, Floats{});
  fill_power<IntegerPower>(table, Integers{});
}

}  // namespace suanzi::SUANZI_LEVEL
