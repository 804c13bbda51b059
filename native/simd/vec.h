// A Vec<T, N> is N numbers of type T in SIMD registers. The type and its arithmetic are in vec_type.h. This header
// declares the operations that instruction sets implement differently, such as partial loads and stores, conversion,
// minimum and maximum.
//
// This header describes the operations, and the headers of arch/ implement the operations. arch::name(Arch{}, …) is the
// operation of the instruction set for which the code is compiled, or of the nearest set that this set extends.
#pragma once

#include "simd/arch/target.h"
#include "simd/vec_type.h"

namespace suanzi::SUANZI_LEVEL {

template <class T, int N>
SUANZI_INLINE void Vec<T, N>::stream(T* p) const {
  arch::stream(Arch{}, p, *this);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> Vec<T, N>::load_first(const T* p, int n, T rest) {
  return arch::load_first(Arch{}, p, n, Vec(rest));
}
template <class T, int N>
SUANZI_INLINE void Vec<T, N>::store_first(T* p, int n) const {
  arch::store_first(Arch{}, p, n, *this);
}

// Completes the writes of Vec::stream.
SUANZI_INLINE void finish_streaming() { arch::finish_streaming(Arch{}); }

// Converts the values to another type, lane by lane, like static_cast. The caller must exclude out-of-range floats.
template <class To, class T, int N>
SUANZI_INLINE Vec<To, N> convert(Vec<T, N> x) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<To>) {
    return bit_cast<To>(arch::resize(Arch{}, x, arch::Bytes<sizeof(To)>{}));
  } else if constexpr (sizeof(T) < 4 || sizeof(To) < 4) {
    return convert<To>(convert<int32_t>(x));
  } else if constexpr (std::is_same_v<To, double>) {
    return arch::to_float64(Arch{}, x);
  } else if constexpr (std::is_same_v<To, float>) {
    return arch::to_float32(Arch{}, x);
  } else {
    return __builtin_convertvector(x.v, typename Vec<To, N>::native);
  }
}

template <int Bytes, int N>
SUANZI_INLINE bool any(Mask<Bytes, N> m) {
  return arch::any(Arch{}, m);
}
// Returns true if any lane of an integer vector is 0.
template <class T, int N>
SUANZI_INLINE bool any_zero(Vec<T, N> x) {
  return arch::any_zero(Arch{}, x);
}

// Returns true if a != b in any lane. The comparison is true if an operand is NaN.
template <class T, int N>
SUANZI_INLINE bool any_unequal(Vec<T, N> a, Vec<T, N> b) {
  return arch::any_unequal(Arch{}, a, b);
}

// `min` returns a < b ? a : b, and `max` returns a > b ? a : b. The result is therefore b if an operand is NaN.
template <class T, int N>
SUANZI_INLINE Vec<T, N> min(Vec<T, N> a, Vec<T, N> b) {
  return arch::min(Arch{}, a, b);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> max(Vec<T, N> a, Vec<T, N> b) {
  return arch::max(Arch{}, a, b);
}

// min_or_nan returns the lesser operand, and max_or_nan returns the greater operand. The result is NaN if an operand is
// NaN.
template <class T, int N>
SUANZI_INLINE Vec<T, N> min_or_nan(Vec<T, N> a, Vec<T, N> b) {
  return arch::min_or_nan(Arch{}, a, b);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> max_or_nan(Vec<T, N> a, Vec<T, N> b) {
  return arch::max_or_nan(Arch{}, a, b);
}

}  // namespace suanzi::SUANZI_LEVEL
