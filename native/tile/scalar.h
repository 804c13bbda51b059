// Scalar: a Python number on its way into an operation (5.7), and its conversion to an element.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace suanzi {

struct Scalar {
  enum class Kind : uint8_t { boolean, integer, floating, complex };

  Kind kind = Kind::boolean;
  bool negative = false;       // integers: the sign; `magnitude` is exact unless `huge`
  bool huge = false;           // integers past 64 bits: only `value` tells
  uint64_t magnitude = 0;      // integers and bool
  std::complex<double> value;  // every kind

  static Scalar of(bool b) { return {Kind::boolean, false, false, b, b ? 1.0 : 0.0}; }
  static Scalar of(int64_t i) {
    return {Kind::integer, i < 0, false, i < 0 ? ~static_cast<uint64_t>(i) + 1 : static_cast<uint64_t>(i),
            static_cast<double>(i)};
  }
  static Scalar of(double x) { return {Kind::floating, false, false, 0, x}; }
};

// Room for one element of any type.
struct alignas(16) ElementBuffer {
  std::byte bytes[16];
};

// The type of a result when `scalar` meets tensors of type `t`: its kind may change, never its width within a kind.
DType promote_scalar(DType t, const Scalar& scalar);

// Writes the scalar as an element of type `t`. OUT_OF_RANGE for an integer that does not fit, TYPE_MISMATCH for a
// kind that `t` cannot hold.
void store_scalar(const char* op, const Scalar& scalar, DType t, ElementBuffer& element);

}  // namespace suanzi
