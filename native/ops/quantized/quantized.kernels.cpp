// The kernels between codes and real numbers, which quantized.kernels.h describes.
#include "ops/quantized/quantized.kernels.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "kernels/steps.h"
#include "ops/elementwise/functors.h"
#include "simd/codes.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The number of elements in a step. These elements fill a vector of int32 or float32, or two vectors of float64.
constexpr int half = vector_bytes / 8;
constexpr int step = 2 * half;
using Double = Vec<double, half>;
using Int = Vec<int32_t, half>;
using Ints = Vec<int32_t, step>;
using Float = Vec<float, step>;

template <class T>
inline constexpr bool is_code = std::is_integral_v<T> && sizeof(T) <= 2;

// An operand consists of elements of one type, their zero point, and their scale if the scale does not vary.
template <class T>
class Source {
 public:
  Source(const void* const* in, const KernelParams& params, int which, int64_t n)
      : zero(static_cast<int32_t>(params.integer[which])),
        scale(*static_cast<const double*>(in[2 * which + 1])),
        elements_(in[2 * which], params.is_constant(2 * which), n),
        zeros_(zero),
        scales_(scale) {}

  const int32_t zero;
  const double scale;

  template <int N>
  SUANZI_INLINE Vec<T, N> load(int64_t i, int skip = 0) const {
    return elements_.template load<N>(Whole{}, i, skip);
  }
  // Loads elements that do not fill a vector. The other lanes repeat the first element.
  SUANZI_INLINE Vec<T, half> load_few(int64_t i, int64_t n) const { return few(elements_.at(i), n); }
  static SUANZI_INLINE Vec<T, half> few(const T* p, int64_t n) {
    return n < half ? Vec<T, half>::load_first(p, static_cast<int>(n), *p) : Vec<T, half>::load(p);
  }

  // Returns codes minus the zero point. The function does not multiply by the scale.
  SUANZI_INLINE Double centred(Vec<T, half> x) const {
    if constexpr (is_code<T>) {
      return convert<double>(convert<int32_t>(x) - zeros_);
    } else if constexpr (std::is_same_v<T, double>) {
      return x;
    } else {
      return convert<double>(x);
    }
  }
  SUANZI_INLINE Double real(Vec<T, half> x) const { return centred(x) * scales_; }
  SUANZI_INLINE Double at(int64_t i, int part) const { return real(load<half>(i, part * half)); }
  SUANZI_INLINE Double centred_at(int64_t i, int part) const { return centred(load<half>(i, part * half)); }

 private:
  Either<T, step> elements_;
  Int zeros_;
  Double scales_;
};

// The memory that receives codes, and the parameters of the codes.
struct Codes {
  void* elements;
  int32_t zero, least, greatest;
  double scale;

  Codes(void* out, const KernelParams& params, const void* scale_of_result)
      : elements(out), scale(*static_cast<const double*>(scale_of_result)) {
    const auto& coding = *static_cast<const Coding*>(params.more);
    zero = coding.zero;
    least = coding.least;
    greatest = coding.greatest;
  }
};

// Scales that may vary from element to element.
class Scales {
 public:
  Scales(const void* const* in, const KernelParams& params, int operand, int64_t n)
      : scales_(in[operand], params.is_constant(operand), n) {}
  SUANZI_INLINE Double at(int64_t i, int part) const { return scales_.template load<half>(Whole{}, i, part * half); }
  SUANZI_INLINE Double few(int64_t i, int64_t n) const { return Source<double>::few(scales_.at(i), n); }

 private:
  Either<double, step> scales_;
};

