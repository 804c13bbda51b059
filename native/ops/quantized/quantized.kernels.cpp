// Codes and real numbers: see quantized.kernels.h.
#include "ops/quantized/quantized.kernels.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/elementwise/functors.h"
#include "simd/codes.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// Elements of a step: a vector of int32 or float32, or two of float64.
constexpr int half = vector_bytes / 8;
constexpr int step = 2 * half;
using Double = Vec<double, half>;
using Int = Vec<int32_t, half>;
using Ints = Vec<int32_t, step>;
using Float = Vec<float, step>;

template <class T>
inline constexpr bool is_code = std::is_integral_v<T> && sizeof(T) <= 2;

// Elements of one type as numbers.
template <class T>
class Source {
 public:
  explicit Source(const Reals& x) : elements_(static_cast<const T*>(x.elements)), zero_(x.zero), scale_(x.scale) {}

  static SUANZI_INLINE Double centred(Vec<T, half> x, Int zero) {
    if constexpr (is_code<T>) {
      return convert<double>(convert<int32_t>(x) - zero);
    } else if constexpr (std::is_same_v<T, int32_t>) {
      return convert<double>(x);
    } else if constexpr (std::is_same_v<T, double>) {
      return x;
    } else {
      return convert<double>(x);
    }
  }
  SUANZI_INLINE Double real(Vec<T, half> x) const { return centred(x, zero_) * scale_; }
  template <class Access>
  SUANZI_INLINE Double at(int64_t i, int part, Access access) const {
    return real(access.template load<half>(elements_ + i, part * half));
  }

 private:
  const T* elements_;
  Int zero_;
  Double scale_;
};

// The division by the scale of the result and the rounding, for one scale or a scale for each lane.
//
// The quotient is as correctly rounded as that of a division, which takes several times as long: q is off by at most
// 1.5 units in its last place; the remainder x - q * scale is a multiple of the product of the last places of q and of
// the scale, which has 24 bits, so that 26 hold it exactly; and no quotient by 24 bits comes near enough to the middle
// of two neighbours for the last rounding to err (Markstein, "Computation of elementary functions on the IBM RISC
// System/6000 processor", IBM J. Res. Dev. 34, 1990).
class Divisor {
 public:
  Divisor(const Codes& codes, Double scale)
      : scale_(scale),
        inverse_(Double(1.0) / scale),
        low_(scale * Double(static_cast<double>(codes.least - codes.zero))),
        high_(scale * Double(static_cast<double>(codes.greatest - codes.zero))) {}

  // The nearest integer to x / scale, from the least code to the greatest one.
  SUANZI_INLINE Int nearest(Double x) const {
    x = min(high_, max(low_, x));  // whose quotients are exact; NaN stays
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

// The sum wraps around where x is what a NaN became.
SUANZI_INLINE Ints shifted(Ints x, Ints by) {
  return bit_cast<int32_t>(bit_cast<uint32_t>(x) + bit_cast<uint32_t>(by));
}

// Integers as codes: the zero point added, held to the ends. Where codes have 16 bits they are held to them already.
template <class Code>
class Finish {
 public:
  explicit Finish(const Codes& codes) : zero_(codes.zero) {}
  SUANZI_INLINE Vec<Code, step> operator()(Ints x) const { return convert<Code>(shifted(x, zero_)); }

 private:
  Ints zero_;
};

// Unsigned codes are 128 less on the way, and signed.
template <>
class Finish<int8_t> {
 public:
  explicit Finish(const Codes& codes)
      : shift_(codes.least < 0 ? codes.zero : codes.zero - 128),
        least_(static_cast<int8_t>(codes.least < 0 ? codes.least : -128)),
        flip_(static_cast<int8_t>(codes.least < 0 ? 0 : -128)) {}
  SUANZI_INLINE Vec<int8_t, step> operator()(Ints x) const {
    return saturated_bytes(shifted(x, shift_), least_) ^ flip_;
  }

 private:
  Ints shift_;
  Vec<int8_t, step> least_, flip_;
};

// Writes the codes of n numbers; each(i, access) gives a step's from i on, without zero point.
template <class Code, class Each>
SUANZI_INLINE void store_codes(const Codes& out, int64_t n, bool stream, Each each) {
  Code* const codes = static_cast<Code*>(out.elements);
  const Finish<Code> finish(out);
  const auto store = [&](int64_t i, auto access)
                         __attribute__((always_inline)) { access.store(finish(each(i, access)), codes + i); };
  if (stream) {
    walk_streaming<step>(codes, n, store);
  } else {
    walk<step>(n, store);
  }
}

// Whether NaN was among the numbers that went by.
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
bool encode(const Codes& out, const Reals& x, int64_t n, bool stream) {
  const Source<T> source(x);
  const Divisor by(out, Double(out.scale));
  Watch<T> watch;
  store_codes<Code>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) { return by.nearest(watch(source.at(i, k, access))); };
    return join(part(0), part(1));
  });
  return watch.seen();
}

