#include "tile/range.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernel.h"
#include "runtime/threads.h"

namespace suanzi {
namespace {

constexpr int64_t piece_elements = 1024;

// Fills a new vector with value(0), value(1), …, computed in type T and converted to `dtype`.
template <class T, class Value>
Tensor generate(const char* op, int64_t count, DType dtype, Value&& value) {
  const Tensor result = make_empty(op, {count}, dtype);
  const Kernel convert = kernels().convert[static_cast<int>(dtype_of<T>)][static_cast<int>(dtype)];
  const int64_t pieces = (count + piece_elements - 1) / piece_elements;
  parallel_for(pieces, [&](int64_t piece) {
    T values[piece_elements];
    const int64_t first = piece * piece_elements, n = std::min(piece_elements, count - first);
    for (int64_t i = 0; i < n; ++i) values[i] = value(first + i);
    const void* source = values;
    convert(result.data + first * size_of(dtype), &source, n, {});
  });
  return result;
}

__int128 exact(const Scalar& s) {
  const auto magnitude = static_cast<__int128>(s.magnitude);
  return s.negative ? -magnitude : magnitude;
}

int64_t checked_length(double length) {
  if (!(length < 9e18)) fail(Status::alloc_failed, "arange: ", length, " elements are more than can be addressed");
  return length > 0 ? static_cast<int64_t>(length) : 0;
}

Tensor arange_integers(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype) {
  const __int128 a = exact(start), b = exact(stop), c = exact(step);
  const __int128 span = c > 0 ? b - a : a - b, stride = c > 0 ? c : -c;
  const __int128 count = span > 0 ? (span + stride - 1) / stride : 0;
  const int64_t n = checked_length(static_cast<double>(count));
  ElementBuffer element;
  if (n > 0) {
    const __int128 last = a + (count - 1) * c;
    Scalar end = start;
    end.negative = last < 0;
    end.magnitude = static_cast<uint64_t>(last < 0 ? -last : last);
    end.value = static_cast<double>(last);
    store_scalar("arange", start, dtype, element);
    store_scalar("arange", end, dtype, element);
  }
  const auto first = static_cast<uint64_t>(a), gap = static_cast<uint64_t>(c);
  const auto value = [=](int64_t i) { return first + gap * static_cast<uint64_t>(i); };
  if (kind(dtype) == Kind::unsigned_integer) return generate<uint64_t>("arange", n, dtype, value);
  return generate<int64_t>("arange", n, dtype, [=](int64_t i) { return static_cast<int64_t>(value(i)); });
}

}  // namespace

Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype) {
  if (kind(dtype) == Kind::boolean || dtype == DType::string)
    fail(Status::type_mismatch, "arange: element type ", name(dtype), " has no sequence");
  for (const Scalar* s : {&start, &stop, &step}) {
    if (s->kind == Scalar::Kind::complex) fail(Status::type_mismatch, "arange: bounds and step must be real numbers");
    if (!std::isfinite(s->value.real()))
      fail(Status::invalid_argument, "arange: ", s->value.real(), " is not a finite bound or step");
    if (is_integer(dtype) && s->kind == Scalar::Kind::floating)
      fail(Status::type_mismatch, "arange: ", s->value.real(), " is not an integer as ", name(dtype), " asks for");
  }
  if (step.value == 0.0) fail(Status::invalid_argument, "arange: step must not be zero");
  // Integers are counted exactly for every type; the values of floating types are computed in float64.
  if (is_integer(dtype)) return arange_integers(start, stop, step, dtype);
  const double a = start.value.real(), c = step.value.real();
  const int64_t n = checked_length(std::ceil((stop.value.real() - a) / c));
  return generate<double>("arange", n, dtype, [=](int64_t i) { return a + static_cast<double>(i) * c; });
}

Tensor linspace(const Scalar& start, const Scalar& stop, int64_t count, DType dtype) {
  if (!is_floating(dtype) && !is_complex(dtype))
    fail(Status::type_mismatch, "linspace: element type ", name(dtype), " is not one of floating, complex");
  if (count < 0) fail(Status::invalid_argument, "linspace: num = ", count, " is negative");
  const std::complex<double> a = start.value, b = stop.value;
  if (!is_complex(dtype) && (start.kind == Scalar::Kind::complex || stop.kind == Scalar::Kind::complex))
    fail(Status::type_mismatch, "linspace: complex ends do not fit ", name(dtype));
  if (!std::isfinite(a.real()) || !std::isfinite(a.imag()) || !std::isfinite(b.real()) || !std::isfinite(b.imag()))
    fail(Status::invalid_argument, "linspace: both ends must be finite");
  // Weighting both ends cannot overflow, as their difference could.
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
  return generate<double>("linspace", count, dtype, [=](int64_t i) { return between(a.real(), b.real(), i); });
}

}  // namespace suanzi
