#include "ops/arrange/range.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/kernel.h"
#include "ops/elementwise/fits.h"
#include "runtime/threads.h"

namespace suanzi {
namespace {

constexpr int64_t piece_elements = 1024;

// Fills a new vector with elements of type T, converted to `dtype`. write(values, first, n) writes the elements [first,
// first + n) of the vector.
template <class T, class Write>
Tensor generate_pieces(const char* op, int64_t count, DType dtype, Write&& write) {
  const Tensor result = make_empty(op, {count}, dtype);
  const Kernel convert = kernels().convert[static_cast<int>(dtype_of<T>)][static_cast<int>(dtype)];
  const int64_t pieces = (count + piece_elements - 1) / piece_elements;
  parallel_for(pieces, [&](int64_t piece) {
    T values[piece_elements];
    const int64_t first = piece * piece_elements, n = std::min(piece_elements, count - first);
    write(values, first, n);
    const void* source = values;
    convert(result.data + first * size_of(dtype), &source, n, {});
  });
  return result;
}

// Returns a tensor of `count` elements value(0), value(1), …
template <class T, class Value>
Tensor generate(const char* op, int64_t count, DType dtype, Value&& value) {
  return generate_pieces<T>(op, count, dtype, [&](T* values, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; ++i) values[i] = value(first + i);
  });
}

// Returns the scalar as an exact integer. Integers beyond 2^100 become 2^100 or -2^100, so that one further step from
// the last element of any type does not reach these bounds.
__int128 exact(const Scalar& s) {
  constexpr double far = 0x1p100;
  auto magnitude = static_cast<__int128>(s.magnitude);
  if (s.huge) {
    // The last 64 bits correct the double, which is less than 2^63 away from the integer.
    const double near = std::min(std::fabs(s.value.real()), far);
    magnitude = static_cast<__int128>(near);
    if (near < far) magnitude += static_cast<int64_t>(s.last_bits - static_cast<uint64_t>(magnitude));
  }
  return s.negative ? -magnitude : magnitude;
}

// Returns the number of integers a, a + c, a + 2 c, … before b.
__int128 count_of(__int128 a, __int128 b, __int128 c) {
  const __int128 span = c > 0 ? b - a : a - b, stride = c > 0 ? c : -c;
  return span > 0 ? (span + stride - 1) / stride : 0;
}

int64_t checked_length(double length) {
  if (!(length < 9e18)) fail(Status::alloc_failed, "arange: ", length, " elements are more than can be addressed");
  return length > 0 ? static_cast<int64_t>(length) : 0;
}

Tensor arange_integers(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype) {
  const __int128 a = exact(start), b = exact(stop), c = exact(step);
  const __int128 count = count_of(a, b, c);
  if (count > 0) {
    for (const __int128 end : {a, a + (count - 1) * c}) require_fit("arange", fit_of(end, dtype), text_of(end), dtype);
  }
  const int64_t n = checked_length(static_cast<double>(count));
  const auto first = static_cast<uint64_t>(a), gap = static_cast<uint64_t>(c);
  const auto value = [=](int64_t i) { return first + gap * static_cast<uint64_t>(i); };
  if (kind(dtype) == Kind::unsigned_integer) return generate<uint64_t>("arange", n, dtype, value);
  return generate<int64_t>("arange", n, dtype, [=](int64_t i) { return static_cast<int64_t>(value(i)); });
}

// Returns the number of steps from start to stop. The function computes in float64, and halves start and stop if their
// difference overflows.
double steps_between(double start, double stop, double step) {
  const double span = stop - start;
  return std::isfinite(span) ? span / step : (stop / 2 - start / 2) / step * 2;
}

// Returns the number of steps from start to stop for complex numbers. The quotient must be real except for rounding,
// which means that stop is on the line from start along step.
double steps_between(std::complex<double> start, std::complex<double> stop, std::complex<double> step) {
  if (start.imag() == 0 && stop.imag() == 0 && step.imag() == 0)
    return steps_between(start.real(), stop.real(), step.real());
  constexpr double rounding = 1e-12;
  const double unit = std::max(std::abs(step.real()), std::abs(step.imag()));
  const double a = step.real() / unit, b = step.imag() / unit, square = a * a + b * b;
  const double x = steps_between(start.real(), stop.real(), unit), y = steps_between(start.imag(), stop.imag(), unit);
  const double along = (x * a + y * b) / square, across = (y * a - x * b) / square;
  if (std::abs(across) > rounding * std::max(1.0, std::abs(along)))
    fail(Status::invalid_argument, "arange: stop ", text_of(Scalar::of(stop)), " is not on the line from start ",
         text_of(Scalar::of(start)), " along step ", text_of(Scalar::of(step)));
  return along;
}

// Fails if the number is finite, but too large for a floating or complex type.
void require_held(const Scalar& s, DType dtype) {
  for (const double part : {s.value.real(), s.value.imag()})
    if (const Fit fit = fit_of(part, dtype); fit != Fit::held) require_fit("arange", fit, text_of(s), dtype);
}

// Returns the elements of a range in a floating or complex type. Fails unless the type holds the bounds, the step and
// the last element.
template <class T>
Tensor arange_floating(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype) {
  for (const Scalar* s : {&start, &stop, &step}) require_held(*s, dtype);
  const auto number = [](const Scalar& s) {
    if constexpr (std::is_same_v<T, double>)
      return s.value.real();
    else
      return s.value;
  };
  const T first = number(start), gap = number(step);
  const auto is_integer = [](const Scalar& s) {
    return s.kind == Scalar::Kind::integer && std::fabs(s.value.real()) < 0x1p100;
  };
  const bool are_exact = is_integer(start) && is_integer(stop) && is_integer(step);
  const int64_t n = checked_length(are_exact ? static_cast<double>(count_of(exact(start), exact(stop), exact(step)))
                                             : std::ceil(steps_between(first, number(stop), gap)));
  if (are_exact && std::abs(first) + static_cast<double>(n) * std::abs(gap) > 0x1p53) {
    // Arithmetic in float64 would round the integers, and would round each sum again.
    const __int128 a = exact(start), c = exact(step);
    return generate<T>("arange", n, dtype, [=](int64_t i) { return T(static_cast<double>(a + c * i)); });
  }
  const auto value = [=](int64_t i) { return first + static_cast<double>(i) * gap; };
  // The product of the index and the step overflows if the range extends from one end of float64 to the other end.
  if (n > 0 && !std::isfinite(std::abs(value(n - 1)))) {
    return generate<T>("arange", n, dtype,
                       [=](int64_t i) { return (first / 2.0 + static_cast<double>(i) * (gap / 2.0)) * 2.0; });
  }
  if (n > 0) require_held(Scalar::of(value(n - 1)), dtype);
  return generate<T>("arange", n, dtype, value);
}

// Returns a floating number, which must be whole, as an integer. Returns scalars of other kinds unchanged.
Scalar as_integer(const Scalar& s) {
  if (s.kind != Scalar::Kind::floating) return s;
  const double value = s.value.real(), size = std::fabs(value);
  Scalar integer{Scalar::Kind::integer, value < 0, size >= 0x1p64, 0, {value}};
  integer.magnitude = integer.huge ? std::bit_cast<uint64_t>(value) : static_cast<uint64_t>(size);
  if (size < 0x1p127) integer.last_bits = static_cast<uint64_t>(static_cast<__int128>(size));
  return integer;
}

bool is_finite(const Scalar& s) { return std::isfinite(s.value.real()) && std::isfinite(s.value.imag()); }

}  // namespace

