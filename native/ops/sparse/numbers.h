// Scalar arithmetic of element types, for loops that vectors do not speed up. Sums and products are the same as the
// results of the operators `add` and `multiply`. Integers wrap. For bool, the product is `and` and the sum is `or`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/dtype.h"

namespace suanzi::sparse {

template <class T>
struct Number {
  using type = T;
  // Operands are widened to 64 bits, because uint16 promotes to int, and the products would overflow int.
  using wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  static T add(T a, T b) { return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b)); }
  static T multiply(T a, T b) { return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b)); }
};

struct Truth {
  using type = uint8_t;
  static uint8_t add(uint8_t a, uint8_t b) { return a | b; }
  static uint8_t multiply(uint8_t a, uint8_t b) { return a & b; }
};

template <class T>
struct Complex {
  struct type {
    T re, im = 0;
  };
  static type add(type a, type b) { return {a.re + b.re, a.im + b.im}; }
  static type multiply(type a, type b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

// Calls call.operator()<Number>(), where Number is the arithmetic of an element type. 16-bit floating types and strings
// have no Number.
template <class Call>
void with_number(DType t, const Call& call) {
  switch (t) {
    case DType::boolean:
      return call.template operator()<Truth>();
    case DType::uint8:
    case DType::int8:
      return call.template operator()<Number<uint8_t>>();
    case DType::uint16:
    case DType::int16:
      return call.template operator()<Number<uint16_t>>();
    case DType::uint32:
    case DType::int32:
      return call.template operator()<Number<uint32_t>>();
    case DType::uint64:
    case DType::int64:
      return call.template operator()<Number<uint64_t>>();
    case DType::float32:
      return call.template operator()<Number<float>>();
    case DType::float64:
      return call.template operator()<Number<double>>();
    case DType::complex64:
      return call.template operator()<Complex<float>>();
    default:
      return call.template operator()<Complex<double>>();
  }
}

}  // namespace suanzi::sparse
