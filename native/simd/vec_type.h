// The type Vec<T, N> and the operations that come from the compiler's vector extensions. These operations are
// construction, memory, arithmetic, comparison, selection and bits. simd/vec.h adds the operations that instruction
// sets implement differently.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/level.h"

namespace suanzi::SUANZI_LEVEL {

template <int Bytes>
struct IntOfSize;
template <>
struct IntOfSize<1> {
  using type = int8_t;
};
template <>
struct IntOfSize<2> {
  using type = int16_t;
};
template <>
struct IntOfSize<4> {
  using type = int32_t;
};
template <>
struct IntOfSize<8> {
  using type = int64_t;
};

// The signed and the unsigned integer as wide as T.
template <class T>
using IntFor = typename IntOfSize<sizeof(T)>::type;
template <class T>
using UintFor = std::make_unsigned_t<IntFor<T>>;

template <class T, int N>
struct NativeVec {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};

// The result of a comparison. A mask has N lanes of all ones or all zeros, and each lane has Bytes bytes.
template <int Bytes, int N>
struct Mask {
  using native = typename NativeVec<typename IntOfSize<Bytes>::type, N>::type;
  native v;

  friend SUANZI_INLINE Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
  friend SUANZI_INLINE Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
  friend SUANZI_INLINE Mask operator^(Mask a, Mask b) { return {a.v ^ b.v}; }
  friend SUANZI_INLINE Mask operator~(Mask a) { return {~a.v}; }
};

template <class T, int N>
struct Vec {
  using element = T;
  using native = typename NativeVec<T, N>::type;
  using mask = Mask<sizeof(T), N>;
  static constexpr int lanes = N;

  native v;

  Vec() = default;
  SUANZI_INLINE Vec(native value) : v(value) {}
  SUANZI_INLINE Vec(T scalar) : v(scalar - native{}) {}

  static SUANZI_INLINE Vec load(const T* p) {
    Vec r;
    std::memcpy(&r.v, p, sizeof(r.v));
    return r;
  }
  SUANZI_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof(v)); }
  // Stores past the caches, if the level has an instruction for such stores. The address p must be a multiple of the
  // vector's size. The caller must call finish_streaming() before other threads read the memory.
  SUANZI_INLINE void stream(T* p) const;

  // Loads the first n lanes from memory. The other lanes are `rest`, a number that the next operation on the vector
  // must accept. A masked load takes a tenth of the time of a copy through the stack, because the processor cannot
  // forward the copied bytes from its store buffer.
  static SUANZI_INLINE Vec load_first(const T* p, int n, T rest = T(1));
  SUANZI_INLINE void store_first(T* p, int n) const;

  friend SUANZI_INLINE Vec operator+(Vec a, Vec b) { return a.v + b.v; }
  friend SUANZI_INLINE Vec operator-(Vec a, Vec b) { return a.v - b.v; }
  friend SUANZI_INLINE Vec operator*(Vec a, Vec b) { return a.v * b.v; }
  friend SUANZI_INLINE Vec operator/(Vec a, Vec b) { return a.v / b.v; }
  friend SUANZI_INLINE Vec operator-(Vec a) { return -a.v; }
  friend SUANZI_INLINE Vec operator&(Vec a, Vec b) { return a.v & b.v; }
  friend SUANZI_INLINE Vec operator|(Vec a, Vec b) { return a.v | b.v; }
  friend SUANZI_INLINE Vec operator^(Vec a, Vec b) { return a.v ^ b.v; }
  friend SUANZI_INLINE Vec operator~(Vec a) { return ~a.v; }
  friend SUANZI_INLINE Vec operator<<(Vec a, Vec b) { return a.v << b.v; }
  friend SUANZI_INLINE Vec operator>>(Vec a, Vec b) { return a.v >> b.v; }
  friend SUANZI_INLINE Vec operator<<(Vec a, int bits) { return a.v << bits; }
  friend SUANZI_INLINE Vec operator>>(Vec a, int bits) { return a.v >> bits; }

  friend SUANZI_INLINE mask operator==(Vec a, Vec b) { return {a.v == b.v}; }
  friend SUANZI_INLINE mask operator!=(Vec a, Vec b) { return {a.v != b.v}; }
  friend SUANZI_INLINE mask operator<(Vec a, Vec b) { return {a.v < b.v}; }
  friend SUANZI_INLINE mask operator<=(Vec a, Vec b) { return {a.v <= b.v}; }
  friend SUANZI_INLINE mask operator>(Vec a, Vec b) { return {a.v > b.v}; }
  friend SUANZI_INLINE mask operator>=(Vec a, Vec b) { return {a.v >= b.v}; }
};

// Returns a. The optimiser cannot load the result from memory a second time. Even if another thread writes to the
// loaded memory, the code therefore uses the checked value. The call stores and loads a on the stack.
template <class T, int N>
SUANZI_INLINE Vec<T, N> read_once(Vec<T, N> a) {
  asm("" : "+m"(a.v));
  return a;
}

// Returns a in lanes where the mask is set, and b in the other lanes.
template <class T, int N>
SUANZI_INLINE Vec<T, N> select(Mask<sizeof(T), N> m, Vec<T, N> a, Vec<T, N> b) {
  return m.v ? a.v : b.v;
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> select(Mask<sizeof(T), N> m, Vec<T, N> a, std::type_identity_t<T> b) {
  return select(m, a, Vec<T, N>(b));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> select(Mask<sizeof(T), N> m, std::type_identity_t<T> a, Vec<T, N> b) {
  return select(m, Vec<T, N>(a), b);
}

// Returns the bits as another type of the same total size.
template <class To, class T, int N>
SUANZI_INLINE Vec<To, static_cast<int>(N * sizeof(T) / sizeof(To))> bit_cast(Vec<T, N> x) {
  Vec<To, static_cast<int>(N * sizeof(T) / sizeof(To))> r;
  static_assert(sizeof(r) == sizeof(x));
  std::memcpy(&r, &x, sizeof(r));
  return r;
}

// Returns the mask for lanes of another width.
template <class To, int Bytes, int N>
SUANZI_INLINE Mask<sizeof(To), N> convert_mask(Mask<Bytes, N> m) {
  return {__builtin_convertvector(m.v, typename Mask<sizeof(To), N>::native)};
}

template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> mask_from_bits(Vec<IntFor<T>, N> bits) {
  return {bits.v};
}

// Functions of the sign bits of floating lanes.
template <class T, int N>
SUANZI_INLINE Vec<T, N> sign_bit(Vec<T, N> x) {
  const Vec<IntFor<T>, N> top(static_cast<IntFor<T>>(IntFor<T>(1) << (8 * sizeof(T) - 2) << 1));
  return bit_cast<T>(bit_cast<IntFor<T>>(x) & top);
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> xor_bits(Vec<T, N> x, Vec<T, N> bits) {
  return bit_cast<T>(bit_cast<IntFor<T>>(x) ^ bit_cast<IntFor<T>>(bits));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> or_bits(Vec<T, N> x, Vec<T, N> bits) {
  return bit_cast<T>(bit_cast<IntFor<T>>(x) | bit_cast<IntFor<T>>(bits));
}
template <class T, int N>
  requires std::is_floating_point_v<T>
SUANZI_INLINE Vec<T, N> abs(Vec<T, N> x) {
  return xor_bits(x, sign_bit(x));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> copysign(Vec<T, N> magnitude, Vec<T, N> sign) {
  return or_bits(abs(magnitude), sign_bit(sign));
}

}  // namespace suanzi::SUANZI_LEVEL