// Divides by the scale of the result and rounds, with one scale or a scale for each lane.
//
// The quotient is correctly rounded, like the result of a division, which takes several times as long. The error of q
// is at most 1.5 units in its last place. The scale has 24 bits, and the remainder x - q * scale is a multiple of the
// product of the last places of q and of the scale. Therefore 26 bits hold the remainder exactly. No quotient by a
// number of 24 bits is close enough to the middle of two neighbours for a wrong last rounding (Markstein, "Computation
// of elementary functions on the IBM RISC System/6000 processor", IBM J. Res. Dev. 34, 1990).
class Divisor {
 public:
  Divisor(const Codes& codes, Double scale)
      : scale_(scale),
        inverse_(Double(1.0) / scale),
        low_(scale * Double(static_cast<double>(codes.least - codes.zero))),
        high_(scale * Double(static_cast<double>(codes.greatest - codes.zero))) {}

  // Returns the nearest integer to x / scale, limited to the range from the least to the greatest code.
  SUANZI_INLINE Int nearest(Double x) const {
    // Quotients in this range are correctly rounded. NaN stays NaN.
    x = min(high_, max(low_, x));
    if constexpr (Arch::fuses_multiply_add) {
      const Double q = x * inverse_;
      return nearest_int32(mul_add(mul_add(-q, scale_, x), inverse_, q));
    } else {
      return nearest_int32(x / scale_);
    }
  }

 private:
  Double scale_, inverse_, low_, high_;
};

// Adds integers. The sum wraps around if x is a converted NaN.
SUANZI_INLINE Ints shifted(Ints x, Ints by) {
  return bit_cast<int32_t>(bit_cast<uint32_t>(x) + bit_cast<uint32_t>(by));
}

// Converts integers to codes. The class adds the zero point. For 8-bit codes, the class also limits the sums to the
// range of codes. The integers for 16-bit codes are already in the range.
template <class Code>
class Finish {
 public:
  explicit Finish(const Codes& codes) : zero_(codes.zero) {}
  SUANZI_INLINE Vec<Code, step> operator()(Ints x) const { return convert<Code>(shifted(x, zero_)); }

 private:
  Ints zero_;
};

// During the computation, signed integers represent unsigned codes. Each integer is a code minus 128.
template <>
class Finish<int8_t> {
 public:
  explicit Finish(const Codes& codes)
      : shift_(codes.least < 0 ? codes.zero : codes.zero - 128),
        least_(static_cast<int8_t>(codes.least < 0 ? codes.least : -128)),
        flip_(static_cast<int8_t>(codes.least < 0 ? 0 : -128)) {}
  SUANZI_INLINE Vec<int8_t, step> operator()(Ints x) const {
    return saturated_bytes(shifted(x, shift_), Vec<int8_t, step>(least_)) ^ Vec<int8_t, step>(flip_);
  }
  template <int N>
  SUANZI_INLINE Vec<int8_t, 4 * N> operator()(const Vec<int32_t, N> (&x)[4]) const {
    const Vec<int32_t, N> shifts[] = {shifted(x[0], shift_), shifted(x[1], shift_), shifted(x[2], shift_),
                                      shifted(x[3], shift_)};
    return saturated_bytes(shifts, Vec<int8_t, 4 * N>(least_)) ^ Vec<int8_t, 4 * N>(flip_);
  }

 private:
  Ints shift_;
  int8_t least_, flip_;
};

// Writes the codes of the numbers [start, n), where `start` is a multiple of `step`. each(i) returns the codes of the
// numbers [i, i + step), without the zero point.
template <class Code, class Each>
SUANZI_INLINE void store_codes(const Codes& out, int64_t n, bool stream, Each each, int64_t start = 0) {
  Code* const codes = static_cast<Code*>(out.elements);
  const Finish<Code> finish(out);
  if (stream && !brief) {
    for (int64_t i = start; i < n; i += step) finish(each(i)).stream(codes + i);
    finish_streaming();
  } else {
    for (int64_t i = start; i < n; i += step) finish(each(i)).store(codes + i);
  }
}

// Records whether any number so far was NaN.
template <class T>
class Watch {
 public:
  SUANZI_INLINE Double operator()(Double x) {
    if constexpr (std::is_floating_point_v<T>) strange_ = strange_ | (x != x);
    return x;
  }
  bool seen() const { return any(strange_); }

