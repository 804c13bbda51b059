// NEON, which every 64-bit Arm processor has. The set has 32 registers of 16 bytes.
#pragma once

#include <arm_neon.h>

#include <utility>

#include "simd/arch/generic.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Neon : Generic {
  static constexpr int vector_registers = 32;
  static constexpr bool fuses_multiply_add = true;
  static constexpr bool multiplies_quads = false;
  static constexpr bool rounds_to_integral = true;
  static constexpr bool converts_int64 = true;
  static constexpr int float_table = 8;
  template <class T, int N>
  static constexpr bool permutes = sizeof(T) == 4 && N == 4;
  template <class T, int N>
  static constexpr bool compresses = sizeof(T) >= 4 && sizeof(T) * N == 16;
};

// `as` converts a vector to the intrinsics' type for a register, and `from` converts a register to a vector.
template <class Register, class V>
SUANZI_INLINE Register as(V x) {
  return reinterpret_cast<Register>(x.v);
}
template <class V, class Register>
SUANZI_INLINE V from(Register x) {
  return reinterpret_cast<typename V::native>(x);
}

// `half` returns a half of a vector, and `joined` joins two halves. Operations on long vectors work on the two halves.
template <int Which, class T, int N, int... Lane>
SUANZI_INLINE Vec<T, N / 2> lanes_of_half(Vec<T, N> x, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(x.v, x.v, (Which * N / 2 + Lane)...);
}
template <int Which, class T, int N>
SUANZI_INLINE Vec<T, N / 2> half(Vec<T, N> x) {
  return lanes_of_half<Which>(x, std::make_integer_sequence<int, N / 2>{});
}
template <class T, int N, int... Lane>
SUANZI_INLINE Vec<T, 2 * N> lanes_of_both(Vec<T, N> low, Vec<T, N> high, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(low.v, high.v, Lane...);
}
template <class T, int N>
SUANZI_INLINE Vec<T, 2 * N> joined(Vec<T, N> low, Vec<T, N> high) {
  return lanes_of_both(low, high, std::make_integer_sequence<int, 2 * N>{});
}

// --- conversions of short vectors, which the compiler would convert lane by lane ---

SUANZI_INLINE Vec<double, 2> to_float64(Neon, Vec<float, 2> x) {
  return from<Vec<double, 2>>(vcvt_f64_f32(as<float32x2_t>(x)));
}
SUANZI_INLINE Vec<double, 2> to_float64(Neon, Vec<int32_t, 2> x) {
  return from<Vec<double, 2>>(vcvtq_f64_s64(vmovl_s32(as<int32x2_t>(x))));
}
SUANZI_INLINE Vec<float, 2> to_float32(Neon, Vec<double, 2> x) {
  return from<Vec<float, 2>>(vcvt_f32_f64(as<float64x2_t>(x)));
}
SUANZI_INLINE Vec<double, 2> to_double(Neon, Vec<int64_t, 2> n) {
  return from<Vec<double, 2>>(vcvtq_f64_s64(as<int64x2_t>(n)));
}

SUANZI_INLINE Vec<float, 4> widen_float16(Neon, Vec<uint16_t, 4> x) {
  return from<Vec<float, 4>>(vcvt_f32_f16(as<float16x4_t>(x)));
}
SUANZI_INLINE Vec<uint16_t, 4> narrow_float16(Neon, Vec<float, 4> x) {
  return from<Vec<uint16_t, 4>>(vcvt_f16_f32(as<float32x4_t>(x)));
}
template <int N>
  requires(N > 4)
SUANZI_INLINE Vec<float, N> widen_float16(Neon set, Vec<uint16_t, N> x) {
  return joined(widen_float16(set, half<0>(x)), widen_float16(set, half<1>(x)));
}
template <int N>
  requires(N > 4)