Tensor arange(const Scalar& from, const Scalar& to, const Scalar& by, DType dtype) {
  if (kind(dtype) == Kind::boolean || dtype == DType::string)
    fail(Status::type_mismatch, "arange: element type ", name(dtype), " is not one of integer, floating, complex");
  for (const Scalar* s : {&from, &to, &by}) {
    if (is_integer(dtype) && s->kind == Scalar::Kind::floating && is_finite(*s) &&
        s->value.real() != std::trunc(s->value.real()))
      fail(Status::type_mismatch, "arange: ", text_of(*s), " is not an integer, as element type ", name(dtype),
           " needs");
  }
  const bool whole = is_integer(dtype) && is_finite(from) && is_finite(to) && is_finite(by);
  const Scalar start = whole ? as_integer(from) : from, stop = whole ? as_integer(to) : to,
               step = whole ? as_integer(by) : by;
  for (const Scalar* s : {&start, &stop, &step}) {
    if (s->kind == Scalar::Kind::complex && !is_complex(dtype))
      fail(Status::type_mismatch, "arange: ", text_of(*s), " is complex and cannot become ", name(dtype));
    if (s->huge && (is_integer(dtype) ? s != &stop : !is_finite(*s)))
      fail(Status::out_of_range, "arange: ", text_of(*s), " does not fit ", name(dtype));
    if (!is_finite(*s)) fail(Status::invalid_argument, "arange: ", text_of(*s), " is not a finite bound or step");
  }
  if (step.value == 0.0) fail(Status::invalid_argument, "arange: step must not be zero");
  // For integer types, the code computes the elements exactly. For floating types, the code computes the values in
  // float64.
  if (is_integer(dtype)) return arange_integers(start, stop, step, dtype);
  if (is_complex(dtype)) return arange_floating<std::complex<double>>(start, stop, step, dtype);
  return arange_floating<double>(start, stop, step, dtype);
}

