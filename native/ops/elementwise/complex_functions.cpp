// Complex mathematical functions. Special values follow Annex G of the C standard except where the array API differs.
// complex64 is computed in complex128 and rounded once. This file implements the functions that the C library lacks,
// and the functions that the C library computes with large errors or with other special values.
#include "ops/elementwise/complex_functions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "base/double_double.h"

namespace suanzi {
namespace {

using Complex = std::complex<double>;

// The functions below call the functions of the C library directly, because C++ libraries may use other formulas. One
// of these formulas computes an arcsine with an error of 80 units in the last place.
_Complex double of_c(Complex z) {
  _Complex double same;
  __real__ same = z.real();
  __imag__ same = z.imag();
  return same;
}
#define SUANZI_OF_THE_C_LIBRARY(name)               \
  Complex name(Complex z) {                         \
    const auto result = __builtin_c##name(of_c(z)); \
    return {__real__ result, __imag__ result};      \
  }
SUANZI_OF_THE_C_LIBRARY(exp)
SUANZI_OF_THE_C_LIBRARY(log)
SUANZI_OF_THE_C_LIBRARY(sqrt)
SUANZI_OF_THE_C_LIBRARY(sin)
SUANZI_OF_THE_C_LIBRARY(cos)
SUANZI_OF_THE_C_LIBRARY(sinh)
SUANZI_OF_THE_C_LIBRARY(cosh)
SUANZI_OF_THE_C_LIBRARY(asin)
SUANZI_OF_THE_C_LIBRARY(acos)
SUANZI_OF_THE_C_LIBRARY(atan)
SUANZI_OF_THE_C_LIBRARY(asinh)
SUANZI_OF_THE_C_LIBRARY(acosh)
SUANZI_OF_THE_C_LIBRARY(atanh)
namespace c_library {
SUANZI_OF_THE_C_LIBRARY(tan)
SUANZI_OF_THE_C_LIBRARY(tanh)
}  // namespace c_library
#undef SUANZI_OF_THE_C_LIBRARY

// A sum of float64 values, and the rounding error of the sum (Knuth's two-sum, TAOCP vol. 2, 4.2.2).
struct Compensated {
  double value = 0, error = 0;
  void add(double x) {
    const double sum = value + x;
    const double part = sum - value;
    error += (value - (sum - part)) + (x - part);
    value = sum;
  }
  void add_square(double x) {
    const double square = x * x;
    add(square);
    error += std::fma(x, x, -square);
  }
};

// An angle as quarters of a turn and a remainder of at most an eighth of a turn. The sine of the remainder has more
// than float64 precision.
struct Turned {
  int quarters;  // at least 0
  Sine rest;
  DoubleDouble part(int number) const {
    const DoubleDouble found = number % 2 == 0 ? rest.sine : 1 - rest.versine;
    return number % 4 < 2 ? found : -found;
  }
  DoubleDouble sine() const { return part(quarters); }
  DoubleDouble cosine() const { return part(quarters + 1); }
};
Turned turn(DoubleDouble angle) {
  constexpr double parts[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110,
                              0x1.4cf98e804177dp-164};  // π / 2 in parts
  if (std::abs(angle.hi) > 0x1p50) {
    const double half = std::sin(0.5 * angle.hi);
    return {0, {std::sin(angle.hi), 2 * half * half}};
  }
  const double quarters = std::nearbyint(angle.hi / parts[0]);
  DoubleDouble rest = angle;
  for (const double part : parts) rest = rest - two_product(part, quarters);
  const int64_t turns = static_cast<int64_t>(quarters);
  return {static_cast<int>(turns & 3), suanzi::sine(rest)};
}

// Returns log(1 + z). The real part is log|1 + z| = log1p(2x + x^2 + y^2) / 2. The sum has enough digits for the
// cancellation near the circle |1 + z| = 1.
Complex log1p(Complex z) {
  const double x = z.real(), y = z.imag();
  const double modulus = std::hypot(1 + x, y);
  const double argument = std::atan2(y, 1 + x);
  if (!(modulus > 0.5 && modulus < 2)) return {log(1.0 + z).real(), argument};
  Compensated sum;
  sum.add(2 * x);
  sum.add_square(x);
  sum.add_square(y);
  return {0.5 * (std::log1p(sum.value) + sum.error / (1 + sum.value)), argument};
}

// Returns e^z - 1. The real part is e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2). In this formula, nothing cancels
// near z = 0. Near e^x cos y = 1, the two terms cancel. Double-double numbers have enough digits for this cancellation.
Complex expm1(Complex z) {
  const double x = z.real(), y = z.imag();
  if (!std::isfinite(x) || !std::isfinite(y) || x > 600) return exp(z) - 1.0;
  if (y == 0) return {std::expm1(x) + 0.0, y};  // adding 0 turns -0 into 0
  // For such small x and y, the double-double numbers below would underflow. The first two terms of the series are
  // exact enough.
  if (std::abs(x) < 0x1p-300 && std::abs(y) < 0x1p-300) return {x + 0.5 * (x - y) * (x + y), y + x * y};
  const double imaginary = std::exp(x) * std::sin(y);
  const Turned turned = turn(y);
  const Exponential e = exponential(std::max(x, -100.0));  // below -100, e^x - 1 differs from -1 by less than 2^-144
  const double power = std::ldexp(1.0, e.exponent);
  const DoubleDouble less_one = scaled(e.less_one, power) + (power - 1);
  // The angle is divided into quarters of a turn. The cosine of the angle is then the cosine or the sine of the
  // remainder.
  const DoubleDouble cosine = turned.cosine(), versine = turned.quarters % 4 == 0 ? turned.rest.versine : 1 - cosine;
  return {(less_one * cosine - versine).rounded(), imaginary};
}

// Returns tanh(z). At infinity, the imaginary part is a zero with the sign of z's imaginary part. The C library returns
// a zero with the sign of sin(2 im z).
Complex tanh(Complex z) {
  if (!std::isinf(z.real()) || !std::isfinite(z.imag())) return c_library::tanh(z);
  return {std::copysign(1.0, z.real()), std::copysign(0.0, z.imag())};
}
// Returns tan(z) = -i tanh(i z).
Complex tan(Complex z) {
  if (!std::isinf(z.imag()) || !std::isfinite(z.real())) return c_library::tan(z);
  return {std::copysign(0.0, z.real()), std::copysign(1.0, z.imag())};
}

// Returns a logarithm to another base. `log_real` is the real logarithm to this base, and `log_e` is the logarithm of e
// to this base. Unless the modulus of z is near 1, `log_real` computes the real part, so that powers of the base have
// whole logarithms.
template <double (*log_real)(double)>
Complex log_base(Complex z, double log_e) {
  const Complex natural = log(z);
  const double modulus = std::hypot(z.real(), z.imag());
  const bool direct = (modulus < 0.5 || modulus > 2) && modulus <= std::numeric_limits<double>::max();
  return {direct && modulus >= std::numeric_limits<double>::min() ? log_real(modulus) : natural.real() * log_e,
          natural.imag() * log_e};
}
Complex log2(Complex z) { return log_base<std::log2>(z, std::numbers::log2e); }
Complex log10(Complex z) { return log_base<std::log10>(z, std::numbers::log10e); }

// A complex number of double-double parts. If a part is zero, the sign of the zero is the sign of the result in float64
// arithmetic.
struct Wide {
  DoubleDouble re, im;
  Complex rounded() const { return {re.rounded(), im.rounded()}; }
};
DoubleDouble with_sign(DoubleDouble x, double rounded) { return x.hi == 0 ? DoubleDouble(rounded) : x; }
// Returns a b + c d with an error of about 2^-104 times the larger product.
DoubleDouble sum_of_products(DoubleDouble a, DoubleDouble b, DoubleDouble c, DoubleDouble d) {
  const DoubleDouble p = two_product(a.hi, b.hi), q = two_product(c.hi, d.hi), sum = two_sum(p.hi, q.hi);
  const double low = (a.hi * b.lo + a.lo * b.hi) + (c.hi * d.lo + c.lo * d.hi) + (p.lo + q.lo) + sum.lo;
  return with_sign(two_sum(sum.hi, low), p.hi + q.hi);
}
Wide operator*(Wide a, Wide b) {
  return {sum_of_products(a.re, b.re, -a.im, b.im), sum_of_products(a.re, b.im, a.im, b.re)};
}
Wide reciprocal(Wide z) {
  const DoubleDouble square = z.re * z.re + z.im * z.im;
  return {with_sign(z.re / square, z.re.hi), with_sign(-z.im / square, 0.0 * z.re.hi - z.im.hi)};
}

// Returns z^n, computed by squaring.
template <class Number>
Number whole_power(Number z, uint64_t n) {
  for (; n % 2 == 0; n /= 2) z = z * z;
  Number result = z;
  while (n /= 2) {
    z = z * z;
    if (n % 2 != 0) result = result * z;
  }
  return result;
}

// The number z 2^exponent. The operator * scales the product so that the greater part of the product's z is in [1, 2).
struct WideScaled {
  Wide z;
  __int128 exponent;
};
WideScaled operator*(const WideScaled& a, const WideScaled& b) {
  const auto [re, im] = a.z * b.z;
  const int shift = std::ilogb(std::max(std::abs(re.hi), std::abs(im.hi)));
  const double factor = std::scalbn(1.0, -shift);
  return {{scaled(re, factor), scaled(im, factor)}, a.exponent + b.exponent + shift};
}

// The number z / 2^exponent, whose greater part is in [1, 2). z must be finite and not 0.
struct Scaled {
  Complex z;
  int exponent;
};
Scaled normalised(Complex z) {
  const int exponent = std::ilogb(std::max(std::abs(z.real()), std::abs(z.imag())));
  return {{std::scalbn(z.real(), -exponent), std::scalbn(z.imag(), -exponent)}, exponent};
}

// Returns z as a scaled number, whose member z has a modulus between 0.7 and 1.5. If the modulus of the argument is
// near 1, the exponent is 0, so the logarithm of the modulus is not a difference of larger numbers.
Scaled near_circle(Complex z) {
  auto [unit, exponent] = normalised(z);
  return std::norm(unit) < 2 ? Scaled{unit, exponent} : Scaled{0.5 * unit, exponent + 1};
}

// Returns log z with more precision than float64, because `pow` computes the exponential of a multiple of log z. The
// function computes the logarithm and the angle in float64, and corrects the logarithm and the angle by their measured
// errors.
Wide logarithm(Complex z) {
  const auto [unit, exponent] = near_circle(z);
  const DoubleDouble x = unit.real(), y = unit.imag();
  const DoubleDouble less_one = (x * x - 1) + y * y;  // |unit|^2 - 1, without cancellation near the unit circle
  const double coarse = std::log1p(less_one.rounded());
  // The lines below use log(s) = c + log(s e^-c), where s e^-c - 1 = (s - 1) e^-c + (e^-c - 1).
  const Exponential e = exponential(-coarse);
  const double power = std::ldexp(1.0, e.exponent);
  const DoubleDouble inverse_less_one = scaled(e.less_one, power) + (power - 1);
  const DoubleDouble error = less_one * (inverse_less_one + 1) + inverse_less_one;
  const DoubleDouble of_square = coarse + (error - scaled(error * error, 0.5));
  const double angle = std::atan2(z.imag(), z.real());
  const Turned turned = turn(angle);
  const DoubleDouble cosine = turned.cosine(), sine = turned.sine();
  const DoubleDouble aside = (y * cosine - x * sine) / (x * cosine + y * sine);
  return {scaled(of_square, 0.5) + ln2 * exponent, angle == 0 ? DoubleDouble(angle) : DoubleDouble(angle) + aside};
}

// Returns e^z, rounded once.
Complex exponential_of(Wide z) {
  // If the real part were infinite, a product with 0 would be NaN. The code therefore clamps the real part. e^2000
  // overflows only in the scaling at the end.
  const double bounded = std::clamp(z.re.hi, -2000.0, 2000.0);
  const Exponential e = exponential(bounded == z.re.hi ? z.re : DoubleDouble(bounded));
  const DoubleDouble size = e.less_one + 1;
  const Turned turned = turn(z.im);
  const double re = (size * turned.cosine()).rounded(), im = (size * turned.sine()).rounded();
  return {std::scalbn(re, e.exponent), std::scalbn(z.im.hi == 0 ? z.im.hi : im, e.exponent)};
}

// Returns z^w. exp(w log z) magnifies the error of the logarithm by |w log z|, so the logarithm is computed with more
// than float64 precision.
Complex pow(Complex z, Complex w) {
  if (w == 0.0) return 1;
  if (z == 0.0 && w.real() > 0) return 0;
  const bool finite = std::isfinite(z.real()) && std::isfinite(z.imag()) && z != 0.0;
  const bool is_whole = w.imag() == 0 && w.real() == std::trunc(w.real());
  if (is_whole && !finite && std::abs(w.real()) <= 64) {
    const Complex power = whole_power(z, static_cast<uint64_t>(std::abs(w.real())));
    return w.real() < 0 ? 1.0 / power : power;
  }
  // The error of the power is about |w| 2^-104 times the power.
  if (is_whole && finite && std::abs(w.real()) < 0x1p63) {
    const auto [unit, exponent] = normalised(z);
    const auto [positive, of_unit] =
        whole_power(WideScaled{{unit.real(), unit.imag()}, 0}, static_cast<uint64_t>(std::abs(w.real())));
    const Complex power = (w.real() < 0 ? reciprocal(positive) : positive).rounded();
    const __int128 exponents = static_cast<__int128>(w.real()) * exponent + (w.real() < 0 ? -of_unit : of_unit);
    const int shift = static_cast<int>(std::clamp<__int128>(exponents, -10000, 10000));
    return {std::scalbn(power.real(), shift), std::scalbn(power.imag(), shift)};
  }
  constexpr double most = 0x1p900;  // exact products with a greater part of w could overflow
  if (!finite || !(std::abs(w.real()) < most && std::abs(w.imag()) < most)) return exp(w * log(z));
  return exponential_of(Wide{w.real(), w.imag()} * logarithm(z));
}

Complex rsqrt(Complex z) { return 1.0 / sqrt(z); }

template <class T, auto f>
void unary(void* out, const void* const* in, int64_t n, const KernelParams&) {
  const auto* z = static_cast<const std::complex<T>*>(in[0]);
  auto* result = static_cast<std::complex<T>*>(out);
  for (int64_t i = 0; i < n; ++i) result[i] = std::complex<T>(f(Complex(z[i])));
}

void set(KernelTable& table, Operation op, Kernel complex64, Kernel complex128) {
  table.elementwise[static_cast<int>(op)][static_cast<int>(DType::complex64)] = complex64;
  table.elementwise[static_cast<int>(op)][static_cast<int>(DType::complex128)] = complex128;
}

}  // namespace

void fill_complex_functions(KernelTable& table) {
  // Stores the kernels of a function. The kernels call the function `name` of this file, or the C library's function if
  // no function of this file accepts the argument's type.
#define SUANZI_UNARY(_, name)                                                  \
  set(table, Operation::name, unary<float, [](Complex z) { return name(z); }>, \
      unary<double, [](Complex z) { return name(z); }>);
  SUANZI_FUNCTIONS(SUANZI_UNARY, )
  SUANZI_UNARY(, sqrt)
#undef SUANZI_UNARY
}

template <class T>
void complex_power(void* out, const void* const* in, int64_t n, const KernelParams& params) {
  const auto* z = static_cast<const std::complex<T>*>(in[0]);
  const auto* w = static_cast<const std::complex<T>*>(in[1]);
  const int64_t step_z = params.step(0), step_w = params.step(1);
  auto* result = static_cast<std::complex<T>*>(out);
  for (int64_t i = 0; i < n; ++i) result[i] = std::complex<T>(pow(Complex(z[step_z * i]), Complex(w[step_w * i])));
}
template void complex_power<float>(void*, const void* const*, int64_t, const KernelParams&);
template void complex_power<double>(void*, const void* const*, int64_t, const KernelParams&);

}  // namespace suanzi