// Of float32 numbers the nearest integer is found in float32 where that is certain: the remainder is exact, and where
// it is less than half a step, no other integer is nearer. Elsewhere, at ties and about one time in a thousand, and at
// NaN, float64 decides.
template <class Code>
bool encode_floats(const Codes& out, const Reals& x, int64_t n, bool stream) {
  constexpr double least = 0x1p-100, greatest = 0x1p100;  // scales under which nothing here overflows or underflows
  if (!Arch::fuses_multiply_add || x.scale != 1 || !(least <= out.scale && out.scale <= greatest))
    return encode<float, Code>(out, x, n, stream);
  const float* const elements = static_cast<const float*>(x.elements);
  const Float scale(static_cast<float>(out.scale)), inverse(static_cast<float>(1 / out.scale));
  const Float sure(static_cast<float>(out.scale / 2));
  const auto end = [&](int32_t code) { return Float(static_cast<float>(out.scale * (code - out.zero))); };
  const Float low = end(out.least), high = end(out.greatest);
  const Source<float> source(x);
  const Divisor by(out, Double(out.scale));
  Watch<float> watch;
  store_codes<Code>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
    Float t = max(low, access.template load<step>(elements + i));
    // To 8 bits what is too great is held in the end, or past 32 bits not near.
    if constexpr (sizeof(Code) > 1) t = min(high, t);
    const Ints nearest = nearest_int32(t * inverse);
    if (any_not_less(abs(mul_add(-convert<float>(nearest), scale, t)), sure)) [[unlikely]] {
      const auto part = [&](int k)
                            __attribute__((always_inline)) { return by.nearest(watch(source.at(i, k, access))); };
      return join(part(0), part(1));
    }
    return nearest;
  });
  return watch.seen();
}

// A scale for each element.
template <class Code>
bool encode_each(const Codes& out, const Reals& x, int64_t n, bool stream) {
  const Source<double> source(x);
  Watch<double> watch;
  store_codes<Code>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) {
      const Divisor by(out, convert<double>(access.template load<half>(out.scales + i, k * half)));
      return by.nearest(watch(source.at(i, k, access)));
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

// What is computed of codes of 8 bits in float32, in steps of the result.
struct Ratios {
  enum class Kind { none, exact, whole, apart } kind = Kind::none;
  // Whole numbers of one factor, which the two parts hold to 48 bits.
  float factor = 0, rest = 0;
  // Operands with a factor each, and how near to the middle between two codes the result tells them apart.
  float x = 0, y = 0, sure = 0;

  static constexpr double least = 0x1p-40, most = 0x1p12;  // within these nothing overflows or underflows

  static SUANZI_INLINE Ratios of_factor(double factor) {
    Ratios r;
    if (!(factor >= least && factor <= most)) return r;
    r.factor = static_cast<float>(factor);
    r.rest = static_cast<float>(factor - static_cast<double>(r.factor));
    // A whole number has 17 bits at most: its product with 7 is exact.
    const bool is_short = r.factor == factor && (__builtin_bit_cast(uint32_t, r.factor) & 0x1ffff) == 0;
    r.kind = is_short ? Kind::exact : Arch::fuses_multiply_add ? Kind::whole : Kind::none;
    return r;
  }
  template <class F>
  static SUANZI_INLINE Ratios of(F, const Codes& out, const Reals& x, const Reals& y) {
    if (is_product<F> || x.scale == y.scale)
      return of_factor((is_product<F> ? x.scale * y.scale : x.scale) / out.scale);
    Ratios r;
    const double ratios[] = {x.scale / out.scale, y.scale / out.scale};
    const double extent = 255 * (ratios[0] + ratios[1]);
    if (!(ratios[0] >= least && ratios[1] >= least && extent <= most)) return r;
    r.kind = Kind::apart;
    r.x = static_cast<float>(ratios[0]);
    r.y = static_cast<float>(ratios[1]);
    r.sure = static_cast<float>(0.5 - extent * 0x1p-22);  // each of five roundings is within extent * 2^-25
    return r;
  }
};

// The codes of whole numbers times the factor, each(i, access) giving the numbers as float32; where float32 leaves
// doubt, surely(i, access) gives the result.
template <class Each, class Surely>
SUANZI_INLINE void store_multiples(const Codes& out, const Ratios& ratios, int64_t n, bool stream, Each each,
                                   Surely surely) {
  const Float factor(ratios.factor), rest(ratios.rest), one_half(0.5f), least(0x1p-35f);
  if (ratios.kind == Ratios::Kind::exact)
    return store_codes<int8_t>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
      return nearest_int32(each(i, access) * factor);
    });
  // The result lies beside the middle between two integers that float32 finds. By which side decides what the product
  // is more than that: near the middle its first part is exact, and the second is rounded once.
  store_codes<int8_t>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const Float t = each(i, access);
    const Float middle = floor(t * factor) + one_half;
    const Float more = mul_add(t, rest, mul_add(t, factor, -middle));
    if (any_not_less(least, abs(more))) [[unlikely]]
      return surely(i, access);
    return nearest_int32(middle + copysign(one_half, more));
  });
}

