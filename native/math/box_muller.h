// Two independent normal numbers from two random words (Box and Muller 1958, "A note on the generation of random normal
// deviates"). The two numbers are sqrt(-2 log u) times the cosine and the sine of a random angle, and have errors of a
// few ulp.
//
// A tensor of random numbers is the same on every machine, so the code uses only additions, multiplications, divisions
// and square roots, each rounded separately. The code uses no fused multiply-add and no other mathematical function.
//
// The uniform u is (word + 1/2) / 2^32 for float32 and (word + 1/2) / 2^64 for float64. u is never 0 or 1, so float32
// normal numbers reach 6.76, and float64 normal numbers reach 9.49. Near 1, the code rounds 1 - u to the type instead
// of u, so that small radii are as accurate as large radii.
#pragma once

#include "math/coefficients/box_muller.h"
#include "math/coefficients/exp.h"
#include "math/coefficients/log.h"
#include "math/coefficients/trig.h"
#include "simd/integer.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL::math {

namespace normal {

namespace c = suanzi::coefficients;

template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr int mantissa_bits = 23, bias = 127;
  static constexpr uint32_t sqrt_half_bits = 0x3f3504f3;  // bits of the float
  static constexpr uint32_t sqrt_half_word = 0xb504f333;  // 2^32 sqrt(1/2)
  static constexpr float unit = 0x1p-32f, turn_word = 0x1p-30f;
  static constexpr const auto& log = c::normal_log;
  static constexpr const auto& sin = c::normal_sin;
  static constexpr const auto& cos = c::normal_cos;
  static constexpr double ln2_short = c::normal_ln2_short, ln2_rest = c::normal_ln2_rest;
};
template <>
struct Format<double> {
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr uint64_t sqrt_half_bits = 0x3fe6a09e667f3bcd;
  static constexpr uint64_t sqrt_half_word = 0xb504f333f9de6484;
  static constexpr double unit = 0x1p-64, turn_word = 0x1p-52;
  static constexpr const auto& log = c::log_tail;
  static constexpr const auto& sin = c::sin_tail;
  static constexpr const auto& cos = c::cos_tail;
  static constexpr double ln2_short = c::ln2_short, ln2_rest = c::ln2_rest;
};

// Returns c[0] + c[1] x + ..., with each operation rounded.
template <class T, int N, int Count>
SUANZI_INLINE Vec<T, N> series(Vec<T, N> x, const double (&c)[Count]) {
  Vec<T, N> r(static_cast<T>(c[Count - 1]));
  for (int i = Count - 2; i >= 0; --i) r = r * x + Vec<T, N>(static_cast<T>(c[i]));
  return r;
}

// Returns log((word + 1/2) / 2^bits) = k log(2) + log(1 + f), where 1 + f is from sqrt(1/2) to sqrt(2).
template <class T, int N>
SUANZI_INLINE Vec<T, N> log_of_uniform(Vec<UintFor<T>, N> word) {
  using F = Format<T>;
  using V = Vec<T, N>;
  using Word = UintFor<T>;
  using Words = Vec<Word, N>;
  constexpr Word one_bits = Word{F::bias} << F::mantissa_bits;
  constexpr T magic = static_cast<T>(uint64_t{1} << F::mantissa_bits);
  const Mask<sizeof(T), N> near_one = word >= Words(F::sqrt_half_word);
  const V x = to_real(select(near_one, ~word, word), T(0.5)) * V(F::unit);  // u, or 1 - u
  const Words shifted = bit_cast<Word>(x) + Words(one_bits - F::sqrt_half_bits);
  const Words mantissa = shifted & Words((Word{1} << F::mantissa_bits) - 1);
  const V k = bit_cast<T>((shifted >> F::mantissa_bits) | bit_cast<Word>(V(magic))) - V(magic + F::bias);
  const V f = select(near_one, -x, bit_cast<T>(mantissa + Words(F::sqrt_half_bits)) - V(T(1)));
  const V whole = select(near_one, V(T(0)), k);
  const V t = f / (V(T(1)) + V(T(0.5)) * f), z = t * t;
  const V tail = t * z * series(z, F::log) + whole * V(static_cast<T>(F::ln2_rest));
  return whole * V(static_cast<T>(F::ln2_short)) + (t + tail);
}

// Returns the fraction of a word's angle, divided by turn_word. The angle is (quarter + fraction) turns / 4, and the
// fraction is from -1/2 to 1/2. Before the result is rounded to float, the result is an integer plus 1/2.
template <int N>
SUANZI_INLINE Vec<float, N> fraction_of(Vec<uint32_t, N> shifted) {
  constexpr uint32_t half = uint32_t{1} << 29;
  const Vec<uint32_t, N> within = shifted & Vec<uint32_t, N>(2 * half - 1);
  return convert<float>(bit_cast<int32_t>(within - Vec<uint32_t, N>(half))) + Vec<float, N>(0.5f);
}
// Returns the fraction of a word's angle, divided by turn_word, from the upper 54 of the word's 64 bits.
template <int N>
SUANZI_INLINE Vec<double, N> fraction_of(Vec<uint64_t, N> shifted) {
  const Vec<uint64_t, N> within = (shifted & Vec<uint64_t, N>((uint64_t{1} << 62) - 1)) >> 10;
  const Vec<double, N> magic(0x1p52);
  return (bit_cast<double>(within | bit_cast<uint64_t>(magic)) - Vec<double, N>(0x1p52 + 0x1p51)) + Vec<double, N>(0.5);
}

template <class T, int N>
struct Pair {
  Vec<T, N> cos, sin;
};

template <class T, int N>
SUANZI_INLINE Pair<T, N> direction(Vec<UintFor<T>, N> word) {
  using F = Format<T>;
  using V = Vec<T, N>;
  using Word = UintFor<T>;
  using Words = Vec<Word, N>;
  constexpr int bits = 8 * sizeof(T);
  constexpr Word eighth = Word{1} << (bits - 3), quarter = Word{1} << (bits - 2), half = Word{1} << (bits - 1);
  const Words shifted = word + Words(eighth);  // the two upper bits are the quarter of the angle
  const V r = fraction_of(shifted) * V(static_cast<T>(c::half_pi[0] * F::turn_word)), z = r * r;
  const V sine = r + r * z * series(z, F::sin);
  const V cosine = V(T(1)) - (V(T(0.5)) * z - z * z * series(z, F::cos));
  const Mask<sizeof(T), N> odd = (shifted & Words(quarter)) != Words(Word{0});
  const V cos_sign = bit_cast<T>((shifted + Words(quarter)) & Words(half));
  const V sin_sign = bit_cast<T>(shifted & Words(half));
  return {xor_bits(select(odd, sine, cosine), cos_sign), xor_bits(select(odd, cosine, sine), sin_sign)};
}

}  // namespace normal

template <class T, int N>
SUANZI_INLINE normal::Pair<T, N> box_muller(Vec<UintFor<T>, N> radius, Vec<UintFor<T>, N> angle) {
  const Vec<T, N> r = sqrt(Vec<T, N>(T(-2)) * normal::log_of_uniform<T>(radius));
  const normal::Pair<T, N> p = normal::direction<T>(angle);
  return {r * p.cos, r * p.sin};
}

}  // namespace suanzi::SUANZI_LEVEL::math
