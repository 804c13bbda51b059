// The elementwise operations on complex64 and complex128. Operations that treat each part by itself run the real kernel
// on twice as many elements. The mathematical functions are in complex_functions.cpp, which is compiled once for all
// levels.
#include "simd/complex.h"
#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/elementwise/complex_functions.h"
#include "ops/elementwise/functors.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct MultiplyAdd {
  template <class Z>
  SUANZI_INLINE Z operator()(Z a, Z b, Z c) const {
    return a * b + c;
  }
};

struct Square {
  template <class Z>
  SUANZI_INLINE Z operator()(Z a) const {
    // The product (re - im) (re + im) is also correct if the two squares overflow, or if the two squares are nearly
    // equal.
    using Part = typename Z::part;
    const Part difference = a.re - a.im, sum = a.re + a.im, product = a.re * a.im;
    const auto same = (difference == Part(0)) | (sum == Part(0));
    return {select(same, Part(0), difference * sum), product + product};
  }
};

struct Cube {
  template <class Z>
  SUANZI_INLINE Z operator()(Z a) const {
    return a * a * a;
  }
};

struct Conjugate {
  template <class Z>
  SUANZI_INLINE Z operator()(Z a) const {
    return conj(a);
  }
};

// The functions below compute in float64 (`in_float64`). T is the type of the parts of the complex numbers. The range
// of float64 holds the square of every float32. If T is float64, the functions must scale the parts.

// Returns the power of two that scales the larger part of z to a number near 1. Multiplication by this power is exact,
// and the inverse of this power is also a power of two.
template <class T, int N>
SUANZI_INLINE Vec<double, N> scale_of(ComplexVec<double, N> z) {
  if constexpr (std::is_same_v<T, float>) {
    return Vec<double, N>(1.0);
  } else {
    using Bits = Vec<int64_t, N>;
    constexpr int64_t one = int64_t(1) << 52;  // the lowest bit of the exponent
    const Bits exponent = bit_cast<int64_t>(max(abs(z.re), abs(z.im))) & Bits(0x7ff * one);
    return bit_cast<double>(Bits(2046 * one) - max(min(exponent, Bits(2045 * one)), Bits(one)));
  }
}
template <int N>
SUANZI_INLINE Vec<double, N> inverse_of_power(Vec<double, N> power) {
  return bit_cast<double>(Vec<int64_t, N>(int64_t(2046) << 52) - bit_cast<int64_t>(power));
}

template <int N>
SUANZI_INLINE Vec<double, N> norm(ComplexVec<double, N> z) {
  return z.re * z.re + z.im * z.im;
}

template <class T, int N>
SUANZI_INLINE Vec<double, N> modulus(ComplexVec<double, N> z) {
  const Vec<double, N> scale = scale_of<T>(z);
  const Vec<double, N> r = sqrt(norm(z * scale)) * inverse_of_power(scale);
  return select(isinf(z), __builtin_inf(), r);
}

// Repairs the quotients x / 0, infinite / finite and finite / infinite. For these quotients, the formula returns NaN +
// NaN i, but C99 (Annex G.5.1) defines a result.
template <int N>
[[gnu::cold]] ComplexVec<double, N> repair_quotient(ComplexVec<double, N> q, ComplexVec<double, N> a,
                                                    ComplexVec<double, N> b) {
  using V = Vec<double, N>;
  using Z = ComplexVec<double, N>;
  const V zero(0.0), infinity(__builtin_inf());
  const auto unit = [&](V x) { return copysign(select(abs(x) == infinity, V(1.0), zero), x); };
  const auto lost = (q.re != q.re) & (q.im != q.im);
  const auto divisor_is_zero = (b.re == zero) & (b.im == zero);
  const Z by_zero = a * copysign(infinity, b.re);
  const Z of_infinite = (Z{unit(a.re), unit(a.im)} * conj(b)) * infinity;
  const Z by_infinite = (a * conj(Z{unit(b.re), unit(b.im)})) * zero;
  q = select(lost & divisor_is_zero, by_zero, q);
  q = select(lost & isinf(a) & isfinite(b) & ~divisor_is_zero, of_infinite, q);
  return select(lost & isfinite(a) & isinf(b), by_infinite, q);
}

// Returns the quotient a / b, computed as a conj(b) / |b|^2. If T is float64, the function scales b to a size near 1,
// and scales a away from the ends of the range.
template <class T, int N>
SUANZI_INLINE ComplexVec<double, N> quotient(ComplexVec<double, N> a, ComplexVec<double, N> b) {
  using V = Vec<double, N>;
  using Z = ComplexVec<double, N>;
  Z q;
  if constexpr (std::is_same_v<T, float>) {
    q = (a * conj(b)) * (V(1.0) / norm(b));
  } else {
    const V scale = scale_of<T>(b), size = max(abs(a.re), abs(a.im));
    const V step = select(size > V(0x1p1000), V(0x1p-8), select(size < V(0x1p-900), V(0x1p120), V(1.0)));
    const Z scaled = b * scale, product = (a * step) * conj(scaled);
    const V divisor = norm(scaled);
    q = Z{product.re / divisor, product.im / divisor} * scale * inverse_of_power(step);
  }
  return any(isnan(q)) ? repair_quotient(q, a, b) : q;
}

