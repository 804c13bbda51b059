// Scalar: a Python number or string on its way into an operation (5.7), and its conversion to an element.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/dtype.h"

namespace suanzi {

struct Scalar {
  enum class Kind : uint8_t { boolean, integer, floating, complex, string };

  Kind kind = Kind::boolean;
  bool negative = false;   // integers: the sign; `magnitude` is exact unless `huge`
  bool huge = false;       // integers past 64 bits: only `value` tells; strings that UTF-8 cannot hold
  uint64_t magnitude = 0;  // integers and bool; of huge ones the bits of the value as a double, rounded to odd
  union {
    std::complex<double> value = 0.0;  // every kind of number
    Text text;                         // strings: bytes that live as long as the Python object
  };

  static Scalar of(bool b) { return {Kind::boolean, false, false, b, {b ? 1.0 : 0.0}}; }
  static Scalar of(int64_t i) {
    return {Kind::integer,
            i < 0,
            false,
            i < 0 ? ~static_cast<uint64_t>(i) + 1 : static_cast<uint64_t>(i),
            {static_cast<double>(i)}};
  }
  static Scalar of(double x) { return {Kind::floating, false, false, 0, {x}}; }
  static Scalar of(std::complex<double> z) {
    Scalar s;
    s.kind = Kind::complex;
    s.value = z;
    return s;
  }
  static Scalar of(Text text) {
    Scalar s;
    s.kind = Kind::string;
    s.text = text;
    return s;
  }
};

// True if an integer is neither an int64 nor a uint64.
bool is_past_int64(const Scalar& integer);
// Such an integer as a double that rounds to fewer bits as the integer itself would.
double rounded_to_odd(const Scalar& integer);

// True if a floating or complex type has the number as it is, if that is an integer, and for other numbers and types.
// False, too, for some integers past 64 bits that float64 has.
bool is_exact(const Scalar& number, DType t);

// A number as messages show it.
std::string text_of(const Scalar& number);

// The element of zeros(): 0, or the empty string.
inline Scalar zero_of(DType t) { return t == DType::string ? Scalar::of(Text{}) : Scalar::of(int64_t{0}); }

// Room for one element of any type.
struct alignas(16) ElementBuffer {
  std::byte bytes[16];
};

// The type of a result when `scalar` meets tensors of type `t`: its kind may change, never its width within a kind.
// Strings and numbers have none; the result then is not the type of the one or not that of the other.
DType promote_scalar(DType t, const Scalar& scalar);

// The treatment of a finite number that a floating type rounds to infinity: a tensor is not created of it, but beside a
// tensor, as an operand or assigned to elements, it is infinite, as a result would be.
enum class Overflow : uint8_t { infinite, refused };

// Writes the scalar as an element of type `t`, which must hold it (base/limits.h): else OUT_OF_RANGE or
// TYPE_MISMATCH; INVALID_ARGUMENT for a lone surrogate. The bytes of a string stay where they are: a tensor that is to
// hold it takes it by store_element.
void store_scalar(const char* op, const Scalar& scalar, DType t, ElementBuffer& element,
                  Overflow overflow = Overflow::infinite);

}  // namespace suanzi
