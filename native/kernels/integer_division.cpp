// Division with an integral quotient: trunc_divide and fmod, floor_divide and remainder, of integers and floating
// types.
//
// The first pair truncates, so that fmod has the sign of the dividend; the second rounds down, so that remainder has
// the sign of the divisor. All are exact but for the last rounding to the type, and quotient and rest agree with each
// other. Integers: dividing by zero gives 0, and the lowest integer divided by -1 wraps.
#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/common.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The width at which integers are divided. Without AVX2, 32-bit ones as they are.
template <class T>
inline constexpr int divided_bytes = sizeof(T) == 8 || (sizeof(T) == 4 && has_avx2) ? 8 : 4;

// a / b toward zero for b != 0. A quotient of integers of 16 (32) bits, rounded to float32 (float64), lies on the same
// side of every integer as the exact one, for it is at least 1 / b away from those that it is not.
template <class T, int N>
SUANZI_INLINE Vec<T, N> quotient(Vec<T, N> a, Vec<T, N> b) {
  if constexpr (sizeof(T) < 4) {
    const Vec<float, N> q = convert<float>(resize<int32_t>(a)) / convert<float>(resize<int32_t>(b));
    return resize<T>(convert<int32_t>(q));
  } else if constexpr (divided_bytes<T> > sizeof(T)) {
    const Vec<double, N> q = math::to_double(convert<int64_t>(a)) / math::to_double(convert<int64_t>(b));
    return convert<T>(math::round_to_integer(trunc(q)).integer);
  } else {
    // The lowest integer overflows, and on most machines traps, when it is divided by -1.
    const Vec<T, N> minus_one = ~Vec<T, N>(T(0));
    const typename Vec<T, N>::mask negates = std::is_signed_v<T> ? b == minus_one : b != b;
    const Vec<T, N> divisor = select(negates, Vec<T, N>(T(1)), b);
    Vec<T, N> q;
    for (int i = 0; i < N; ++i) q.v[i] = a.v[i] / divisor.v[i];
    return select(negates, bit_cast<T>(-bit_cast<UintFor<T>>(q)), q);
  }
}

template <class V>
struct Division {
  V quotient, rest;
};

// Toward zero, quotient and rest 0 where b = 0.
template <class T, int N>
SUANZI_INLINE Division<Vec<T, N>> divide_truncated(Vec<T, N> a, Vec<T, N> b) {
  const Vec<T, N> zero(T(0));
  const auto by_zero = b == zero;
  const Vec<T, N> q = select(by_zero, zero, quotient(a, select(by_zero, Vec<T, N>(T(1)), b)));
  using U = UintFor<T>;
  const Vec<T, N> product = bit_cast<T>(bit_cast<U>(q) * bit_cast<U>(b));
  return {q, select(by_zero, zero, bit_cast<T>(bit_cast<U>(a) - bit_cast<U>(product)))};
}

// Downward.
template <class T, int N>
SUANZI_INLINE Division<Vec<T, N>> divide_floored(Vec<T, N> a, Vec<T, N> b) {
  const Division<Vec<T, N>> d = divide_truncated(a, b);
  if constexpr (std::is_unsigned_v<T>) {
    return d;
  } else {
    const Vec<T, N> zero(T(0));
    const auto adjusts = (d.rest != zero) & ((d.rest ^ b) < zero);
    using U = UintFor<T>;
    const Vec<T, N> quotient = bit_cast<T>(bit_cast<U>(d.quotient) - Vec<U, N>(U(1)));
    const Vec<T, N> rest = bit_cast<T>(bit_cast<U>(d.rest) + bit_cast<U>(b));  // may wrap where it is not taken
    return {select(adjusts, quotient, d.quotient), select(adjusts, rest, d.rest)};
  }
}

// |a| = quotient * |b| + rest for floating numbers: both exact where `small`, that is where |a / b| < 2^53.
template <int N>
struct Magnitudes {
  Vec<double, N> quotient, rest;
  Mask<8, N> small;
};

template <int N>
SUANZI_INLINE Magnitudes<N> divide_magnitudes(Vec<double, N> a, Vec<double, N> b) {
  using V = Vec<double, N>;
  a = abs(a);
  b = abs(b);
  const V ratio = a / b;
  // Keeps the error-free product away from overflow; exact where the quotient is small.
  const Mask<8, N> large = a > V(0x1p990);
  const V scale = select(large, V(0x1p-100), 1.0);
  const V dividend = a * scale, divisor = b * scale;
  // The rounded ratio can have reached the integer above, and then the rest is negative. Each difference is exact: by
  // Sterbenz's lemma, and because the rest is a multiple of the divisor's last place.
  const V q = trunc(ratio);
  const V product = q * divisor;
  const V rest = (dividend - product) - math::product_error(q, divisor, product);
  const Mask<8, N> over = rest < V(0.0);
  const V exact = select(over, rest + divisor, rest);
  // Separately where b may be infinite.
  const Mask<8, N> below = a < b;
  return {select(over, q - V(1.0), q), select(below, a, select(large, exact * V(0x1p100), exact)), ratio < V(0x1p53)};
}