template <class T>
struct Divide {
  static constexpr bool in_float64 = true;
  template <class Z>
  SUANZI_INLINE Z operator()(Z a, Z b) const {
    return quotient<T>(a, b);
  }
};

template <class T>
struct Reciprocal {
  static constexpr bool in_float64 = true;
  template <class Z>
  SUANZI_INLINE Z operator()(Z a) const {
    return quotient<T>(Z{typename Z::part(1.0), typename Z::part(0.0)}, a);
  }
};

template <class T>
struct Absolute {
  static constexpr bool in_float64 = true;
  template <class Z>
  SUANZI_INLINE typename Z::part operator()(Z a) const {
    return modulus<T>(a);
  }
};

template <class T>
struct Sign {
  static constexpr bool in_float64 = true;
  template <class Z>
  SUANZI_INLINE Z operator()(Z a) const {
    using V = typename Z::part;
    const V zero(0.0), infinity(__builtin_inf());
    if (const auto infinite = isinf(a); any(infinite)) [[unlikely]] {
      // `unit` replaces an infinite part by 1 or -1, replaces a finite part by a zero, and returns NaN for NaN.
      const auto unit = [&](V x) { return select(abs(x) == infinity, copysign(V(1.0), x), x * zero); };
      a = select(infinite, Z{unit(a.re), unit(a.im)}, a);
    }
    const Z scaled = a * scale_of<T>(a);
    const V r = sqrt(norm(scaled));
    return {select(r == zero, zero, scaled.re / r), select(r == zero, zero, scaled.im / r)};
  }
};

template <class T>
struct IsClose {
  static constexpr bool in_float64 = true;
  double absolute, relative;
  bool equal_nan;
  explicit IsClose(const KernelParams& p) : absolute(p.real[0]), relative(p.real[1]), equal_nan(p.integer[0] != 0) {}
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a, Z b) const {
    using V = typename Z::part;
    const auto close = (modulus<T>(a - b) <= V(absolute) + V(relative) * modulus<T>(b)) & isfinite(b);
    const auto same = close | (a == b);
    return equal_nan ? same | (isnan(a) & isnan(b)) : same;
  }
};

template <class Z>
SUANZI_INLINE typename Z::mask truth(Z z) {
  const typename Z::part zero(typename Z::element(0));
  return (z.re != zero) | (z.im != zero);
}

struct Equal {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a, Z b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a, Z b) const {
    return ~(a == b);
  }
};
struct IsFinite {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a) const {
    return isfinite(a);
  }
};
struct IsInf {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a) const {
    return isinf(a);
  }
};
struct IsNan {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a) const {
    return isnan(a);
  }
};
struct LogicalAnd {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a, Z b) const {
    return truth(a) & truth(b);
  }
};
struct LogicalOr {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a, Z b) const {
    return truth(a) | truth(b);
  }
};
struct LogicalXor {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a, Z b) const {
    return truth(a) ^ truth(b);
  }
};
struct LogicalNot {
  template <class Z>
  SUANZI_INLINE typename Z::mask operator()(Z a) const {
    return ~truth(a);
  }
};

// These functions load and store complex numbers in the same way as Whole and First load and store real numbers.
template <int N, class T>
SUANZI_INLINE ComplexVec<T, N> load(Whole, const T* p, int skip = 0) {
  return ComplexVec<T, N>::load(p + 2 * skip);
}
template <int N, class T>
SUANZI_INLINE ComplexVec<T, N> load(First access, const T* p, int skip = 0) {
  const int64_t left = access.count - skip;
  if (left >= N) return ComplexVec<T, N>::load(p + 2 * skip);
  return left > 0 ? ComplexVec<T, N>::load_first(p + 2 * skip, static_cast<int>(left))
                  : ComplexVec<T, N>::load_first(p, 0);
}
template <class T, int N>
SUANZI_INLINE void store(Whole, ComplexVec<T, N> z, T* p) {
  z.store(p);
}
template <class T, int N>
SUANZI_INLINE void store(First access, ComplexVec<T, N> z, T* p) {
  z.store_first(p, static_cast<int>(access.count));
}

// Writes out[i] = f(in[i]...) for n complex numbers with parts of type T. The function computes N numbers at a time,
// with parts of type Work.
template <class Work, int N, class F, class T, class... In>
SUANZI_INLINE void apply_complex(F f, T* out, int64_t n, const In&... in) {
  using R = decltype(f(convert<Work>(load<N>(Whole{}, in.at(0)))...));
  constexpr int bytes = mask_bytes<R>;
  walk<N * vectors_of_step<R>>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const auto part = [&](int k) __attribute__((always_inline)) {
      return f(convert<Work>(load<N>(access, in.at(i), k * N))...);
    };
    if constexpr (bytes > 0) {
      access.store(zeros_and_ones(narrow_all<bytes>(part)), reinterpret_cast<uint8_t*>(out) + i);
    } else if constexpr (std::is_same_v<R, Vec<Work, N>>) {
      access.store(convert<T>(part(0)), out + i);
    } else {
      store(access, convert<T>(part(0)), out + 2 * i);
    }
  });
}

