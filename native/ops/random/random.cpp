// The operators uniform, normal and bernoulli check arguments, and divide a tensor into pieces that kernels fill in
// parallel.
#include "ops/random/random.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "kernels/kernel.h"
#include "ops/random/random.kernels.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "runtime/tracing.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

constexpr int64_t piece_elements = costs::random_piece;
// The number of float32 elements that the code converts to a 16-bit type at a time.
constexpr int64_t tile_elements = 1 << 11;
static_assert(piece_elements % random_step == 0 && tile_elements % random_step == 0);

// Returns the type in which kernels draw elements. This type is float32 for 16-bit types, and the type of the parts for
// complex numbers.
DType computed_in(DType t) { return is_half(t) ? DType::float32 : real_part(t); }

// Returns an element of type t as a number of the C++ type To.
template <class To>
To convert_element(const void* element, DType t) {
  To value;
  kernels().convert[static_cast<int>(t)][static_cast<int>(dtype_of<To>)](&value, &element, 1, {});
  return value;
}

// Returns a number, rounded to a floating or complex type. Fails unless the number and the rounded number are finite.
std::complex<double> finite(const char* op, const char* what, const Scalar& scalar, DType t) {
  if (!std::isfinite(scalar.value.real()) || !std::isfinite(scalar.value.imag()))
    fail(scalar.huge ? Status::out_of_range : Status::invalid_argument, op, ": ", what, " = ", scalar.value.real(),
         " is not a finite number");
  ElementBuffer element;
  store_scalar(op, scalar, t, element);
  const auto value = convert_element<std::complex<double>>(element.bytes, t);
  if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
    fail(Status::out_of_range, op, ": ", what, " = ", scalar.value.real(), " does not fit ", name(t));
  return value;
}

// Returns the next lower number of a floating type.
double next_below(double value, DType t) {
  if (t == DType::float64) return std::nextafter(value, -HUGE_VAL);
  if (t == DType::float32) return std::nextafter(static_cast<float>(value), -HUGE_VALF);
  const void* in = &value;
  uint16_t bits;
  kernels().convert[static_cast<int>(DType::float64)][static_cast<int>(t)](&bits, &in, 1, {});
  if (value == 0) {
    bits = 0x8001;
  } else {
    bits = static_cast<uint16_t>(value > 0 ? bits - 1 : bits + 1);
  }
  return convert_element<double>(&bits, t);
}