// Whether float32 alone gives the codes of all sums of two codes, as it does where no multiple of the factor comes near
// the middle between two integers: then the products need no second look.
SUANZI_INLINE bool settles_sums(const Ratios& ratios, const Codes& out, double scale) {
  constexpr int32_t greatest_sum = 2 * 255;
  const Divisor by({nullptr, 0, -0x8000, 0x7fff, out.scale, nullptr}, Double(out.scale));
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

// Codes of 8 bits to such: in float32 where that is certain, else in float64.
template <class F, class T>
void combine_bytes(const Codes& out, const Reals& x, const Reals& y, int64_t n, bool stream) {
  const F f;
  Ratios ratios = Ratios::of(f, out, x, y);
  constexpr int64_t worthwhile = 8192;  // elements from which that look pays
  if (!is_product<F> && ratios.kind == Ratios::Kind::whole && n >= worthwhile && settles_sums(ratios, out, x.scale))
    ratios.kind = Ratios::Kind::exact;
  const Ints x_zero(x.zero), y_zero(y.zero);
  const T *const p = static_cast<const T*>(x.elements), *const q = static_cast<const T*>(y.elements);
  const auto left = [&](int64_t i, auto access)
                        __attribute__((always_inline)) { return convert<int32_t>(access.template load<step>(p + i)); };
  const auto right = [&](int64_t i, auto access)
                         __attribute__((always_inline)) { return convert<int32_t>(access.template load<step>(q + i)); };
  const Source<T> a(x), b(y);
  const Divisor by(out, Double(out.scale));
  const auto surely = [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) {
      return by.nearest(f(a.at(i, k, access), b.at(i, k, access)));
    };
    return join(part(0), part(1));
  };
  if (ratios.kind == Ratios::Kind::none) return store_codes<int8_t>(out, n, stream, surely);
  if (ratios.kind != Ratios::Kind::apart) {
    const Ints both_zeros = f(x_zero, y_zero);
    const auto whole = [&](int64_t i, auto access) __attribute__((always_inline)) {
      const Ints a = left(i, access), b = right(i, access);
      if constexpr (is_linear<F>) return convert<float>(f(a, b) - both_zeros);
      if constexpr (is_product<F>) return convert<float>(a - x_zero) * convert<float>(b - y_zero);
      if constexpr (!is_linear<F> && !is_product<F>) return convert<float>(f(a - x_zero, b - y_zero));
    };
    return store_multiples(out, ratios, n, stream, whole, surely);
  }
  const Float by_x(ratios.x), by_y(ratios.y), sure(ratios.sure);
  store_codes<int8_t>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const Float t =
        f(convert<float>(left(i, access) - x_zero) * by_x, convert<float>(right(i, access) - y_zero) * by_y);
    const Ints nearest = nearest_int32(t);
    if (any_not_less(abs(t - convert<float>(nearest)), sure)) [[unlikely]]
      return surely(i, access);
    return nearest;
  });
}

// The same for codes under other parameters.
template <class T>
bool encode_bytes(const Codes& out, const Reals& x, int64_t n, bool stream) {
  const Ratios ratios = Ratios::of_factor(x.scale / out.scale);
  if (ratios.kind == Ratios::Kind::none) return encode<T, int8_t>(out, x, n, stream);
  const Ints zero(x.zero);
  const T* const elements = static_cast<const T*>(x.elements);
  const auto whole = [&](int64_t i, auto access) __attribute__((always_inline)) {
    return convert<float>(convert<int32_t>(access.template load<step>(elements + i)) - zero);
  };
  const Source<T> source(x);
  const Divisor by(out, Double(out.scale));
  store_multiples(out, ratios, n, stream, whole, [&](int64_t i, auto access) __attribute__((always_inline)) {
    return join(by.nearest(source.at(i, 0, access)), by.nearest(source.at(i, 1, access)));
  });
  return false;
}

