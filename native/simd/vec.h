// Vec<T, N>: N numbers of type T in SIMD registers, over the compiler's vector extensions.
//
// This header is the portable part: construction, memory, arithmetic, comparison, selection and conversion.
// Operations that need an instruction of their own (rounding, square root, fused multiply-add) are in vec_math.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/level.h"
#include "simd/x86.h"
#include "simd/x86_convert.h"

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

// The signed and unsigned integers as wide as T.
template <class T>
using IntFor = typename IntOfSize<sizeof(T)>::type;
template <class T>
using UintFor = std::make_unsigned_t<IntFor<T>>;

template <class T, int N>
struct NativeVec {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};

// The result of a comparison: N lanes of all ones or all zeros, each Bytes wide.
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

#if defined(__AVX512BW__)
  // A bit for each byte of the first n lanes.
  static SUANZI_INLINE uint64_t first_bytes(int n) {
    return _bzhi_u64(~uint64_t(0), sizeof(T) * static_cast<unsigned>(n));
  }
#elif defined(__AVX2__)
  // All ones in each 32-bit word of the first n lanes.
  static SUANZI_INLINE __m256i first_words(int n) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n * static_cast<int>(sizeof(T) / 4)), index);
  }
#endif

  Vec() = default;
  SUANZI_INLINE Vec(native value) : v(value) {}
  SUANZI_INLINE Vec(T scalar) : v(scalar - native{}) {}

  static SUANZI_INLINE Vec load(const T* p) {
    Vec r;
    std::memcpy(&r.v, p, sizeof(r.v));
    return r;
  }
  SUANZI_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof(v)); }
  // The same past the caches, where there is an instruction for it; p is a multiple of the vector's size. What other
  // threads read of it needs a finish_streaming() before.
  SUANZI_INLINE void stream(T* p) const {
#if defined(__x86_64__)
    if constexpr (x86::streams<sizeof(native)>) {
      x86::stream(p, v);
      return;
    }
#endif
    store(p);
  }

  // The first n lanes from memory, the others `rest` (a harmless argument for the function that follows). A masked load
  // costs a tenth of a copy through the stack, which the processor cannot forward to the register.
  static SUANZI_INLINE Vec load_first(const T* p, int n, T rest = T(1)) {
    Vec r(rest);
#if defined(__AVX512BW__)
    const uint64_t bytes = first_bytes(n);
    if constexpr (sizeof(native) == 64) {
      r.v = reinterpret_cast<native>(_mm512_mask_loadu_epi8(reinterpret_cast<__m512i>(r.v), bytes, p));
      return r;
    } else if constexpr (sizeof(native) == 32) {
      r.v = reinterpret_cast<native>(
          _mm256_mask_loadu_epi8(reinterpret_cast<__m256i>(r.v), static_cast<__mmask32>(bytes), p));
      return r;
    }
#elif defined(__AVX2__)
    if constexpr (sizeof(native) == 32 && sizeof(T) >= 4) {
      const __m256i words = first_words(n);
      const __m256i read = _mm256_maskload_epi32(reinterpret_cast<const int*>(p), words);
      r.v = reinterpret_cast<native>(_mm256_blendv_epi8(reinterpret_cast<__m256i>(r.v), read, words));
      return r;
    }
#endif
    std::memcpy(&r.v, p, sizeof(T) * static_cast<unsigned>(n));
    return r;
  }
  SUANZI_INLINE void store_first(T* p, int n) const {
#if defined(__AVX512BW__)
    const uint64_t bytes = first_bytes(n);
    if constexpr (sizeof(native) == 64) return _mm512_mask_storeu_epi8(p, bytes, reinterpret_cast<__m512i>(v));
    if constexpr (sizeof(native) == 32)
      return _mm256_mask_storeu_epi8(p, static_cast<__mmask32>(bytes), reinterpret_cast<__m256i>(v));
#elif defined(__AVX2__)
    if constexpr (sizeof(native) == 32 && sizeof(T) >= 4)
      return _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first_words(n), reinterpret_cast<__m256i>(v));
#endif
    std::memcpy(p, &v, sizeof(T) * static_cast<unsigned>(n));
  }

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

// a, which the optimiser cannot take from memory a second time: where another thread may write what was loaded, a lane
// that was checked is the lane that is used. It costs a trip through the stack.
template <class T, int N>
SUANZI_INLINE Vec<T, N> read_once(Vec<T, N> a) {
  asm("" : "+m"(a.v));
  return a;
}

// Completes the writes of Vec::stream.
SUANZI_INLINE void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

#if defined(__x86_64__)
// The register that a Vec fills, void if none, and the two as each other.
template <class T, int N>
using Register = typename x86::RegisterOf<T, static_cast<int>(sizeof(T)) * N>::type;
template <class T, int N>
inline constexpr bool has_register = !std::is_void_v<Register<T, N>>;
template <class T, int N>
SUANZI_INLINE Register<T, N> to_register(Vec<T, N> x) {
  return reinterpret_cast<Register<T, N>>(x.v);
}
template <class T, int N, class R>
SUANZI_INLINE Vec<T, N> from_register(R x) {
  return reinterpret_cast<typename Vec<T, N>::native>(x);
}
#endif