SUANZI_INLINE Vec<uint16_t, N> narrow_float16(Neon set, Vec<float, N> x) {
  return joined(narrow_float16(set, half<0>(x)), narrow_float16(set, half<1>(x)));
}

SUANZI_INLINE Vec<int32_t, 4> nearest_int32(Neon, Vec<float, 4> x) {
  return from<Vec<int32_t, 4>>(vcvtnq_s32_f32(as<float32x4_t>(x)));
}
SUANZI_INLINE Vec<int32_t, 2> nearest_int32(Neon, Vec<double, 2> x) {
  return from<Vec<int32_t, 2>>(vqmovn_s64(vcvtnq_s64_f64(as<float64x2_t>(x))));
}
template <class T, int N>
  requires(sizeof(T) * N > 16)
SUANZI_INLINE Vec<int32_t, N> nearest_int32(Neon set, Vec<T, N> x) {
  return joined(nearest_int32(set, half<0>(x)), nearest_int32(set, half<1>(x)));
}
SUANZI_INLINE Vec<int8_t, 8> saturated_bytes(Neon, Vec<int32_t, 8> x, Vec<int8_t, 8> least) {
  const int16x4_t low = vqmovn_s32(as<int32x4_t>(half<0>(x))), high = vqmovn_s32(as<int32x4_t>(half<1>(x)));
  return from<Vec<int8_t, 8>>(vmax_s8(vqmovn_s16(vcombine_s16(low, high)), as<int8x8_t>(least)));
}

// --- comparison ---

template <int Bytes, int N>
  requires(Bytes * N == 16)
SUANZI_INLINE bool any(Neon, Mask<Bytes, N> m) {
  return vmaxvq_u32(as<uint32x4_t>(m)) != 0;
}

// Lane i of the mask becomes 2^i or 0, so the sum of the lanes is the mask as an integer.
template <int Bytes, int N>
  requires(Bytes * N == 16)
SUANZI_INLINE uint64_t to_bits(Neon, Mask<Bytes, N> m) {
  if constexpr (Bytes == 8) {
    const uint64x2_t places = {1, 2};
    return vaddvq_u64(vandq_u64(as<uint64x2_t>(m), places));
  } else if constexpr (Bytes == 4) {
    const uint32x4_t places = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(as<uint32x4_t>(m), places));
  } else if constexpr (Bytes == 2) {
    const uint16x8_t places = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16(vandq_u16(as<uint16x8_t>(m), places));
  } else {
    const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t kept = vandq_u8(as<uint8x16_t>(m), places);
    return vaddv_u8(vget_low_u8(kept)) | static_cast<unsigned>(vaddv_u8(vget_high_u8(kept))) << 8;
  }
}

template <int N>
  requires(N == 16)
SUANZI_INLINE uint32_t test_bytes(Neon set, const uint8_t* p, uint8_t bit) {
  const uint8x16_t found = vtstq_u8(vld1q_u8(p), vdupq_n_u8(bit));
  return static_cast<uint32_t>(to_bits(set, Mask<1, 16>{reinterpret_cast<Mask<1, 16>::native>(found)}));
}

// The instructions order -0 before 0 and return NaN if an operand is NaN. A signalling NaN becomes quiet.
SUANZI_INLINE Vec<float, 4> maximum(Neon, Vec<float, 4> a, Vec<float, 4> b) {
  return from<Vec<float, 4>>(vmaxq_f32(as<float32x4_t>(a), as<float32x4_t>(b)));
}
SUANZI_INLINE Vec<double, 2> maximum(Neon, Vec<double, 2> a, Vec<double, 2> b) {
  return from<Vec<double, 2>>(vmaxq_f64(as<float64x2_t>(a), as<float64x2_t>(b)));
}
SUANZI_INLINE Vec<float, 4> minimum(Neon, Vec<float, 4> a, Vec<float, 4> b) {
  return from<Vec<float, 4>>(vminq_f32(as<float32x4_t>(a), as<float32x4_t>(b)));
}
SUANZI_INLINE Vec<double, 2> minimum(Neon, Vec<double, 2> a, Vec<double, 2> b) {
  return from<Vec<double, 2>>(vminq_f64(as<float64x2_t>(a), as<float64x2_t>(b)));
}