template <class F, class T, class Code>
void combine(const Codes& out, const Reals& x, const Reals& y, int64_t n, bool stream) {
  const Source<T> a(x), b(y);
  const Divisor by(out, Double(out.scale));
  const F f;
  store_codes<Code>(out, n, stream, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) {
      return by.nearest(f(a.at(i, k, access), b.at(i, k, access)));
    };
    return join(part(0), part(1));
  });
}

// The least and the greatest of what numbers(i, count) gives: those from i on, `count` of them counting, the others
// being numbers that count too.
template <class Numbers>
SUANZI_INLINE void widen_range(double* range, int64_t n, Numbers numbers) {
  Double low(range[0]), high(range[1]);
  for (int64_t i = 0; i < n; i += half) {
    // The last, partial vector is one that ends where they end, or is made of what there is.
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

// The first elements of fewer than a vector, and the first of them again in the lanes that are left.
template <class T>
SUANZI_INLINE Vec<T, half> load_few(const T* p, int64_t n) {
  return n < half ? Vec<T, half>::load_first(p, static_cast<int>(n), *p) : Vec<T, half>::load(p);
}

template <class F, class T>
void combined_range(double* range, const Reals& x, const Reals& y, int64_t n) {
  const Source<T> a(x), b(y);
  const T *const p = static_cast<const T*>(x.elements), *const q = static_cast<const T*>(y.elements);
  const F f;
  widen_range(range, n, [&](int64_t i) __attribute__((always_inline)) {
    return f(a.real(load_few(p + i, n)), b.real(load_few(q + i, n)));
  });
}

void range_of(double* range, const double* x, int64_t n) {
  widen_range(range, n, [&](int64_t i) __attribute__((always_inline)) { return load_few(x + i, n); });
}

template <class T, class Real>
void decode(void* out, const Reals& x, const float* scales, int64_t n, bool stream) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(Real));
  const T* const codes = static_cast<const T*>(x.elements);
  Real* const reals = static_cast<Real*>(out);
  const Vec<int32_t, N> zero(x.zero);
  const Vec<Real, N> scale(static_cast<Real>(x.scale));
  const auto store = [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto whole = convert<int32_t>(access.template load<N>(codes + i)) - zero;
    const auto centred = [&] {
      if constexpr (sizeof(Real) == 8) return convert<double>(whole);
      if constexpr (sizeof(Real) == 4) return convert<Real>(whole);
    }();
    access.store(centred * (scales ? convert<Real>(access.template load<N>(scales + i)) : scale), reals + i);
  };
  if (stream) {
    walk_streaming<N>(reals, n, store);
  } else {
    walk<N>(n, store);
  }
}

template <class T>
void fill_source(QuantizedKernels& table) {
  EncodeKernel* const row = table.encode[static_cast<int>(dtype_of<T>)];
  if constexpr (std::is_same_v<T, float>) {
    row[0] = encode_floats<int8_t>;
    row[1] = encode_floats<int16_t>;
  } else {
    if constexpr (sizeof(T) == 1) {
      row[0] = encode_bytes<T>;
    } else {
      row[0] = encode<T, int8_t>;
    }
    row[1] = encode<T, int16_t>;
  }
}

template <class F, class T>
void fill_operation(QuantizedKernels& table, Operation operation) {
  const auto op = quantized_place(operation), type = static_cast<int>(dtype_of<T>);
  if constexpr (sizeof(T) == 1) {
    table.combine[op][type][0] = combine_bytes<F, T>;
  } else {
    table.combine[op][type][0] = combine<F, T, int8_t>;
  }
  table.combine[op][type][1] = combine<F, T, int16_t>;
  table.combined_range[op][type] = combined_range<F, T>;
}

template <class T>
void fill_codes(QuantizedKernels& table) {
  using O = Operation;
  fill_operation<Add, T>(table, O::add);
  fill_operation<Subtract, T>(table, O::subtract);
  fill_operation<Multiply, T>(table, O::multiply);
  fill_operation<Maximum, T>(table, O::maximum);
  fill_operation<Minimum, T>(table, O::minimum);
  table.decode[static_cast<int>(dtype_of<T>)][0] = decode<T, float>;
  table.decode[static_cast<int>(dtype_of<T>)][1] = decode<T, double>;
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
  table.encode_each[0] = encode_each<int8_t>;
  table.encode_each[1] = encode_each<int16_t>;
  table.range = range_of;
  return table;
}

}  // namespace

void fill_quantized(KernelTable& table) {
  static const QuantizedKernels kernels = build();
  table.quantized = &kernels;
}

}  // namespace suanzi::SUANZI_LEVEL