 private:
  Mask<8, half> strange_{};
};

template <class T, class Code>
bool encode(const Codes& out, const Source<T>& x, int64_t n, bool stream) {
  const Divisor by(out, Double(out.scale));
  Watch<T> watch;
  store_codes<Code>(out, n, stream, [&](int64_t i) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) { return by.nearest(watch(x.at(i, k))); };
    return join(part(0), part(1));
  });
  return watch.seen();
}

// Rounds float32 numbers in float32 if the nearest integer is certain. The remainder x - scale * integer is exact. If
// the remainder is less than half a step, no other integer is nearer. For other numbers (ties, NaN, quotients beyond 32
// bits, about one in a thousand), `exact` computes the codes in float64. Returns true if a number is NaN.
template <class Code>
bool encode_floats(const Codes& out, const Source<float>& x, int64_t n, bool stream) {
  constexpr double least = 0x1p-100, greatest = 0x1p100;  // the range of scales without overflow and underflow
  if (!Arch::fuses_multiply_add || x.scale != 1 || !(least <= out.scale && out.scale <= greatest))
    return encode<float, Code>(out, x, n, stream);
  const Float scale(static_cast<float>(out.scale)), inverse(static_cast<float>(1 / out.scale));
  const Float sure(static_cast<float>(out.scale / 2));
  const auto end = [&](int32_t code) { return Float(static_cast<float>(out.scale * (code - out.zero))); };
  const Float low = end(out.least), high = end(out.greatest);
  const Divisor by(out, Double(out.scale));
  Watch<float> watch;
  const auto exact = [&](int64_t i) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) { return by.nearest(watch(x.at(i, k))); };
    return join(part(0), part(1));
  };
  const auto held = [&](int64_t i) __attribute__((always_inline)) {
    const Float t = max(low, x.template load<step>(i));
    // 8-bit codes need no upper limit if the distance shows an overflow. The conversion to codes then saturates.
    return sizeof(Code) > 1 || !Arch::overflows_to_least ? min(high, t) : t;
  };
  const auto distance = [&](Float t, Ints nearest)
                            __attribute__((always_inline)) { return abs(mul_add(-convert<float>(nearest), scale, t)); };
  int64_t start = 0;
  if constexpr (sizeof(Code) == 1 && saturates_four<step>) {
    const Finish<Code> finish(out);
    for (; !stream && n - start >= 4 * step; start += 4 * step) {
      Ints nearest[4];
      const auto near = [&](int k) __attribute__((always_inline)) {
        const Float t = held(start + k * step);
        nearest[k] = nearest_int32(t * inverse);
        return distance(t, nearest[k]) < sure;
      };
      if (any(~(near(0) & near(1) & near(2) & near(3)))) [[unlikely]]
        for (int k = 0; k < 4; ++k) nearest[k] = exact(start + k * step);
      finish(nearest).store(static_cast<Code*>(out.elements) + start);
    }
  }
  store_codes<Code>(
      out, n, stream,
      [&](int64_t i) __attribute__((always_inline)) {
        const Float t = held(i);
        const Ints nearest = nearest_int32(t * inverse);
        if (any_not_less(distance(t, nearest), sure)) [[unlikely]]
          return exact(i);
        return nearest;
      },
      start);
  return watch.seen();
}

// Encodes numbers with scales that vary. Returns true if a number is NaN.
template <class T, class Code>
bool encode_each(const Codes& out, const Source<T>& x, const Scales& scales, const Scales& of_result, int64_t n,
                 bool stream) {
  Watch<T> watch;
  store_codes<Code>(out, n, stream, [&](int64_t i) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) {
      const Divisor by(out, of_result.at(i, k));
      return by.nearest(watch(x.centred_at(i, k) * scales.at(i, k)));
    };
    return join(part(0), part(1));
  });
  return watch.seen();
}