// --- arithmetic ---

SUANZI_INLINE Vec<float, 4> fused_mul_add(Neon, Vec<float, 4> a, Vec<float, 4> b, Vec<float, 4> c) {
  return from<Vec<float, 4>>(vfmaq_f32(as<float32x4_t>(c), as<float32x4_t>(a), as<float32x4_t>(b)));
}
SUANZI_INLINE Vec<double, 2> fused_mul_add(Neon, Vec<double, 2> a, Vec<double, 2> b, Vec<double, 2> c) {
  return from<Vec<double, 2>>(vfmaq_f64(as<float64x2_t>(c), as<float64x2_t>(a), as<float64x2_t>(b)));
}

SUANZI_INLINE Vec<float, 4> sqrt(Neon, Vec<float, 4> x) { return from<Vec<float, 4>>(vsqrtq_f32(as<float32x4_t>(x))); }
SUANZI_INLINE Vec<double, 2> sqrt(Neon, Vec<double, 2> x) {
  return from<Vec<double, 2>>(vsqrtq_f64(as<float64x2_t>(x)));
}

// The instruction alone is accurate to 2^-8, and a step of Newton's method squares this error. x must be normal,
// because for a denormal the step overflows.
SUANZI_INLINE Vec<float, 4> rsqrt_estimate(Neon, Vec<float, 4> x) {
  const float32x4_t coarse = vrsqrteq_f32(as<float32x4_t>(x));
  const float32x4_t step = vrsqrtsq_f32(as<float32x4_t>(x), vmulq_f32(coarse, coarse));
  return from<Vec<float, 4>>(vmulq_f32(coarse, step));
}
SUANZI_INLINE Vec<float, 4> reciprocal_estimate(Neon, Vec<float, 4> x) {
  const float32x4_t coarse = vrecpeq_f32(as<float32x4_t>(x));
  return from<Vec<float, 4>>(vmulq_f32(coarse, vrecpsq_f32(as<float32x4_t>(x), coarse)));
}

SUANZI_INLINE Vec<uint64_t, 2> multiply_words(Neon, Vec<uint64_t, 2> a, Vec<uint64_t, 2> b) {
  return from<Vec<uint64_t, 2>>(vmull_u32(vmovn_u64(as<uint64x2_t>(a)), vmovn_u64(as<uint64x2_t>(b))));
}
SUANZI_INLINE Vec<uint16_t, 8> multiply_high(Neon, Vec<uint16_t, 8> a, Vec<uint16_t, 8> b) {
  const uint16x8_t x = as<uint16x8_t>(a), y = as<uint16x8_t>(b);
  const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y)), high = vmull_high_u16(x, y);
  return from<Vec<uint16_t, 8>>(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
}
SUANZI_INLINE Vec<uint32_t, 4> multiply_high(Neon, Vec<uint32_t, 4> a, Vec<uint32_t, 4> b) {
  const uint32x4_t x = as<uint32x4_t>(a), y = as<uint32x4_t>(b);
  const uint64x2_t low = vmull_u32(vget_low_u32(x), vget_low_u32(y)), high = vmull_high_u32(x, y);
  return from<Vec<uint32_t, 4>>(vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high)));
}

