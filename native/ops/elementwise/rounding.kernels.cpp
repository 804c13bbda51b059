// Rounding: floor, ceil, trunc, rint, and round to a number of decimals in seven modes. Integers are their own
// roundings, except to a negative number of decimals.
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
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

// What to do with a number between two candidates. half_up and half_down take a tie toward plus and minus infinity,
// half_away away from zero.
enum class Mode : int64_t { half_even, half_up, half_away, half_down, floor, ceil, trunc };

template <int N, class T>
SUANZI_INLINE Vec<T, N> round_to_integer(Vec<T, N> x, Mode mode) {
  if (mode == Mode::half_even) return rint(x);
  if (mode == Mode::floor) return floor(x);
  if (mode == Mode::ceil) return ceil(x);
  const Vec<T, N> toward_zero = trunc(x);
  if (mode == Mode::trunc) return toward_zero;
  // The difference is exact, that to the integer above or below might not be.
  const Vec<T, N> fraction = abs(x - toward_zero), half(T(0.5)), zero(T(0));
  auto outward = fraction > half;
  if (mode == Mode::half_away) outward = fraction >= half;
  if (mode == Mode::half_up) outward = outward | ((fraction == half) & (x > zero));
  if (mode == Mode::half_down) outward = outward | ((fraction == half) & (x < zero));
  return copysign(select(outward, abs(toward_zero) + Vec<T, N>(T(1)), abs(toward_zero)), x);
}

// As NumPy: scaled by a power of ten, rounded, scaled back; but an integer stays as it is, also a large one that the
// way there and back would change. Where that overflows, an element is far too large to have so many decimals, or small
// enough to be 0; it is never made infinite.
template <class T>
struct RoundFloating {
  Mode mode;
  int64_t decimals;
  T scale;

  SUANZI_INLINE explicit RoundFloating(const KernelParams& params)
      : mode(static_cast<Mode>(params.integer[1])), decimals(params.integer[0]), scale(T(1)) {
    const double magnitude = decimals < 0 ? -static_cast<double>(decimals) : static_cast<double>(decimals);
    scale = static_cast<T>(__builtin_pow(10.0, magnitude));
  }

  template <int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> x) const {
    if (decimals == 0) return round_to_integer<N>(x, mode);
    const Vec<T, N> factor(scale), infinity(static_cast<T>(__builtin_inf())), zero(T(0));
    const Vec<T, N> integer = round_to_integer<N>(decimals > 0 ? x * factor : x / factor, mode);
    const Vec<T, N> result = decimals > 0 ? integer / factor : integer * factor;
    const Vec<T, N> rounded = select(abs(result) < infinity, result, select(integer == zero, copysign(zero, x), x));
    constexpr T all_integers = 1 / std::numeric_limits<T>::epsilon();  // no number from here on has decimals
    const auto kept = decimals > 0 ? abs(x) >= Vec<T, N>(all_integers) : infinity != infinity;
    return select((abs(integer) < infinity) & ~kept, rounded, x);
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

// To a multiple of 10^-decimals, modulo 2^n.
template <class T>
void round_integers(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  using U = std::make_unsigned_t<T>;
  if (params.integer[0] >= 0) return elementwise<Identity, U>(out, in, n, params);
  const T* source = static_cast<const T*>(in[0]);
  T* target = static_cast<T*>(out);
  uint64_t unit = 1;
  int64_t decimals = params.integer[0];
  const uint64_t highest = std::is_signed_v<T> ? U(-1) / 2 : U(-1);
  for (; decimals < 0 && unit <= highest / 10; ++decimals) unit *= 10;
  const Mode mode = static_cast<Mode>(params.integer[1]);
  for (int64_t i = 0; i < n; ++i) {
    const bool negative = source[i] < 0;
    const uint64_t magnitude = negative ? -static_cast<uint64_t>(source[i]) : static_cast<uint64_t>(source[i]);
    // The multiple at or below the element is -(count * unit) or count * unit, and `rest` lies between.
    uint64_t count = magnitude / unit, rest = magnitude % unit;
    if (negative && rest != 0) {
      ++count;
      rest = unit - rest;
    }
    if (rest != 0 && rounds_up(count, rest, unit, negative, mode)) count += negative ? uint64_t(-1) : uint64_t(1);
    const uint64_t multiple = count * unit;
    target[i] = decimals < 0 ? T(0) : static_cast<T>(negative ? -multiple : multiple);
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
