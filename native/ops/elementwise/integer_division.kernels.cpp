// Division with an integral quotient, of integers and floating types: trunc_divide and fmod, floor_divide and
// remainder.
//
// trunc_divide and fmod truncate, so fmod has the sign of the dividend. floor_divide and remainder round down, so
// remainder has the sign of the divisor. All four functions are exact except for the last rounding to the type. The
// quotient and the remainder of the same operands agree with each other. For integers, division by zero returns 0, and
// the lowest integer divided by -1 wraps. If all elements have the same integer divisor, the code multiplies instead of
// dividing (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994).
#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/common.h"
#include "simd/integer.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The number of bytes of the lanes in which integers are divided. 32-bit integers keep their width, unless an
// instruction truncates float64 quotients.
template <class T>
inline constexpr int divided_bytes = sizeof(T) == 8 || (sizeof(T) == 4 && Arch::rounds_to_integral) ? 8 : 4;

// The constant is true if the machine's division instruction divides the lanes. That instruction traps for some
// operands.
template <class T>
inline constexpr bool may_trap = sizeof(T) >= 4 && divided_bytes<T> == sizeof(T);

// Returns a / b rounded toward zero for b != 0. A quotient of integers of 16 (32) bits, rounded to float32 (float64),
// is on the same side of every integer as the exact quotient. The reason is that the exact quotient is either an
// integer or at least 1 / b away from every integer.
template <class T, int N>
SUANZI_INLINE Vec<T, N> quotient(Vec<T, N> a, Vec<T, N> b) {
  if constexpr (sizeof(T) < 4) {
    return convert<T>(convert<float>(a) / convert<float>(b));
  } else if constexpr (!may_trap<T>) {
    const Vec<double, N> q = to_double(convert<int64_t>(a)) / to_double(convert<int64_t>(b));
    return convert<T>(math::round_to_integer(trunc(q)).integer);
  } else {
    // The lowest integer divided by -1 overflows, and traps on most machines.
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

// Returns a - quotient * b, which is the remainder of the division of a by b.
template <class T, int N>
SUANZI_INLINE Vec<T, N> rest_of(Vec<T, N> a, Vec<T, N> b, Vec<T, N> quotient) {
  using U = UintFor<T>;
  return bit_cast<T>(bit_cast<U>(a) - bit_cast<U>(quotient) * bit_cast<U>(b));
}

// Returns the quotient of a and b, rounded toward zero, and the remainder. Quotient and remainder are 0 if b = 0.
template <class T, int N>
SUANZI_INLINE Division<Vec<T, N>> divide_truncated(Vec<T, N> a, Vec<T, N> b) {
  const Vec<T, N> zero(T(0));
  if constexpr (may_trap<T>) b = read_once(b);
  const auto by_zero = b == zero;
  const Vec<T, N> q = select(by_zero, zero, quotient(a, select(by_zero, Vec<T, N>(T(1)), b)));
  return {q, select(by_zero, zero, rest_of(a, b, q))};
}

// Returns the division that rounds down, for a division d by b that rounds toward zero.
template <class T, int N>
SUANZI_INLINE Division<Vec<T, N>> floored(Division<Vec<T, N>> d, Vec<T, N> b) {
  if constexpr (std::is_unsigned_v<T>) {
    return d;
  } else {
    const Vec<T, N> zero(T(0));
    const auto adjusts = (d.rest != zero) & ((d.rest ^ b) < zero);
    using U = UintFor<T>;
    const Vec<T, N> quotient = bit_cast<T>(bit_cast<U>(d.quotient) - Vec<U, N>(U(1)));
    const Vec<T, N> rest = bit_cast<T>(bit_cast<U>(d.rest) + bit_cast<U>(b));  // may wrap in unused lanes
    return {select(adjusts, quotient, d.quotient), select(adjusts, rest, d.rest)};
  }
}

// --- division by the same integer ---

template <class T>
UintFor<T> magnitude(T d) {
  using U = UintFor<T>;
  return d < 0 ? static_cast<U>(U{0} - static_cast<U>(d)) : static_cast<U>(d);
}

// Divides by d, whose magnitude must be greater than 1.
template <class T>
class Divisor {
 public:
  explicit Divisor(T d) : divisor_(d) {
    // The multiplier for 2^(l - 1) < |d| <= 2^l is floor(2^bits (2^l - |d|) / |d|) + 1. This number is 2^(bits + l) /
    // |d| rounded up, without the highest bit.
    const uint64_t size = magnitude(d);
    shift_ = 63 - __builtin_clzll(size - 1);
    const auto beyond = static_cast<uint64_t>((static_cast<unsigned __int128>(2) << shift_) - size);
    inverse_ = static_cast<U>((static_cast<unsigned __int128>(beyond) << bits) / size + 1);
  }

  template <bool floors, int N>
  SUANZI_INLINE Vec<T, N> quotient(Vec<T, N> a) const {
    const Vec<U, N> x = bit_cast<U>(a);
    if constexpr (std::is_unsigned_v<T>) {
      return divide(x);
    } else {
      // The code negates a if the divisor is negative. The lowest integer then stays unchanged, and is a positive
      // number if read as unsigned.
      const Vec<U, N> turn(static_cast<U>(divisor_ < 0 ? -1 : 0)), turned = (x ^ turn) - turn;
      const Vec<T, N> sign = bit_cast<T>(turned & ~(x & turn)), zero(T(0));
      const Vec<U, N> negative = select(bit_cast<IntFor<T>>(sign) < zero, ~Vec<U, N>(U(0)), U(0));
      // Rounded down, -n / d is -1 - (n - 1) / d.
      if constexpr (floors) return bit_cast<T>(divide(turned ^ negative) ^ negative);
      return bit_cast<T>((divide((turned ^ negative) - negative) ^ negative) - negative);
    }
  }
  template <bool floors, int N>
  SUANZI_INLINE Vec<T, N> rest(Vec<T, N> a) const {
    return rest_of(a, Vec<T, N>(divisor_), quotient<floors>(a));
  }

 private:
  using U = UintFor<T>;
  static constexpr int bits = 8 * sizeof(T);

  template <int N>
  SUANZI_INLINE Vec<U, N> divide(Vec<U, N> a) const {
    const Vec<U, N> t = multiply_high(a, Vec<U, N>(inverse_));
    return shift_right(t + shift_right(a - t, 1), shift_);
  }

  T divisor_;
  U inverse_;
  int shift_;
};

// --- floating types ---

// The exact remainder of the division of a by b for positive numbers, computed from the quotient q = trunc(a / b) <
// 2^53. If the ratio a / b was rounded up to an integer, q is one too great, and `over` is set. Both subtractions in
// exact_rest are exact. The reasons are Sterbenz's lemma, and the fact that the remainder is a multiple of the
// divisor's last place.
template <int N>
struct ExactRest {
  Vec<double, N> rest;
  Mask<8, N> over;
};

template <int N>
SUANZI_INLINE ExactRest<N> exact_rest(Vec<double, N> a, Vec<double, N> b, Vec<double, N> q) {
  const Vec<double, N> product = q * b, rest = (a - product) - math::product_error(q, b, product);
  const Mask<8, N> over = rest < Vec<double, N>(0.0);
  return {select(over, rest + b, rest), over};
}

// The division |a| = quotient * |b| + rest of floating numbers. Quotient and rest are exact in lanes in which `small`
// is set, which means |a / b| < 2^53.
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
  // The scale keeps the error-free product from overflowing. Scaling is exact if the quotient is small.
  const Mask<8, N> large = a > V(0x1p990);
  const V scale = select(large, V(0x1p-100), 1.0);
  const V q = trunc(ratio);
  const ExactRest<N> exact = exact_rest(a * scale, b * scale, q);
  // In lanes with a < b, the remainder is a, which exact_rest does not compute if b is infinite.
  const Mask<8, N> below = a < b;
  return {select(exact.over, q - V(1.0), q), select(below, a, select(large, exact.rest * V(0x1p100), exact.rest)),
          ratio < V(0x1p53)};
}

// Returns a modulo b for positive finite numbers, by long division. Each step doubles the remainder as often as an
// exact quotient allows. The function is out of line, because quotients of at least 2^53 are rare.
template <int N>
__attribute__((noinline)) Vec<double, N> modulo_by_steps(Vec<double, N> a, Vec<double, N> b) {
  using V = Vec<double, N>;
  constexpr double bits = 52;
  const V divisor = mantissa(b);
  V rest = mantissa(a), left = exponent(a) - exponent(b);
  rest = select(rest < divisor, rest, rest - divisor);
  while (any(left > V(0.0))) {
    const V some = max(V(0.0), min(V(bits), left));
    const V dividend = rest * power_of_two(math::round_to_integer(some).integer);
    rest = exact_rest(dividend, divisor, trunc(dividend / divisor)).rest;
    left = left - some;
  }
  return scale_by_power_of_two(rest, exponent(b));
}

// Returns |a| modulo |b|, which is exact, or NaN if the remainder does not exist.
template <int N>
SUANZI_INLINE Vec<double, N> modulo_magnitudes(Vec<double, N> a, Vec<double, N> b) {
  const Magnitudes<N> m = divide_magnitudes(a, b);
  const Mask<8, N> defined = math::is_finite(a) & (b == b) & (b != Vec<double, N>(0.0));
  const Vec<double, N> rest = select(defined, m.rest, __builtin_nan(""));
  const Mask<8, N> slow = defined & ~m.small;
  if (__builtin_expect(any(slow), 0))
    return select(slow, modulo_by_steps(select(slow, abs(a), 1.0), select(slow, abs(b), 1.0)), rest);
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
  // For infinities, the result is floor(a / b), and not Python's NaN and -1, because a finite number divided by
  // infinity is a zero.
  const auto below = signs_differ(a, b) & (m.rest != V(0.0)) & math::is_finite(b);
  return copysign(select(m.small, select(below, m.quotient + V(1.0), m.quotient), ratio), ratio);
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

// Defines one of the four functions on integers, for a divisor for each element and for one divisor for all elements.
#define SUANZI_INTEGER_DIVISION(Name, division, single)       \
  struct Name {                                               \
    template <class T>                                        \
    static constexpr int lane_bytes = divided_bytes<T>;       \
    template <class V>                                        \
    SUANZI_INLINE V operator()(V a, V b) const {              \
      return division;                                        \
    }                                                         \
    template <class T>                                        \
    struct By : Divisor<T> {                                  \
      using Divisor<T>::Divisor;                              \
      template <int N>                                        \
      SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a) const { \
        return this->template single(a);                      \
      }                                                       \
    };                                                        \
  };
SUANZI_INTEGER_DIVISION(TruncDivide, divide_truncated(a, b).quotient, quotient<false>)
SUANZI_INTEGER_DIVISION(Fmod, divide_truncated(a, b).rest, rest<false>)
SUANZI_INTEGER_DIVISION(FloorDivide, floored(divide_truncated(a, b), b).quotient, quotient<true>)
SUANZI_INTEGER_DIVISION(Remainder, floored(divide_truncated(a, b), b).rest, rest<true>)
#undef SUANZI_INTEGER_DIVISION

template <class F, class T>
void divide(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr int64_t worth_inverting = 32;
  if (params.constants != 0b10 || n < worth_inverting) return elementwise<F, T>(out, in, n, params);
  // The code reads the divisor only once, because another thread could write a 0 to the divisor's memory after the
  // check.
  const T divisor = *static_cast<const volatile T*>(in[1]);
  const void* const both[] = {in[0], &divisor};
  if (magnitude(divisor) <= 1) return elementwise<F, T>(out, both, n, params);
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  apply<N>(typename F::template By<T>(divisor), out, n, params.stream, Elements<T>(in[0]));
}

template <class F, class... T>
void fill_division(KernelTable& table, Operation op, Types<T...>) {
  (set(table, op, dtype_of<T>, divide<F, T>), ...);
}

// Defines one of the four functions on floating lanes. float32 is computed in float64.
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
  fill_division<TruncDivide>(table, Operation::trunc_divide, Integers{});
  fill_division<FloorDivide>(table, Operation::floor_divide, Integers{});
  fill_division<Fmod>(table, Operation::fmod, Integers{});
  fill_division<Remainder>(table, Operation::remainder, Integers{});
  fill<TruncDivideFloating>(table, Operation::trunc_divide, Floats{});
  fill<FloorDivideFloating>(table, Operation::floor_divide, Floats{});
  fill<FmodFloating>(table, Operation::fmod, Floats{});
  fill<RemainderFloating>(table, Operation::remainder, Floats{});
}

}  // namespace suanzi::SUANZI_LEVEL
