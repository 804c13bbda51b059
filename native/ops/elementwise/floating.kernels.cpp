// Operations of floating types only: signs, neighbours, and functions of two numbers whose definitions would overflow.
// The caller has already converted integers to float32.
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/exp.h"
#include "math/log.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct CopySign {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return copysign(a, b);
  }
};
struct SignBit {
  template <class T, int N>
  SUANZI_INLINE Mask<sizeof(T), N> operator()(Vec<T, N> a) const {
    return bit_cast<IntFor<T>>(a) < Vec<IntFor<T>, N>(0);
  }
};

// Returns the neighbour of a towards b. The code maps the numbers to signed integers that have the same order, in which
// neighbours differ by 1. The code reads elements as unsigned integers, and `infinity` is the integer with the bits of
// infinity.
template <auto infinity>
struct NextAfter {
  template <class U, int N>
  SUANZI_INLINE Vec<U, N> operator()(Vec<U, N> a, Vec<U, N> b) const {
    using I = std::make_signed_t<U>;
    const Vec<U, N> sign(static_cast<U>(U{1} << (8 * sizeof(U) - 1))), magnitude = ~sign;
    const Vec<U, N> size_a = a & magnitude, size_b = b & magnitude;
    const Vec<I, N> zero(I{0}), one(I{1});
    const auto place = [&](Vec<U, N> x, Vec<U, N> size) {
      return select(bit_cast<I>(x) < zero, zero - bit_cast<I>(size), bit_cast<I>(size));
    };
    const Vec<I, N> from = place(a, size_a), to = place(b, size_b);
    const Vec<I, N> next = select(to > from, from + one, from - one);
    // A result of 0 has the sign of a.
    const Vec<U, N> found = bit_cast<U>(select(next < zero, zero - next, next)) | select(next < zero, sign, U{0});
    const Vec<U, N> moved = select(next == zero, a & sign, found);
    const Vec<U, N> most(infinity);
    return select(size_a > most, a, select((size_b > most) | (from == to), b, moved));
  }
};

// Returns sqrt(a^2 + b^2). float32 is computed in float64, which holds the squares. For float64, the function scales
// the operands so that squares neither overflow nor underflow, and corrects the root by the root's error (Borges, "An
// improved algorithm for hypot(a, b)", 2019). The result is within 0.51 ulp.
template <int N>
SUANZI_INLINE Vec<double, N> hypot_scaled(Vec<double, N> a, Vec<double, N> b) {
  using V = Vec<double, N>;
  const V large = select(a > b, a, b), small = select(a > b, b, a);
  const V scale = select(large > V(0x1p500), V(0x1p-600), select(large < V(0x1p-500), V(0x1p600), V(1.0)));
  const V x = large * scale, y = small * scale;
  const V xx = x * x, yy = y * y, h = sqrt(xx + yy), hh = h * h;
  const V excess =
      ((hh - xx) - yy) - math::product_error(y, y, yy) - math::product_error(x, x, xx) + math::product_error(h, h, hh);
  const V root = h - excess / (h + h);
  return select((large == V(0.0)) & (small == V(0.0)), V(0.0), root) * (V(1.0) / scale);
}
struct Hypot {
  static constexpr bool heavy = true;
  template <class>
  static constexpr int lane_bytes = 8;
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    a = abs(a);
    b = abs(b);
    const Vec<T, N> infinity(std::numeric_limits<T>::infinity());
    Vec<T, N> found;
    if constexpr (std::is_same_v<T, float>) {
      const Vec<double, N> x = convert<double>(a), y = convert<double>(b);
      found = convert<T>(sqrt(x * x + y * y));
    } else {
      found = hypot_scaled(a, b);
    }
    return select((a == infinity) | (b == infinity), infinity, found);
  }
};

// Returns log(e^a + e^b) = max(a, b) + log(1 + e^-|a - b|). For equal numbers, including infinities, the function does
// not compute the difference.
struct LogAddExp {
  static constexpr bool heavy = true;
  template <class>
  static constexpr int lane_bytes = 8;
  template <class T, int N>
  SUANZI_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const {
    const Vec<double, N> x = convert<double>(a), y = convert<double>(b);
    const Vec<double, N> distance = select(x == y, Vec<double, N>(0.0), abs(x - y));
    return convert<T>(maximum(x, y) + math::log1p(math::exp(-distance)));
  }
};

template <auto infinity>
void set_next(KernelTable& table, DType t) {
  set(table, Operation::nextafter, t, elementwise<NextAfter<infinity>, std::remove_const_t<decltype(infinity)>>);
}

}  // namespace

void fill_floating_functions(KernelTable& table) {
  fill<CopySign>(table, Operation::copysign, Floats{});
  fill<SignBit>(table, Operation::signbit, Floats{});
  fill<Hypot>(table, Operation::hypot, Floats{});
  fill<LogAddExp>(table, Operation::logaddexp, Floats{});
  set_next<uint16_t{0x7c00}>(table, DType::float16);
  set_next<uint16_t{0x7f80}>(table, DType::bfloat16);
  set_next<uint32_t{0x7f800000}>(table, DType::float32);
  set_next<uint64_t{0x7ff0000000000000}>(table, DType::float64);
}

}  // namespace suanzi::SUANZI_LEVEL