// |a| modulo |b|, exact; NaN where there is none.
template <int N>
SUANZI_INLINE Vec<double, N> modulo_magnitudes(Vec<double, N> a, Vec<double, N> b) {
  const Magnitudes<N> m = divide_magnitudes(a, b);
  const Mask<8, N> defined = math::is_finite(a) & (b == b) & (b != Vec<double, N>(0.0));
  Vec<double, N> rest = select(defined, m.rest, __builtin_nan(""));
  const Mask<8, N> slow = defined & ~m.small;
  if (__builtin_expect(any(slow), 0)) {
    for (int i = 0; i < N; ++i)
      if (slow.v[i]) rest.v[i] = __builtin_fmod(__builtin_fabs(a.v[i]), __builtin_fabs(b.v[i]));
  }
  return rest;
}

template <int N>
SUANZI_INLINE Mask<8, N> signs_differ(Vec<double, N> a, Vec<double, N> b) {
  return {bit_cast<int64_t>(xor_bits(a, b)).v < 0};
}

template <int N>
SUANZI_INLINE Vec<double, N> trunc_divide(Vec<double, N> a, Vec<double, N> b) {
  const Magnitudes<N> m = divide_magnitudes(a, b);
  const Vec<double, N> ratio = a / b;
  return copysign(select(m.small, m.quotient, ratio), ratio);
}

template <int N>
SUANZI_INLINE Vec<double, N> floor_divide(Vec<double, N> a, Vec<double, N> b) {
  using V = Vec<double, N>;
  const Magnitudes<N> m = divide_magnitudes(a, b);
  const V ratio = a / b;
  const V away = select(signs_differ(a, b) & (m.rest != V(0.0)), m.quotient + V(1.0), m.quotient);
  const V q = copysign(select(m.small, away, ratio), ratio);
  // Python has no quotient for an infinite dividend, unless the divisor is zero.
  return select(math::is_finite(a) | (b == V(0.0)), q, __builtin_nan(""));
}

template <int N>
SUANZI_INLINE Vec<double, N> fmod(Vec<double, N> a, Vec<double, N> b) {
  return copysign(modulo_magnitudes(a, b), a);
}

template <int N>
SUANZI_INLINE Vec<double, N> remainder(Vec<double, N> a, Vec<double, N> b) {
  const Vec<double, N> rest = fmod(a, b);
  const Vec<double, N> moved = select(signs_differ(a, b), rest + b, rest);
  return select(rest == Vec<double, N>(0.0), copysign(rest, b), moved);
}

struct TruncDivide {
  template <class T>
  static constexpr int lane_bytes = divided_bytes<T>;
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return divide_truncated(a, b).quotient;
  }
};
struct Fmod {
  template <class T>
  static constexpr int lane_bytes = divided_bytes<T>;
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return divide_truncated(a, b).rest;
  }
};
struct FloorDivide {
  template <class T>
  static constexpr int lane_bytes = divided_bytes<T>;
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return divide_floored(a, b).quotient;
  }
};
struct Remainder {
  template <class T>
  static constexpr int lane_bytes = divided_bytes<T>;
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return divide_floored(a, b).rest;
  }
};

// One of the four functions above on floating lanes, of which float32 ones are computed in float64.
#define SUANZI_FLOATING_DIVISION(Name, function)                           \
  struct Name {                                                            \
    template <class>                                                       \
    static constexpr int lane_bytes = 8;                                   \
    static constexpr bool heavy = true;                                    \
    template <class T, int N>                                              \
    SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {   \
      return convert<T>(function(convert<double>(a), convert<double>(b))); \
    }                                                                      \
  };
SUANZI_FLOATING_DIVISION(TruncDivideFloating, trunc_divide)
SUANZI_FLOATING_DIVISION(FloorDivideFloating, floor_divide)
SUANZI_FLOATING_DIVISION(FmodFloating, fmod)
SUANZI_FLOATING_DIVISION(RemainderFloating, remainder)
#undef SUANZI_FLOATING_DIVISION

}  // namespace

void fill_integer_division(KernelTable& table) {
  fill<TruncDivide>(table, Operation::trunc_divide, Integers{});
  fill<FloorDivide>(table, Operation::floor_divide, Integers{});
  fill<Fmod>(table, Operation::fmod, Integers{});
  fill<Remainder>(table, Operation::remainder, Integers{});
  fill<TruncDivideFloating>(table, Operation::trunc_divide, Floats{});
  fill<FloorDivideFloating>(table, Operation::floor_divide, Floats{});
  fill<FmodFloating>(table, Operation::fmod, Floats{});
  fill<RemainderFloating>(table, Operation::remainder, Floats{});
}

}  // namespace suanzi::SUANZI_LEVEL