// a where the mask is set, else b.
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

// The same bits as another type of the same total size.
template <class To, class T, int N>
SUANZI_INLINE Vec<To, static_cast<int>(N * sizeof(T) / sizeof(To))> bit_cast(Vec<T, N> x) {
  Vec<To, static_cast<int>(N * sizeof(T) / sizeof(To))> r;
  static_assert(sizeof(r) == sizeof(x));
  std::memcpy(&r, &x, sizeof(r));
  return r;
}

// The same values as another type, lane by lane, as static_cast does (out-of-range floats are the caller's care). The
// compiler has good code for the widths that are one step apart at most.
template <class To, class T, int N>
SUANZI_INLINE Vec<To, N> convert(Vec<T, N> x) {
  constexpr bool integers = std::is_integral_v<T> && std::is_integral_v<To>;
  constexpr int from = sizeof(T), to = sizeof(To);
  [[maybe_unused]] constexpr bool whole = N * 8 == vector_bytes || (has_avx2 && N * 8 == 32);
#if defined(__AVX2__)
  if constexpr (whole && std::is_same_v<T, float> && std::is_same_v<To, double>)
    return from_register<To, N>(x86::widen_all(to_register(x)));
  if constexpr (whole && std::is_same_v<T, double> && std::is_same_v<To, float>)
    return from_register<To, N>(x86::narrow_all(to_register(x)));
#endif
#if defined(__x86_64__)
  if constexpr (whole && std::is_same_v<T, int32_t> && std::is_same_v<To, double>)
    return from_register<To, N>(x86::to_doubles(x86::low_bytes(x.v)));
  using Resize = x86::Resize<to, from, N>;
  if constexpr (integers && Resize::exists)
    return x86::from_low_bytes<typename Vec<To, N>::native>(
        Resize::template of<std::is_signed_v<T>>(x86::low_bytes(x.v)));
#endif
  if constexpr (integers && to > 2 * from) {
    using Next = typename IntOfSize<2 * from>::type;
    return convert<To>(convert<std::conditional_t<std::is_signed_v<T>, Next, std::make_unsigned_t<Next>>>(x));
  } else if constexpr (integers && 2 * to < from) {
    return convert<To>(convert<typename IntOfSize<from / 2>::type>(x));
  } else if constexpr (!integers && (from < 4 || to < 4)) {
    return convert<To>(convert<int32_t>(x));
  } else {
    return __builtin_convertvector(x.v, typename Vec<To, N>::native);
  }
}

// A mask for lanes of another width.
template <class To, int Bytes, int N>
SUANZI_INLINE Mask<sizeof(To), N> convert_mask(Mask<Bytes, N> m) {
  return {__builtin_convertvector(m.v, typename Mask<sizeof(To), N>::native)};
}

template <class T, int N>
SUANZI_INLINE Mask<sizeof(T), N> mask_from_bits(Vec<IntFor<T>, N> bits) {
  return {bits.v};
}

template <int Bytes, int N>
SUANZI_INLINE bool any(Mask<Bytes, N> m) {
#if defined(__x86_64__)
#if defined(__AVX512F__)
  if constexpr (sizeof(m.v) == 64) return x86::any_bit(reinterpret_cast<__m512i>(m.v));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(m.v) == 32) return x86::any_bit(reinterpret_cast<__m256i>(m.v));
#endif
  if constexpr (sizeof(m.v) == 16) return x86::any_bit(reinterpret_cast<__m128i>(m.v));
#endif
  uint8_t bits = 0;
  uint8_t bytes[sizeof(m.v)];
  std::memcpy(bytes, &m.v, sizeof(m.v));
  for (uint8_t b : bytes) bits |= b;
  return bits != 0;
}

// a < b ? a : b and a > b ? a : b: where either is NaN, b. In one expression, the compiler knows it for integers.
template <class T, int N>
SUANZI_INLINE Vec<T, N> min(Vec<T, N> a, Vec<T, N> b) {
#if defined(__x86_64__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::min(to_register(a), to_register(b)));
#endif
  return a.v < b.v ? a.v : b.v;
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> max(Vec<T, N> a, Vec<T, N> b) {
#if defined(__x86_64__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::max(to_register(a), to_register(b)));
#endif
  return a.v > b.v ? a.v : b.v;
}

// The same, but NaN where either is.
template <class T, int N>
SUANZI_INLINE Vec<T, N> min_or_nan(Vec<T, N> a, Vec<T, N> b) {
#if defined(__AVX512F__)
  if constexpr (has_register<T, N>) return from_register<T, N>(x86::lesser_of_any_zero(to_register(a), to_register(b)));
#endif
  return select(a != a, a, min(a, b));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> max_or_nan(Vec<T, N> a, Vec<T, N> b) {
#if defined(__AVX512F__)
  if constexpr (has_register<T, N>)
    return from_register<T, N>(x86::greater_of_any_zero(to_register(a), to_register(b)));
#endif
  return select(a != a, a, max(a, b));
}

// Sign-bit work on floating lanes.
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