struct Maximum {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return max(a, b);
  }
};
struct Minimum {
  template <class V>
  SUANZI_INLINE V operator()(V a, V b) const {
    return min(a, b);
  }
};
template <class F>
inline constexpr bool is_product = std::is_same_v<F, Multiply>;
template <class F>
inline constexpr bool is_linear = std::is_same_v<F, Add> || std::is_same_v<F, Subtract>;

// The ratios of scales, in steps of the result, for arithmetic of 8-bit codes in float32.
struct Ratios {
  enum class Kind { none, exact, whole, apart } kind = Kind::none;
  // The kinds `exact` and `whole` use one factor for whole numbers. The two parts of this factor have 48 bits.
  float factor = 0, rest = 0;
  // The kind `apart` uses a factor for each operand, and the distance from the middle between two codes at which
  // float32 is certain.
  float x = 0, y = 0, sure = 0;

  static constexpr double least = 0x1p-40, most = 0x1p12;  // the range of ratios without overflow and underflow

  static SUANZI_INLINE Ratios of_factor(double factor) {
    Ratios r;
    if (!(factor >= least && factor <= most)) return r;
    r.factor = static_cast<float>(factor);
    r.rest = static_cast<float>(factor - static_cast<double>(r.factor));
    // A whole number has at most 17 bits, so its product with a factor of 7 bits is exact.
    const bool is_short = r.factor == factor && (__builtin_bit_cast(uint32_t, r.factor) & 0x1ffff) == 0;
    r.kind = is_short ? Kind::exact : Arch::fuses_multiply_add ? Kind::whole : Kind::none;
    return r;
  }
  template <class F, class T>
  static SUANZI_INLINE Ratios of(F, const Codes& out, const Source<T>& x, const Source<T>& y) {
    if (is_product<F> || x.scale == y.scale)
      return of_factor((is_product<F> ? x.scale * y.scale : x.scale) / out.scale);
    Ratios r;
    const double ratios[] = {x.scale / out.scale, y.scale / out.scale};
    const double extent = 255 * (ratios[0] + ratios[1]);
    if (!(ratios[0] >= least && ratios[1] >= least && extent <= most)) return r;
    r.kind = Kind::apart;
    r.x = static_cast<float>(ratios[0]);
    r.y = static_cast<float>(ratios[1]);
    // The error of each of the five roundings is at most extent * 2^-25.
    r.sure = static_cast<float>(0.5 - extent * 0x1p-22);
    return r;
  }
};

// Writes the codes of products of whole numbers and the factor. each(i) returns the whole numbers as float32. If
// float32 does not determine the codes, surely(i) computes the codes in float64.
template <class Each, class Surely>
SUANZI_INLINE void store_multiples(const Codes& out, const Ratios& ratios, int64_t n, bool stream, Each each,
                                   Surely surely) {
  const Float factor(ratios.factor), rest(ratios.rest), one_half(0.5f), least(0x1p-35f);
  if (ratios.kind == Ratios::Kind::exact)
    return store_codes<int8_t>(
        out, n, stream, [&](int64_t i) __attribute__((always_inline)) { return nearest_int32(each(i) * factor); });
  // The code of a product is one of the two integers beside `middle`, and the sign of `more` decides between these two
  // integers. Near the middle, t * factor - middle is exact, and the sum of this difference and t * rest is rounded
  // once.
  store_codes<int8_t>(out, n, stream, [&](int64_t i) __attribute__((always_inline)) {
    const Float t = each(i);
    const Float middle = floor(t * factor) + one_half;
    const Float more = mul_add(t, rest, mul_add(t, factor, -middle));
    if (any_not_less(least, abs(more))) [[unlikely]]
      return surely(i);
    return nearest_int32(middle + copysign(one_half, more));
  });
}