template <class F, class T>
void complex_kernel(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  using Work = std::conditional_t<requires { F::in_float64; }, double, T>;
  constexpr int N = vector_bytes / static_cast<int>(sizeof(Work));
  using Z = ComplexVec<Work, N>;
  using Operand = Either<T, vector_bytes, 2>;
  const F f = make_functor<F>(params);
  T* const target = static_cast<T*>(out);
  const Operand a(in[0], params.is_constant(0), n);
  if constexpr (std::is_invocable_v<const F&, Z>) {
    apply_complex<Work, N>(f, target, n, a);
  } else {
    const Operand b(in[1], params.is_constant(1), n);
    if constexpr (std::is_invocable_v<const F&, Z, Z>) {
      apply_complex<Work, N>(f, target, n, a, b);
    } else {
      apply_complex<Work, N>(f, target, n, a, b, Operand(in[2], params.is_constant(2), n));
    }
  }
}

template <class T>
void join_parts(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  const Either<T, N> re(in[0], params.is_constant(0), n), im(in[1], params.is_constant(1), n);
  walk<N>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    const ComplexVec<T, N> z = {re.template load<N>(access, i, 0), im.template load<N>(access, i, 0)};
    store(access, z, static_cast<T*>(out) + 2 * i);
  });
}

// Computes powers. If the call passes the exponent 3 as a number, a special functor needs fewer operations.
template <class T>
void power(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  if (params.real[0] == 3) return complex_kernel<Cube, T>(out, in, n, params);
  complex_power<T>(out, in, n, params);
}

template <Operation op, DType real>
void on_parts(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  table().elementwise[static_cast<int>(op)][static_cast<int>(real)](out, in, 2 * n, params);
}

// The kernel for two operands runs the real kernel on the parts of both operands. If an operand is constant, the
// complex functor F computes the results, because a constant operand is a pair of numbers that alternate.
template <Operation op, class F, class T>
void on_parts_of_both(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  if (params.constants != 0) return complex_kernel<F, T>(out, in, n, params);
  on_parts<op, dtype_of<T>>(out, in, n, params);
}

template <class F>
void fill(KernelTable& table, Operation op) {
  set(table, op, DType::complex64, complex_kernel<F, float>);
  set(table, op, DType::complex128, complex_kernel<F, double>);
}

template <template <class> class F>
void fill_in_float64(KernelTable& table, Operation op) {
  set(table, op, DType::complex64, complex_kernel<F<float>, float>);
  set(table, op, DType::complex128, complex_kernel<F<double>, double>);
}

template <Operation op>
void fill_on_parts(KernelTable& table) {
  set(table, op, DType::complex64, on_parts<op, DType::float32>);
  set(table, op, DType::complex128, on_parts<op, DType::float64>);
}

template <Operation op, class F>
void fill_on_parts_of_both(KernelTable& table) {
  set(table, op, DType::complex64, on_parts_of_both<op, F, float>);
  set(table, op, DType::complex128, on_parts_of_both<op, F, double>);
}

}  // namespace

void fill_complex(KernelTable& table) {
  fill_on_parts_of_both<Operation::add, Add>(table);
  fill_on_parts_of_both<Operation::subtract, Subtract>(table);
  fill_on_parts<Operation::negative>(table);
  fill_on_parts<Operation::rint>(table);
  fill_on_parts<Operation::round>(table);
  fill<Multiply>(table, Operation::multiply);
  fill<MultiplyAdd>(table, Operation::multiply_add);
  fill<Square>(table, Operation::square);
  set(table, Operation::pow, DType::complex64, power<float>);
  set(table, Operation::pow, DType::complex128, power<double>);
  fill_in_float64<Divide>(table, Operation::true_divide);
  fill_in_float64<Reciprocal>(table, Operation::reciprocal);
  fill<Conjugate>(table, Operation::conj);
  fill_in_float64<Absolute>(table, Operation::abs);
  fill_in_float64<Sign>(table, Operation::sign);
  fill<Equal>(table, Operation::equal);
  fill<NotEqual>(table, Operation::not_equal);
  fill_in_float64<IsClose>(table, Operation::isclose);
  fill<IsFinite>(table, Operation::isfinite);
  fill<IsInf>(table, Operation::isinf);
  fill<IsNan>(table, Operation::isnan);
  fill<LogicalAnd>(table, Operation::logical_and);
  fill<LogicalOr>(table, Operation::logical_or);
  fill<LogicalXor>(table, Operation::logical_xor);
  fill<LogicalNot>(table, Operation::logical_not);
  set(table, Operation::complex, DType::float32, join_parts<float>);
  set(table, Operation::complex, DType::float64, join_parts<double>);
  fill_complex_functions(table);
}

}  // namespace suanzi::SUANZI_LEVEL
