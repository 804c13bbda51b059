// Functions that round numbers to 32-bit integers and that limit integers to the range of 8-bit integers. The functions
// also accept vectors of half a register. Each function needs one or two instructions instead of the many instructions
// that the compiler would generate.
#pragma once

#include <utility>

#include "simd/vec.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

// Returns the nearest integers, half to even, of numbers within 32 bits. For other numbers and NaN, the results are
// unspecified.
template <class T, int N>
  requires std::is_floating_point_v<T>
SUANZI_INLINE Vec<int32_t, N> nearest_int32(Vec<T, N> x) {
  return arch::nearest_int32(Arch{}, x);
}

// Returns the values limited to the range of int8, and then to at least `least`.
template <int N>
SUANZI_INLINE Vec<int8_t, N> saturated_bytes(Vec<int32_t, N> x, Vec<int8_t, N> least) {
  return arch::saturated_bytes(Arch{}, x, least);
}

// The constant is true if the set needs fewer instructions to saturate four vectors to bytes together than one by one.
template <int N>
inline constexpr bool saturates_four =
    requires(const Vec<int32_t, N> (&x)[4], Vec<int8_t, 4 * N> least) { arch::saturated_bytes(Arch{}, x, least); };
template <int N>
SUANZI_INLINE Vec<int8_t, 4 * N> saturated_bytes(const Vec<int32_t, N> (&x)[4], Vec<int8_t, 4 * N> least) {
  return arch::saturated_bytes(Arch{}, x, least);
}

// Returns true if a < b is false in any lane. The comparison is false if an operand is NaN.
template <class T, int N>
SUANZI_INLINE bool any_not_less(Vec<T, N> a, Vec<T, N> b) {
  return arch::any_not_less(Arch{}, a, b);
}

// Concatenates two vectors.
template <class T, int N, int... lane>
SUANZI_INLINE Vec<T, 2 * N> join(Vec<T, N> low, Vec<T, N> high, std::integer_sequence<int, lane...>) {
  return typename Vec<T, 2 * N>::native(__builtin_shufflevector(low.v, high.v, lane...));
}
template <class T, int N>
SUANZI_INLINE Vec<T, 2 * N> join(Vec<T, N> low, Vec<T, N> high) {
  return join(low, high, std::make_integer_sequence<int, 2 * N>{});
}

}  // namespace suanzi::SUANZI_LEVEL