// Returns true if float32 alone determines the codes of all sums of two codes. The kernel then need not test whether a
// product of a sum and the factor is near the middle between two integers.
SUANZI_INLINE bool settles_sums(const Ratios& ratios, const Codes& out, double scale) {
  constexpr int32_t greatest_sum = 2 * 255;
  Codes unbounded = out;
  unbounded.zero = 0;
  unbounded.least = -0x8000;
  unbounded.greatest = 0x7fff;
  const Divisor by(unbounded, Double(out.scale));
  const Float factor(ratios.factor);
  int32_t numbers[step];
  for (int k = 0; k < step; ++k) numbers[k] = k + 1;
  const Ints first = Ints::load(numbers);
  const Int halves[] = {Int::load(numbers), Int::load(numbers + half)};
  for (int32_t i = 0; i < greatest_sum; i += step) {
    const auto exactly = [&](int k) __attribute__((always_inline)) {
      return by.nearest(convert<double>(halves[k] + i) * scale);
    };
    if (any(nearest_int32(convert<float>(first + i) * factor) != join(exactly(0), exactly(1)))) return false;
  }
  return true;
}

// Writes the 8-bit codes of an operation's results for 8-bit codes. The function computes in float32 if the results are
// certain, and in float64 otherwise.
template <class F, class T>
void combine_bytes(const Codes& out, const Source<T>& x, const Source<T>& y, int64_t n, bool stream) {
  const F f;
  Ratios ratios = Ratios::of(f, out, x, y);
  constexpr int64_t worthwhile = 8192;  // the least number of elements for which settles_sums saves time
  if (!is_product<F> && ratios.kind == Ratios::Kind::whole && n >= worthwhile && settles_sums(ratios, out, x.scale))
    ratios.kind = Ratios::Kind::exact;
  const Ints x_zero(x.zero), y_zero(y.zero);
  const auto left = [&](int64_t i)
                        __attribute__((always_inline)) { return convert<int32_t>(x.template load<step>(i)); };
  const auto right = [&](int64_t i)
                         __attribute__((always_inline)) { return convert<int32_t>(y.template load<step>(i)); };
  const Divisor by(out, Double(out.scale));
  const auto surely = [&](int64_t i) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) { return by.nearest(f(x.at(i, k), y.at(i, k))); };
    return join(part(0), part(1));
  };
  if (brief || ratios.kind == Ratios::Kind::none) return store_codes<int8_t>(out, n, stream, surely);
  if (ratios.kind != Ratios::Kind::apart) {
    const Ints both_zeros = f(x_zero, y_zero);
    const auto whole = [&](int64_t i) __attribute__((always_inline)) {
      const Ints a = left(i), b = right(i);
      if constexpr (is_linear<F>) return convert<float>(f(a, b) - both_zeros);
      if constexpr (is_product<F>) return convert<float>(a - x_zero) * convert<float>(b - y_zero);
      if constexpr (!is_linear<F> && !is_product<F>) return convert<float>(f(a - x_zero, b - y_zero));
    };
    return store_multiples(out, ratios, n, stream, whole, surely);
  }
  const Float by_x(ratios.x), by_y(ratios.y), sure(ratios.sure);
  store_codes<int8_t>(out, n, stream, [&](int64_t i) __attribute__((always_inline)) {
    const Float t = f(convert<float>(left(i) - x_zero) * by_x, convert<float>(right(i) - y_zero) * by_y);
    const Ints nearest = nearest_int32(t);
    if (any_not_less(abs(t - convert<float>(nearest)), sure)) [[unlikely]]
      return surely(i);
    return nearest;
  });
}

// Converts codes to codes with other parameters. Returns false, because codes do not represent NaN.
template <class T>
bool encode_bytes(const Codes& out, const Source<T>& x, int64_t n, bool stream) {
  const Ratios ratios = Ratios::of_factor(x.scale / out.scale);
  if (brief || ratios.kind == Ratios::Kind::none) return encode<T, int8_t>(out, x, n, stream);
  const Ints zero(x.zero);
  const auto whole = [&](int64_t i) __attribute__((always_inline)) {
    return convert<float>(convert<int32_t>(x.template load<step>(i)) - zero);
  };
  const Divisor by(out, Double(out.scale));
  store_multiples(out, ratios, n, stream, whole, [&](int64_t i) __attribute__((always_inline)) {
    return join(by.nearest(x.at(i, 0)), by.nearest(x.at(i, 1)));
  });
  return false;
}