// Magnitudes grow from zero towards both ends of the range. After an element that is rounded, at least one of
// any two consecutive elements is rounded too, because two consecutive exact elements would make the step and all
// earlier elements exact. Testing the two elements at each end is therefore enough.
std::optional<Scalar> inexact_element(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype) {
  for (const Scalar* s : {&start, &stop, &step})
    if (s->kind != Scalar::Kind::integer && s->kind != Scalar::Kind::boolean) return std::nullopt;
  const __int128 a = exact(start), c = exact(step);
  if (c == 0) return std::nullopt;  // the caller refuses a step of 0
  const __int128 count = count_of(a, exact(stop), c);
  for (const __int128 i : {__int128{0}, __int128{1}, count - 2, count - 1}) {
    if (i < 0 || i >= count) continue;
    const __int128 element = a + i * c, size = element < 0 ? -element : element;
    Scalar s{Scalar::Kind::integer, element < 0, size >> 64 != 0, static_cast<uint64_t>(size), {0.0}};
    s.value = static_cast<double>(element);
    if (s.huge) s.magnitude = std::bit_cast<uint64_t>(s.value.real());
    const bool is_rounded = s.huge && static_cast<__int128>(s.value.real()) != element;
    if (is_rounded || !is_exact(s, dtype)) return s;
  }
  return std::nullopt;
}

Tensor linspace(const Scalar& start, const Scalar& stop, int64_t count, DType dtype) {
  if (!is_floating(dtype) && !is_complex(dtype))
    fail(Status::type_mismatch, "linspace: element type ", name(dtype), " is not one of floating, complex");
  if (count < 0) fail(Status::invalid_argument, "linspace: num = ", count, " is negative");
  const std::complex<double> a = start.value, b = stop.value;
  if (!is_complex(dtype) && (start.kind == Scalar::Kind::complex || stop.kind == Scalar::Kind::complex))
    fail(Status::type_mismatch, "linspace: complex ends do not fit ", name(dtype));
  if (!is_finite(start) || !is_finite(stop)) fail(Status::invalid_argument, "linspace: both ends must be finite");
  for (const double end : {a.real(), a.imag(), b.real(), b.imag()})
    if (fit_of(end, dtype) != Fit::held)
      fail(Status::invalid_argument, "linspace: ", text_of(end), " is past the greatest number of ", name(dtype));
  // A weighted sum of the two ends cannot overflow, but the difference of the two ends could overflow.
  const double last = static_cast<double>(count - 1);
  const auto weight = [=](int64_t i) { return count > 1 ? static_cast<double>(i) / last : 0.0; };
  const auto between = [=](double from, double to, int64_t i) {
    if (i + 1 == count && count > 1) return to;
    const double span = to - from;
    return std::isfinite(span) ? from + weight(i) * span : from * (1 - weight(i)) + to * weight(i);
  };
  if (is_complex(dtype)) {
    return generate<std::complex<double>>("linspace", count, dtype, [=](int64_t i) {
      return std::complex<double>(between(a.real(), b.real(), i), between(a.imag(), b.imag(), i));
    });
  }
  const double from = a.real(), to = b.real(), span = to - from;
  if (count < 2 || !std::isfinite(span))
    return generate<double>("linspace", count, dtype, [=](int64_t i) { return between(from, to, i); });
  // Computes the values of `between` without branches and with 32-bit integers, so that compilers can use vectors.
  return generate_pieces<double>("linspace", count, dtype, [=](double* values, int64_t first, int64_t n) {
    const auto start = static_cast<double>(first);
    for (int32_t i = 0; i < static_cast<int32_t>(n); ++i)
      values[i] = from + (start + static_cast<double>(i)) / last * span;
    if (first + n == count) values[n - 1] = to;
  });
}

}  // namespace suanzi
