#include "walk/scalar.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/limits.h"
#include "base/status.h"
#include "kernels/kernel.h"

namespace suanzi {
namespace {

void convert_one(DType from, const void* source, DType to, ElementBuffer& element) {
  kernels().convert[static_cast<int>(from)][static_cast<int>(to)](element.bytes, &source, 1, {});
}

const char* describe(Scalar::Kind kind) {
  constexpr const char* names[] = {"a bool", "an integer", "a floating-point number", "a complex number", "a string"};
  return names[static_cast<int>(kind)];
}

}  // namespace

std::string text_of(const Scalar& s) {
  if (s.huge) return "an integer past 64 bits";
  if (s.kind == Scalar::Kind::boolean) return s.magnitude ? "True" : "False";
  if (s.kind == Scalar::Kind::integer) {
    const auto magnitude = static_cast<__int128>(s.magnitude);
    return text_of(s.negative ? -magnitude : magnitude);
  }
  const std::string real = text_of(s.value.real());
  if (s.kind == Scalar::Kind::floating) return real;
  const std::string imaginary = text_of(s.value.imag());
  return std::string("(").append(real).append(imaginary[0] == '-' ? "" : "+").append(imaginary).append("j)");
}

DType promote_scalar(DType t, const Scalar& scalar) {
  switch (scalar.kind) {
    case Scalar::Kind::boolean:
      return t;
    case Scalar::Kind::integer:
      return kind(t) == Kind::boolean ? DType::int64 : t;
    case Scalar::Kind::floating:
      return is_floating(t) || is_complex(t) || t == DType::string ? t : DType::float32;
    case Scalar::Kind::complex:
      return is_complex(t) || t == DType::string ? t : complex_of(t);
    case Scalar::Kind::string:
      return DType::string;
  }
  return t;
}

bool is_past_int64(const Scalar& integer) {
  return integer.huge || (integer.negative && integer.magnitude > uint64_t{1} << 63);
}

namespace {

// Returns an integer for which is_past_int64 is true, as a double that is rounded to odd. If this double is rounded to
// fewer bits, the result equals the rounded integer.
double rounded_to_odd(const Scalar& s) {
  if (s.huge) return std::bit_cast<double>(s.magnitude);
  // A double holds only the first 53 of 64 bits.
  constexpr uint64_t cut = 0x7ff;
  const uint64_t odd = (s.magnitude & ~cut) | (s.magnitude & cut ? cut + 1 : 0);
  return s.negative ? -static_cast<double>(odd) : static_cast<double>(odd);
}

// Returns the number of binary digits in the significand of a floating type.
int digits_of(DType floating) {
  switch (floating) {
    case DType::bfloat16:
      return 8;
    case DType::float16:
      return 11;
    case DType::float32:
      return 24;
    default:
      return 53;
  }
}

}  // namespace

bool is_exact(const Scalar& s, DType t) {
  if (s.kind != Scalar::Kind::integer || (!is_floating(t) && !is_complex(t))) return true;
  const int digits = digits_of(real_part(t));
  if (!s.huge)
    return s.magnitude == 0 || static_cast<int>(std::bit_width(s.magnitude)) - std::countr_zero(s.magnitude) <= digits;
  constexpr uint64_t leading = uint64_t{1} << 52;
  const uint64_t significand = (s.magnitude & (leading - 1)) | leading;
  return std::countr_zero(significand) > 0 && 53 - std::countr_zero(significand) <= digits;
}

namespace {

// Fails unless the type `t` can hold the number.
void require_held(const char* op, const Scalar& s, DType t, Overflow overflow) {
  if (s.kind == Scalar::Kind::boolean || kind(t) == Kind::boolean) return;
  if (overflow == Overflow::infinite && !is_integer(t)) return;
  if (s.kind == Scalar::Kind::integer && s.huge) {
    const bool outside = is_integer(t) || std::isinf(s.value.real()) || fit_of(s.value.real(), t) == Fit::outside;
    return require_fit(op, outside ? Fit::outside : Fit::held, text_of(s), t);
  }
  if (s.kind == Scalar::Kind::integer) {
    const auto magnitude = static_cast<__int128>(s.magnitude), integer = s.negative ? -magnitude : magnitude;
    if (const Fit fit = fit_of(integer, t); fit != Fit::held) require_fit(op, fit, text_of(s), t);
    return;
  }
  for (const double part : {s.value.real(), s.value.imag()})
    if (const Fit fit = fit_of(part, t); fit != Fit::held) require_fit(op, fit, text_of(s), t);
}

}  // namespace

void store_scalar(const char* op, const Scalar& s, DType t, ElementBuffer& element, Overflow overflow) {
  if ((s.kind == Scalar::Kind::string) != (t == DType::string))
    fail(Status::type_mismatch, op, ": ", describe(s.kind), " cannot become ", name(t));
  if (t == DType::string) {
    if (s.huge) fail(Status::invalid_argument, op, ": a string has a lone surrogate, which UTF-8 cannot encode");
    std::memcpy(element.bytes, &s.text, sizeof(s.text));
    return;
  }
  if (s.kind == Scalar::Kind::complex && !is_complex(t) && kind(t) != Kind::boolean)
    fail(Status::type_mismatch, op, ": the complex number ", text_of(s), " cannot become ", name(t));
  require_held(op, s, t, overflow);
  const bool whole = s.kind == Scalar::Kind::integer || s.kind == Scalar::Kind::boolean;
  if (whole && !s.huge && !is_past_int64(s)) {
    const uint64_t bits = s.negative ? ~s.magnitude + 1 : s.magnitude;
    convert_one(s.negative ? DType::int64 : DType::uint64, &bits, t, element);
  } else if (whole && kind(t) != Kind::boolean && real_part(t) != DType::float64) {
    const double odd = rounded_to_odd(s);
    convert_one(DType::float64, &odd, t, element);
  } else if (is_complex(t)) {
    convert_one(DType::complex128, &s.value, t, element);
  } else if (kind(t) == Kind::boolean) {
    element.bytes[0] = std::byte{s.value != std::complex<double>(0)};
  } else {
    const double value = s.value.real();
    convert_one(DType::float64, &value, t, element);
  }
}

}  // namespace suanzi