#define SUANZI_ROUND(T, n, bits)                                                \
  template <Rounding M>                                                         \
  SUANZI_INLINE Vec<T, n> round(Neon, Vec<T, n> x) {                            \
    using Register = float##bits##x##n##_t;                                     \
    const Register r = as<Register>(x);                                         \
    if constexpr (M == nearest_even) return from<Vec<T, n>>(vrndnq_f##bits(r)); \
    if constexpr (M == down) return from<Vec<T, n>>(vrndmq_f##bits(r));         \
    if constexpr (M == up) return from<Vec<T, n>>(vrndpq_f##bits(r));           \
    if constexpr (M == toward_zero) return from<Vec<T, n>>(vrndq_f##bits(r));   \
  }
SUANZI_ROUND(float, 4, 32)
SUANZI_ROUND(double, 2, 64)
#undef SUANZI_ROUND

// --- lanes ---

// Returns the indices of the bytes of 32-bit words. Each lane of `words` is the index of a word.
SUANZI_INLINE uint8x16_t bytes_of_words(uint32x4_t words) {
  return vreinterpretq_u8_u32(vmlaq_n_u32(vdupq_n_u32(0x03020100), words, 0x04040404));
}

template <class T>
  requires(sizeof(T) == 4)
SUANZI_INLINE Vec<T, 4> permute(Neon, Vec<T, 4> x, Vec<int32_t, 4> index) {
  return from<Vec<T, 4>>(vqtbl1q_u8(as<uint8x16_t>(x), bytes_of_words(as<uint32x4_t>(index))));
}

// A set bit in the index of an entry chooses one of `Lanes` lanes. The entry holds the indices of the bytes of the
// chosen lanes, in order.
template <int Lanes>
struct CompressTable {
  uint8_t bytes[1 << Lanes][16] = {};
  constexpr CompressTable() {
    constexpr int size = 16 / Lanes;
    for (int bits = 0; bits < 1 << Lanes; ++bits) {
      int at = 0;
      for (int lane = 0; lane < Lanes; ++lane)
        for (int byte = 0; bits >> lane & 1 && byte < size; ++byte)
          bytes[bits][at++] = static_cast<uint8_t>(lane * size + byte);
    }
  }
};
template <int Lanes>
inline constexpr CompressTable<Lanes> compress_table;

// Returns a vector that begins with the lanes whose bit is set. The other lanes of the result are unspecified.
template <class T, int N>
  requires(Neon::compresses<T, N>)
SUANZI_INLINE Vec<T, N> compressed(Vec<T, N> x, uint64_t bits) {
  return from<Vec<T, N>>(vqtbl1q_u8(as<uint8x16_t>(x), vld1q_u8(compress_table<N>.bytes[bits])));
}
template <class T, int N>
  requires(Neon::compresses<T, N>)
SUANZI_INLINE int compress_store(Neon, Vec<T, N> x, uint64_t bits, T* p) {
  compressed(x, bits).store(p);
  return __builtin_popcountll(bits);
}
template <class T, int N>
  requires(Neon::compresses<T, N>)
SUANZI_INLINE int compress_store_exactly(Neon, Vec<T, N> x, uint64_t bits, T* p) {
  const int count = __builtin_popcountll(bits);
  compressed(x, bits).store_first(p, count);
  return count;
}

// Returns table[i] for each index, where i is the lowest 3 bits (table of 8) or the lowest 4 bits (table of 16) of the
// index.
SUANZI_INLINE Vec<float, 4> lookup(Neon, const float (&table)[8], Vec<uint32_t, 4> index) {
  const uint8x16x2_t entries = vld1q_u8_x2(reinterpret_cast<const uint8_t*>(table));
  return from<Vec<float, 4>>(vqtbl2q_u8(entries, bytes_of_words(as<uint32x4_t>(index & Vec<uint32_t, 4>(7u)))));
}
SUANZI_INLINE Vec<float, 4> lookup(Neon, const float (&table)[16], Vec<uint32_t, 4> index) {
  const uint8x16x4_t entries = vld1q_u8_x4(reinterpret_cast<const uint8_t*>(table));
  return from<Vec<float, 4>>(vqtbl4q_u8(entries, bytes_of_words(as<uint32x4_t>(index & Vec<uint32_t, 4>(15u)))));
}

}  // namespace suanzi::SUANZI_LEVEL::arch
