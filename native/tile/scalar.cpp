#include "tile/scalar.h"

#include <cstring>

#include "kernels/kernel.h"
#include "tensor/status.h"

namespace suanzi {
namespace {

bool fits(const Scalar& s, DType t) {
  if (s.huge) return false;
  const int bits = 8 * size_of(t);
  if (kind(t) == Kind::unsigned_integer)
    return !(s.negative && s.magnitude) && (bits == 64 || s.magnitude >> bits == 0);
  const uint64_t limit = uint64_t{1} << (bits - 1);
  return s.negative ? s.magnitude <= limit : s.magnitude < limit;
}

void convert_one(DType from, const void* source, DType to, ElementBuffer& element) {
  kernels().convert[static_cast<int>(from)][static_cast<int>(to)](element.bytes, &source, 1, {});
}

const char* describe(Scalar::Kind kind) {
  constexpr const char* names[] = {"a bool", "an integer", "a floating-point number", "a complex number", "a string"};
  return names[static_cast<int>(kind)];
}

}  // namespace

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

void store_scalar(const char* op, const Scalar& s, DType t, ElementBuffer& element) {
  if ((s.kind == Scalar::Kind::string) != (t == DType::string))
    fail(Status::type_mismatch, op, ": ", describe(s.kind), " cannot become ", name(t));
  if (t == DType::string) {
    if (s.huge) fail(Status::invalid_argument, op, ": a string with a lone surrogate has no UTF-8");
    std::memcpy(element.bytes, &s.text, sizeof(s.text));
    return;
  }
  const bool whole = s.kind == Scalar::Kind::integer || s.kind == Scalar::Kind::boolean;
  if (s.kind == Scalar::Kind::complex && !is_complex(t) && kind(t) != Kind::boolean)
    fail(Status::type_mismatch, op, ": ", describe(s.kind), " cannot become ", name(t));
  if (s.kind == Scalar::Kind::floating && is_integer(t))
    fail(Status::type_mismatch, op, ": ", describe(s.kind), " (", s.value.real(), ") cannot become ", name(t));
  if (whole && is_integer(t)) {
    if (!fits(s, t))
      fail(Status::out_of_range, op, ": ", s.negative ? "-" : "",
           s.huge ? "an integer past 64 bits" : std::to_string(s.magnitude), " does not fit ", name(t));
    const uint64_t bits = s.negative ? ~s.magnitude + 1 : s.magnitude;
    convert_one(DType::uint64, &bits, t, element);
  } else if (whole && !s.huge) {
    if (s.negative) {
      // The magnitude may be 2^63 … 2^64-1, which only the double holds.
      const bool exact = s.magnitude <= uint64_t{1} << 63;
      const uint64_t bits = ~s.magnitude + 1;
      const double value = s.value.real();
      convert_one(exact ? DType::int64 : DType::float64, exact ? static_cast<const void*>(&bits) : &value, t, element);
    } else {
      convert_one(DType::uint64, &s.magnitude, t, element);
    }
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