template <class F, class T, class Code>
void combine(const Codes& out, const Source<T>& x, const Source<T>& y, int64_t n, bool stream) {
  const Divisor by(out, Double(out.scale));
  const F f;
  store_codes<Code>(out, n, stream, [&](int64_t i) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) { return by.nearest(f(x.at(i, k), y.at(i, k))); };
    return join(part(0), part(1));
  });
}

// Combines codes with scales that vary.
template <class F, class T, class Code>
void combine_each(const Codes& out, const Source<T>& x, const Source<T>& y, const Scales (&scales)[3], int64_t n,
                  bool stream) {
  const F f;
  store_codes<Code>(out, n, stream, [&](int64_t i) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) {
      const Double a = x.centred_at(i, k) * scales[0].at(i, k);
      const Double b = y.centred_at(i, k) * scales[1].at(i, k);
      return Divisor(out, scales[2].at(i, k)).nearest(f(a, b));
    };
    return join(part(0), part(1));
  });
}

// Extends the range to the least and the greatest of n numbers. numbers(i) returns a vector of the numbers that begin
// with number i. If these numbers do not fill the vector, the other lanes repeat one of the numbers.
template <class Numbers>
SUANZI_INLINE void widen_range(double* range, int64_t n, Numbers numbers) {
  Double low(range[0]), high(range[1]);
  for (int64_t i = 0; i < n; i += half) {
    // The loop replaces a partial last vector by a vector that ends with the last element. If the elements do not fill
    // a vector, the vector repeats elements.
    const Double t = numbers(i + half <= n || n < half ? i : n - half);
    low = min(low, t);
    high = max(high, t);
  }
  double ends[2][half];
  low.store(ends[0]);
  high.store(ends[1]);
  for (int k = 0; k < half; ++k) {
    range[0] = ends[0][k] < range[0] ? ends[0][k] : range[0];
    range[1] = ends[1][k] > range[1] ? ends[1][k] : range[1];
  }
}

// --- the kernels ---

// Kernels that write codes compute whole steps. The compiler must not inline these kernels, because each kernel is
// called for every part of a tile.

template <class T, class Code>
[[gnu::noinline]] void encode_kernel(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const Source<T> x(in, params, 0, n);
  const Codes codes(out, params, in[2]);
  bool has_nan = false;
  if (!params.is_constant(1) || !params.is_constant(2)) {
    has_nan = encode_each<T, Code>(codes, x, {in, params, 1, n}, {in, params, 2, n}, n, params.stream);
  } else if constexpr (std::is_same_v<T, float>) {
    has_nan = encode_floats<Code>(codes, x, n, params.stream);
  } else if constexpr (sizeof(T) == 1 && sizeof(Code) == 1) {
    has_nan = encode_bytes<T>(codes, x, n, params.stream);
  } else {
    has_nan = encode<T, Code>(codes, x, n, params.stream);
  }
  if (has_nan) static_cast<const Coding*>(params.more)->has_nan->store(true, std::memory_order_relaxed);
}

template <class F, class T, class Code>
[[gnu::noinline]] void combine_kernel(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const Source<T> x(in, params, 0, n), y(in, params, 1, n);
  const Codes codes(out, params, in[4]);
  if (!params.is_constant(1) || !params.is_constant(3) || !params.is_constant(4)) {
    const Scales scales[] = {{in, params, 1, n}, {in, params, 3, n}, {in, params, 4, n}};
    combine_each<F, T, Code>(codes, x, y, scales, n, params.stream);
  } else if constexpr (sizeof(T) == 1 && sizeof(Code) == 1) {
    combine_bytes<F, T>(codes, x, y, n, params.stream);
  } else {
    combine<F, T, Code>(codes, x, y, n, params.stream);
  }
}

