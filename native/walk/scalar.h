// A Scalar is a Python number or string as an operand of an operation (5.7). store_scalar converts a Scalar to an
// element.
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
  // The sign of an integer. `magnitude` is exact unless `huge` is true.
  bool negative = false;
  // `huge` is true for integers of more than 64 bits, and for strings that UTF-8 cannot hold.
  bool huge = false;
  // The magnitude of an integer or bool. For an integer of more than 64 bits, `magnitude` holds the bits of the integer
  // as a double that is rounded to odd.
  uint64_t magnitude = 0;
  union {
    std::complex<double> value = 0.0;  // the value of any kind of number
    Text text;                         // the bytes of a string, which live as long as the Python object
  };
  // The low 64 bits of the magnitude of an integer of more than 64 bits.
  uint64_t last_bits = 0;

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

// Returns true if an integer is neither an int64 nor a uint64.
bool is_past_int64(const Scalar& integer);

// Returns false if the number is an integer whose significant bits do not fit the significand of the floating or
// complex type t. The function also returns false for some integers of more than 64 bits that float64 represents
// exactly. For all other numbers and types, the function returns true.
bool is_exact(const Scalar& number, DType t);

// Returns the text of a number for messages.
std::string text_of(const Scalar& number);

// Returns an element of the tensor that zeros() returns. The element is 0 or the empty string.
inline Scalar zero_of(DType t) { return t == DType::string ? Scalar::of(Text{}) : Scalar::of(int64_t{0}); }

// Room for one element of any type.
struct alignas(16) ElementBuffer {
  std::byte bytes[16];
};

// Returns the type of a result if `scalar` is an operand beside tensors of type `t`. The kind may change, but the width
// within a kind never changes. A string and a number have no common type. The returned type then differs from the type
// of one of the two operands.
DType promote_scalar(DType t, const Scalar& scalar);

// The treatment of a finite number that a floating type rounds to infinity. A tensor cannot be created from a number
// that rounds to infinity. If the number is an operand beside a tensor, or is assigned to elements, the number becomes
// infinite, like a result that overflows.
enum class Overflow : uint8_t { infinite, refused };

// Writes the scalar as an element of type `t`. Fails with OUT_OF_RANGE or TYPE_MISMATCH if the type cannot hold the
// scalar (base/limits.h), and with INVALID_ARGUMENT for a lone surrogate. The function does not copy the bytes of a
// string. store_element copies these bytes for a tensor.
void store_scalar(const char* op, const Scalar& scalar, DType t, ElementBuffer& element,
                  Overflow overflow = Overflow::infinite);

}  // namespace suanzi
