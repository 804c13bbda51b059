// Complex mathematical functions: special values by Annex G of the C standard but where the array API differs,
// complex64 computed in complex128 and rounded once. What the C library lacks or does too coarsely is written out here.
#include "ops/elementwise/complex_functions.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace suanzi {
namespace {

using Complex = std::complex<double>;

// A sum of float64 values and the rounding error of the sum so far (Knuth's two-sum, TAOCP vol. 2, 4.2.2).
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

// log|1 + z| = log1p(2x + x^2 + y^2) / 2, the sum carried exactly enough to survive its cancellation near the circle
// |1 + z| = 1.
Complex log1p(Complex z) {
  const double x = z.real(), y = z.imag();
  const double modulus = std::hypot(1 + x, y);
  const double argument = std::atan2(y, 1 + x);
  if (!(modulus > 0.5 && modulus < 2)) return {std::log(1.0 + z).real(), argument};
  Compensated sum;
  sum.add(2 * x);
  sum.add_square(x);
  sum.add_square(y);
  return {0.5 * (std::log1p(sum.value) + sum.error / (1 + sum.value)), argument};
}

// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2), in which nothing cancels near z = 0. Along e^x cos y = 1 the two
// terms do; long double, where it is wider than double, keeps some bits there.
Complex expm1(Complex z) {
  const double x = z.real(), y = z.imag();
  if (!std::isfinite(x) || !std::isfinite(y) || x > 700) return std::exp(z) - 1.0;
  if (y == 0) return {std::expm1(x) + 0.0, y};  // 0 also where x is -0
  const long double wide_x = x, wide_y = y, s = std::sin(wide_y / 2);
  const long double re = std::expm1(wide_x) * std::cos(wide_y) - 2 * s * s;
  return {static_cast<double>(re), std::exp(x) * std::sin(y)};
}

// At infinity the imaginary part is a zero of the sign of z's, where the C library gives it that of sin(2 im z).
Complex tanh(Complex z) {
  if (!std::isinf(z.real()) || !std::isfinite(z.imag())) return std::tanh(z);
  return {std::copysign(1.0, z.real()), std::copysign(0.0, z.imag())};
}
// -i tanh(i z)
Complex tan(Complex z) {
  if (!std::isinf(z.imag()) || !std::isfinite(z.real())) return std::tan(z);
  return {std::copysign(0.0, z.real()), std::copysign(1.0, z.imag())};
}

// A logarithm to another base: from the base's own function where the modulus is not near 1, so that powers of the
// base come out whole.
template <double (*log_real)(double)>
Complex log_base(Complex z, double log_e) {
  const Complex natural = std::log(z);
  const double modulus = std::hypot(z.real(), z.imag());
  const bool direct = (modulus < 0.5 || modulus > 2) && modulus <= std::numeric_limits<double>::max();
  return {direct && modulus >= std::numeric_limits<double>::min() ? log_real(modulus) : natural.real() * log_e,
          natural.imag() * log_e};
}
Complex log2(Complex z) { return log_base<std::log2>(z, std::numbers::log2e); }
Complex log10(Complex z) { return log_base<std::log10>(z, std::numbers::log10e); }

// z^n by squaring, for the small whole n that need no logarithm.
std::complex<long double> whole_power(std::complex<long double> z, int n) {
  unsigned rest = static_cast<unsigned>(n < 0 ? -n : n);
  for (; rest % 2 == 0; rest /= 2) z *= z;
  std::complex<long double> result = z;
  while (rest /= 2) {
    z *= z;
    if (rest % 2 != 0) result *= z;
  }
  return n < 0 ? 1.0L / result : result;
}

// exp(w log z) magnifies the error of the logarithm by |w log z|; long double has bits to spare for that where it is
// wider than double.
Complex pow(Complex z, Complex w) {
  if (w == 0.0) return 1;
  if (z == 0.0 && w.real() > 0) return 0;
  const std::complex<long double> base(z.real(), z.imag()), exponent(w.real(), w.imag());
  if (w.imag() == 0 && std::abs(w.real()) <= 64 && w.real() == std::trunc(w.real())) {
    const auto r = whole_power(base, static_cast<int>(w.real()));
    return {static_cast<double>(r.real()), static_cast<double>(r.imag())};
  }
  const auto r = std::exp(exponent * std::log(base));
  return {static_cast<double>(r.real()), static_cast<double>(r.imag())};
}

Complex rsqrt(Complex z) { return 1.0 / std::sqrt(z); }

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
  // The function of that name above, or else, as the argument's type tells, the C library's.
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