double greatest_value(DType t) {
  switch (real_part(t)) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

void set_integers(const char* op, RandomParams& params, const Scalar* low, const Scalar* high, DType t) {
  const bool is_signed = kind(t) == Kind::signed_integer;
  const int bits = kind(t) == Kind::boolean ? 1 : 8 * size_of(t);
  const uint64_t top = uint64_t{1} << (bits - 1), all = top | (top - 1);
  // The bounds become 64-bit patterns that have the order of the numbers. The bounds of signed types are shifted by
  // 2^63.
  const uint64_t shift = is_signed ? uint64_t{1} << 63 : 0;
  const auto pattern = [&](const char* what, const Scalar& scalar) {
    // Conversion to bool turns every number except 0 into True, so a bound outside of bool's range would silently
    // become another bound.
    if (t == DType::boolean && scalar.kind != Scalar::Kind::complex && scalar.value != 0.0 && scalar.value != 1.0)
      fail(Status::out_of_range, op, ": ", what, " = ", scalar.value.real(), " is neither False (0) nor True (1)");
    if (t == DType::boolean && scalar.kind == Scalar::Kind::complex)
      fail(Status::type_mismatch, op, ": the complex number ", what, " cannot become bool");
    ElementBuffer element;
    store_scalar(op, scalar, t, element);
    return is_signed ? static_cast<uint64_t>(convert_element<int64_t>(element.bytes, t))
                     : convert_element<uint64_t>(element.bytes, t);
  };
  const uint64_t least = low ? pattern("low", *low) : is_signed ? 0 - top : 0;
  const uint64_t greatest = high ? pattern("high", *high) : is_signed ? top - 1 : all;
  if (low && high && least + shift > greatest + shift)
    fail(Status::invalid_argument, op, ": low = ", low->value.real(), " is greater than high = ", high->value.real());
  params.least = least;
  params.count = greatest - least + 1;
}

void set_floating(const char* op, RandomParams& params, const Scalar* low, const Scalar* high, DType t) {
  const double greatest = greatest_value(t);
  const auto bound = [&](const char* what, const Scalar* scalar, double otherwise) {
    if (!scalar) return std::complex<double>(otherwise, otherwise);
    const std::complex<double> value = finite(op, what, *scalar, t);
    return scalar->kind == Scalar::Kind::complex ? value : std::complex<double>(value.real(), value.real());
  };
  const std::complex<double> a = bound("low", low, -greatest), b = bound("high", high, greatest);
  const double lows[2] = {a.real(), a.imag()}, highs[2] = {b.real(), b.imag()};
  const double widest = computed_in(t) == DType::float32 ? std::numeric_limits<float>::max() : greatest;
  // If a span overflows, the code halves the bounds, and the kernel doubles the result.
  for (int k = 0; k < 2; ++k)
    if (highs[k] / 2 - lows[k] / 2 > widest / 2) params.scale = 2;
  for (int k = 0; k < 2; ++k) {
    if (lows[k] > highs[k])
      fail(Status::invalid_argument, op, ": low = ", lows[k], " is greater than high = ", highs[k]);
    params.low[k] = lows[k] / params.scale;
    params.span[k] = highs[k] / params.scale - params.low[k];
    params.last[k] = lows[k] < highs[k] ? next_below(highs[k], real_part(t)) : highs[k];
  }
}

// Returns the number of the first real number that a kernel draws for a tensor whose first element has the number
// `first`. The parts of a complex number are two real numbers. Fails with OUT_OF_RANGE for an invalid `first`.
int64_t first_made(const char* op, DType t, int64_t first) {
  if (first < 0 || first >> 61 != 0 || first % random_step != 0)
    fail(Status::out_of_range, op, ": first = ", first, " is not a multiple of ", random_step, " in [0, 2^61)");
  return is_complex(t) ? 2 * first : first;
}

// Fills a contiguous tensor by calls of fill(target, place, n), which draws n elements of type
// computed_in(result.dtype). The first of these elements is number `place` of the tensor. Each part of a complex number
// counts as an element.
template <class Fill>
void fill_pieces(const Tensor& result, Fill&& fill) {
  const DType made = computed_in(result.dtype);
  const int64_t count = is_complex(result.dtype) ? 2 * result.size : result.size;
  const int size = is_complex(result.dtype) ? size_of(made) : size_of(result.dtype);
  const Kernel convert = kernels().convert[static_cast<int>(made)][static_cast<int>(result.dtype)];
  parallel_for((count + piece_elements - 1) / piece_elements, [&](int64_t piece) {
    const int64_t begin = piece * piece_elements, end = std::min(count, begin + piece_elements);
    if (!is_half(result.dtype)) return fill(result.data + begin * size, begin, end - begin);
    alignas(64) float tile[tile_elements];
    for (int64_t i = begin; i < end; i += tile_elements) {
      const int64_t n = std::min(tile_elements, end - i);
      fill(reinterpret_cast<std::byte*>(tile), i, n);
      const void* in = tile;
      convert(result.data + i * size, &in, n, {});
    }
  });
}

// Returns a new tensor, whose elements a kernel draws. Elements are numbered in the order of their indices for every
// layout.
Tensor generate(const char* op, const Dims& shape, DType dtype, const Dims* order, RandomKernel kernel,
                const RandomParams& params, int64_t first) {
  const int64_t number = first_made(op, dtype, first);
  const Tensor result = make_empty(op, shape, dtype, order);
  const Tensor filled = result.contiguous ? result : make_empty(op, shape, dtype);
  fill_pieces(filled, [&](std::byte* target, int64_t place, int64_t n) { kernel(target, number + place, n, params); });
  if (!result.contiguous) copy_into(op, result, filled);
  return result;
}

}  // namespace

