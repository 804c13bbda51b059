// The kernels of rounding, which are floor, ceil, trunc, rint, and round to a number of decimals in seven modes.
// Integers stay unchanged, except in rounding to a negative number of decimals.
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/elementwise/decimal_digits.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct Identity {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return a;
  }
};
struct Floor {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return floor(a);
  }
};
struct Ceil {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return ceil(a);
  }
};
struct Trunc {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return trunc(a);
  }
};
struct Rint {
  template <class V>
  SUANZI_INLINE V operator()(V a) const {
    return rint(a);
  }
};

// The rounding of a number between two candidates. In a tie, half_up chooses the candidate toward plus infinity,
// half_down chooses the candidate toward minus infinity, and half_away chooses the candidate away from zero.
enum class Mode : int64_t { half_even, half_up, half_away, half_down, floor, ceil, trunc };

template <int N, class T>
SUANZI_INLINE Vec<T, N> round_to_integer(Vec<T, N> x, Mode mode) {
  if (mode == Mode::half_even) return rint(x);
  if (mode == Mode::floor) return floor(x);
  if (mode == Mode::ceil) return ceil(x);
  const Vec<T, N> toward_zero = trunc(x);
  if (mode == Mode::trunc) return toward_zero;
  // The difference from the integer toward zero is exact. The difference from the integer above or below might not be
  // exact.
  const Vec<T, N> fraction = abs(x - toward_zero), half(T(0.5)), zero(T(0));
  auto outward = fraction > half;
  if (mode == Mode::half_away) outward = fraction >= half;
  if (mode == Mode::half_up) outward = outward | ((fraction == half) & (x > zero));
  if (mode == Mode::half_down) outward = outward | ((fraction == half) & (x < zero));
  return copysign(select(outward, abs(toward_zero) + Vec<T, N>(T(1)), abs(toward_zero)), x);
}

// Rounds to decimals. The mode chooses a decimal for the exact value of a number. For a whole n, the decimal is n /
// 10^decimals or n * 10^-decimals. The result is the floating number nearest to that decimal.
//
// The scaled number p is a rounded product, and e is the rounding error of p. Rounding keeps the order of numbers, so p
// shows on which side of an integer, or of the middle of two integers, the exact product is. If p equals the integer or
// the middle, the sign of e shows the side. A number whose p is 2^bits or more does not change, because decimals of
// this size are closer together than floating numbers. In directed modes, this bound is 2^bits * 2. Numbers whose p is
// between the two bounds, and all numbers if 10^|decimals| is not exact, are rounded digit by digit. No finite number
// becomes infinite.
template <class T>
struct RoundFloating {
  Mode mode;
  int64_t decimals;
  T scale;     // the power 10^|decimals|
  T greatest;  // elements below this bound may change, if the scale is not exact

  SUANZI_INLINE explicit RoundFloating(const KernelParams& params)
      : mode(static_cast<Mode>(params.integer[1])), decimals(params.integer[0]), scale(1), greatest(0) {
    const auto places = static_cast<double>(decimals);
    scale = static_cast<T>(__builtin_pow(10.0, places < 0 ? -places : places));
    greatest = static_cast<T>(__builtin_pow(10.0, (sizeof(T) == 4 ? 8 : 17) - places));
  }

  template <int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> x) const {
    using V = Vec<T, N>;
    if (decimals == 0) return round_to_integer<N>(x, mode);
    const V infinity(static_cast<T>(__builtin_inf()));
    if (decimals > exact_decimals || decimals < -exact_decimals) [[unlikely]] {
      const auto changes = (abs(x) < V(greatest)) & (abs(x) < infinity);
      return digit_by_digit(x, x, changes);
    }
    const V factor(scale), zero(T(0)), half(T(0.5));
    const bool directed = mode >= Mode::floor;
    const V p = decimals > 0 ? x * factor : x / factor;
    const V whole = trunc(p), fraction = abs(p - whole);
    V n = round_to_integer<N>(p, mode);
    const auto changes = abs(p) < V(directed ? 2 * past : past);
    const auto on_edge = directed ? fraction == zero : (fraction == half) | (abs(p) >= V(past / 2));
    if (any(on_edge & changes)) n = select(on_edge, on_the_edge(x, p, n, whole, fraction), n);
    const V result = copysign(decimals > 0 ? n / factor : n * factor, x);
    const V found = select(changes & (abs(result) < infinity), result, x);
    if (!directed) return found;
    const auto hard = (abs(p) >= V(past)) & changes;
    return any(hard) ? digit_by_digit(x, found, hard) : found;
  }

 private:
  static constexpr int64_t exact_decimals = sizeof(T) == 4 ? 10 : 22;
  static constexpr T past = 2 / std::numeric_limits<T>::epsilon();  // the bound 2^bits

  // Returns the rounded integer if p is an integer or the middle of two integers. The rounded integer depends on the
  // side of p on which the exact product is.
  template <int N>
  [[gnu::cold]] Vec<T, N> on_the_edge(Vec<T, N> x, Vec<T, N> p, Vec<T, N> n, Vec<T, N> whole,
                                      Vec<T, N> fraction) const {
    using V = Vec<T, N>;
    const V factor(scale), zero(T(0)), one(T(1)), half(T(0.5));
    const V e = decimals > 0 ? fused_mul_add(x, factor, -p) : fused_mul_add(-p, factor, x);
    const auto above = e > zero, below = e<zero, positive = x> zero;
    if (mode == Mode::floor) return select(below, p - one, p);
    if (mode == Mode::ceil) return select(above, p + one, p);
    if (mode == Mode::trunc) return select(positive, select(below, p - one, p), select(above, p + one, p));
    const auto outward = (positive & above) | (~positive & below), inward = (positive & below) | (~positive & above);
    const V middle = select(outward, whole + select(positive, one, -one), select(inward, whole, n));
    // If p is at least half of 2^bits, p is whole. For an exact number near a middle, p is the even integer of the two
    // integers beside the middle.
    const V other = select(above, p + one, p - one);
    auto takes_other = (decimals > 0 ? abs(e) : abs(e + e) / factor * half) == half;
    if (mode == Mode::half_away) takes_other = takes_other & outward;
    if (mode == Mode::half_up) takes_other = takes_other & above;
    if (mode == Mode::half_down) takes_other = takes_other & below;
    const V large = mode == Mode::half_even ? p : select(takes_other, other, p);
    return select(fraction == half, middle, large);
  }

  template <int N>
  [[gnu::cold, gnu::noinline]] Vec<T, N> digit_by_digit(Vec<T, N> x, Vec<T, N> otherwise,
                                                        typename Vec<T, N>::mask hard) const {
    T numbers[N], results[N], wanted[N];
    x.store(numbers);
    otherwise.store(results);
    select(hard, Vec<T, N>(T(1)), Vec<T, N>(T(0))).store(wanted);
    for (int i = 0; i < N; ++i)
      if (wanted[i] != 0)
        results[i] = static_cast<T>(
            round_digits(numbers[i], static_cast<int>(decimals), static_cast<int>(mode), sizeof(T) == 4));
    return Vec<T, N>::load(results);
  }
};