template <class F, class T>
void combined_range_kernel(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const Source<T> x(in, params, 0, n), y(in, params, 1, n);
  double* const range = static_cast<double*>(out);
  const F f;
  if (params.is_constant(1) && params.is_constant(3))
    return widen_range(range, n, [&](int64_t i) __attribute__((always_inline)) {
      return f(x.real(x.load_few(i, n)), y.real(y.load_few(i, n)));
    });
  const Scales x_scales(in, params, 1, n), y_scales(in, params, 3, n);
  widen_range(range, n, [&](int64_t i) __attribute__((always_inline)) {
    return f(x.centred(x.load_few(i, n)) * x_scales.few(i, n), y.centred(y.load_few(i, n)) * y_scales.few(i, n));
  });
}

void range_kernel(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const Either<double, half> numbers(in[0], params.is_constant(0), n);
  widen_range(static_cast<double*>(out), n,
              [&](int64_t i) __attribute__((always_inline)) { return Source<double>::few(numbers.at(i), n); });
}

template <class T, class Real>
void decode_kernel(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(Real));
  const Either<T, N> codes(in[0], params.is_constant(0), n);
  const Either<Real, N> scales(in[1], params.is_constant(1), n);
  Real* const reals = static_cast<Real*>(out);
  const Vec<int32_t, N> zero(static_cast<int32_t>(params.integer[0]));
  const auto store = [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto centred = convert<int32_t>(codes.template load<N>(access, i, 0)) - zero;
    access.store(convert<Real>(centred) * scales.template load<N>(access, i, 0), reals + i);
  };
  walk<N>(reals, n, params.stream, store);
}

template <class T>
void fill_source(QuantizedKernels& table) {
  Kernel* const row = table.encode[static_cast<int>(dtype_of<T>)];
  row[0] = in_steps<encode_kernel<T, int8_t>, step, int8_t, T, double, double>;
  row[1] = in_steps<encode_kernel<T, int16_t>, step, int16_t, T, double, double>;
}

template <class F, class T>
void fill_operation(QuantizedKernels& table, Operation operation) {
  const auto op = quantized_place(operation), type = static_cast<int>(dtype_of<T>);
  table.combine[op][type][0] = in_steps<combine_kernel<F, T, int8_t>, step, int8_t, T, double, T, double, double>;
  table.combine[op][type][1] = in_steps<combine_kernel<F, T, int16_t>, step, int16_t, T, double, T, double, double>;
  table.combined_range[op][type] = combined_range_kernel<F, T>;
}

template <class T>
void fill_codes(QuantizedKernels& table) {
  using O = Operation;
  fill_operation<Add, T>(table, O::add);
  fill_operation<Subtract, T>(table, O::subtract);
  fill_operation<Multiply, T>(table, O::multiply);
  fill_operation<Maximum, T>(table, O::maximum);
  fill_operation<Minimum, T>(table, O::minimum);
  table.decode[static_cast<int>(dtype_of<T>)][0] = decode_kernel<T, float>;
  table.decode[static_cast<int>(dtype_of<T>)][1] = decode_kernel<T, double>;
}

template <class... T>
void fill_all(QuantizedKernels& table, Types<T...>) {
  (fill_source<T>(table), ...);
}
template <class... T>
void fill_all_codes(QuantizedKernels& table, Types<T...>) {
  (fill_codes<T>(table), ...);
}

QuantizedKernels build() {
  QuantizedKernels table;
  using Narrow = Types<int8_t, uint8_t, int16_t, uint16_t>;
  fill_all(table, Narrow{});
  fill_all(table, Types<int32_t, int64_t, float, double>{});
  fill_all_codes(table, Narrow{});
  table.range = range_kernel;
  return table;
}

}  // namespace

void fill_quantized(KernelTable& table) {
  static const QuantizedKernels kernels = build();
  table.quantized = &kernels;
}

}  // namespace suanzi::SUANZI_LEVEL