uint64_t detail::effective_seed(uint64_t seed) {
  if (seed == 0 && tracing)
    fail(Status::invalid_argument, "random: a traced function would draw the same numbers in each call");
  while (seed == 0)
    if (getentropy(&seed, sizeof seed) != 0)
      fail(Status::internal_error, "random: the system has no entropy: ", std::strerror(errno));
  return seed;
}

Tensor uniform(const char* op, const Dims& shape, const Scalar* low, const Scalar* high, uint64_t seed, DType dtype,
               const Dims* order, int64_t first) {
  if (dtype == DType::string) fail(Status::type_mismatch, op, ": element type string is not a number");
  RandomParams params{.seed = detail::effective_seed(seed), .stream = philox::Stream::uniform};
  if (is_floating(dtype) || is_complex(dtype)) {
    set_floating(op, params, low, high, dtype);
  } else {
    set_integers(op, params, low, high, dtype);
  }
  return generate(op, shape, dtype, order, kernels().random->uniform[static_cast<int>(computed_in(dtype))], params,
                  first);
}

Tensor normal(const char* op, const Dims& shape, const Scalar& mean, const Scalar& std, uint64_t seed, DType dtype,
              const Dims* order, int64_t first) {
  if (!is_floating(dtype) && !is_complex(dtype))
    fail(Status::type_mismatch, op, ": element type ", name(dtype), " is not one of floating, complex");
  if (std.kind == Scalar::Kind::complex) fail(Status::type_mismatch, op, ": std must be a real number");
  RandomParams params{.seed = detail::effective_seed(seed), .stream = philox::Stream::normal};
  const std::complex<double> center = finite(op, "mean", mean, dtype);
  params.std = finite(op, "std", std, dtype).real();
  if (params.std < 0) fail(Status::invalid_argument, op, ": std = ", params.std, " is negative");
  if (is_complex(dtype)) params.std *= std::numbers::sqrt2 / 2;
  params.mean[0] = center.real();
  params.mean[1] = is_complex(dtype) ? center.imag() : center.real();
  return generate(op, shape, dtype, order, kernels().random->normal[static_cast<int>(computed_in(dtype))], params,
                  first);
}

Tensor bernoulli(const Tensor& p, uint64_t seed, int64_t first) {
  check_alive("bernoulli", p);
  if (!is_floating(p.dtype)) fail(Status::type_mismatch, "bernoulli: element type ", name(p.dtype), " is not floating");
  const int64_t number = first_made("bernoulli", p.dtype, first);
  const RandomParams params{.seed = detail::effective_seed(seed), .stream = philox::Stream::bernoulli};
  const Tensor result = make_empty_like("bernoulli", p.shape, p.dtype, p);
  const Tensor source = p.contiguous ? p : to_contiguous("bernoulli", p);
  const Tensor filled = result.contiguous ? result : make_empty("bernoulli", p.shape, p.dtype);
  const BernoulliKernel kernel = kernels().random->bernoulli[static_cast<int>(computed_in(p.dtype))];
  const Kernel widen = kernels().convert[static_cast<int>(p.dtype)][static_cast<int>(DType::float32)];
  fill_pieces(filled, [&](std::byte* target, int64_t place, int64_t n) {
    alignas(64) float tile[tile_elements];
    const void* chances = source.data + place * size_of(p.dtype);
    if (is_half(p.dtype)) {
      widen(tile, &chances, n, {});
      chances = tile;
    }
    if (!kernel(target, chances, number + place, n, params))
      fail(Status::invalid_argument, "bernoulli: a probability is outside [0, 1]");
  });
  if (!result.contiguous) copy_into("bernoulli", result, filled);
  return result;
}

}  // namespace suanzi