template <class T>
SUANZI_INLINE bool rounds_up(T lower, T rest, T unit, bool negative, Mode mode) {
  const T complement = unit - rest;
  switch (mode) {
    case Mode::half_even:
      return rest > complement || (rest == complement && lower % 2 != 0);
    case Mode::half_up:
      return rest >= complement;
    case Mode::half_away:
      return negative ? rest > complement : rest >= complement;
    case Mode::half_down:
      return rest > complement;
    case Mode::floor:
      return false;
    case Mode::ceil:
      return rest != 0;
    case Mode::trunc:
      return negative && rest != 0;
  }
  return false;
}

// Rounds integers to a multiple of 10^-decimals, where `decimals` is negative. The result wraps modulo 2^n.
template <class T>
void round_integers(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  using U = std::make_unsigned_t<T>;
  if (params.integer[0] >= 0) return elementwise<Identity, U>(out, in, n, params);
  const T* source = static_cast<const T*>(in[0]);
  T* target = static_cast<T*>(out);
  uint64_t unit = 1;
  int64_t decimals = params.integer[0];
  for (; decimals < 0 && unit <= UINT64_MAX / 10; ++decimals) unit *= 10;
  const Mode mode = static_cast<Mode>(params.integer[1]);
  // A unit beyond 64 bits is more than twice as large as any integer.
  const bool is_beyond = decimals < 0;
  uint64_t wrapped = unit;  // modulo 2^64
  for (; decimals < 0 && wrapped != 0; ++decimals) wrapped *= 10;
  for (int64_t i = 0; i < n; ++i) {
    const bool negative = source[i] < 0;
    const uint64_t magnitude = negative ? -static_cast<uint64_t>(source[i]) : static_cast<uint64_t>(source[i]);
    if (is_beyond) {
      const bool up = mode == Mode::ceil && !negative && magnitude != 0, down = mode == Mode::floor && negative;
      target[i] = static_cast<T>(up ? wrapped : down ? -wrapped : 0);
      continue;
    }
    // The multiple at or below the element is -(count * unit) or count * unit, and `rest` is the distance to the
    // element.
    uint64_t count = magnitude / unit, rest = magnitude % unit;
    if (negative && rest != 0) {
      ++count;
      rest = unit - rest;
    }
    if (rest != 0 && rounds_up(count, rest, unit, negative, mode)) count += negative ? uint64_t(-1) : uint64_t(1);
    const uint64_t multiple = count * unit;
    target[i] = static_cast<T>(negative ? -multiple : multiple);
  }
}

template <class F>
void fill_floating(KernelTable& table, Operation op) {
  fill<Identity>(table, op, Bool{});
  fill_bits<Identity>(table, op, Integers{});
  fill<F>(table, op, Floats{});
}
template <class... T>
void fill_round(KernelTable& table, Types<T...>) {
  (set(table, Operation::round, dtype_of<T>, round_integers<T>), ...);
}

}  // namespace

void fill_rounding(KernelTable& table) {
  fill_floating<Floor>(table, Operation::floor);
  fill_floating<Ceil>(table, Operation::ceil);
  fill_floating<Trunc>(table, Operation::trunc);
  fill_floating<Rint>(table, Operation::rint);
  fill<Identity>(table, Operation::round, Bool{});
  fill_round(table, Integers{});
  fill<RoundFloating<float>>(table, Operation::round, Types<float>{});
  fill<RoundFloating<double>>(table, Operation::round, Types<double>{});
}

}  // namespace suanzi::SUANZI_LEVEL
