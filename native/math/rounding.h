// Correct rounding to float32. The result of a function is the float32 nearest to the exact result, so the bits of the
// result are the same at every level and on every processor.
//
// A function first computes a quick result with a known error, in float64 or in pairs of float32. If all numbers in the
// interval around the quick result round to one float32, that number is the result. If the interval of some lane of a
// vector contains the middle of two float32 numbers, the code computes the vector again by the accurate algorithm. The
// accurate algorithm rounds the result of the float64 function. The rounded result is wrong for the few inputs whose
// exact result is closer to the middle between two floats than to the result of the float64 function.
// tools/accuracy/hard_cases.py finds these inputs by a test of all 2^32 inputs. coefficients/hard_cases.h lists these
// inputs with their results. tools/accuracy/hashes.py compares hashes of the results of all inputs with the conformance
// kit's hashes.
//
// A function F is a struct with
//   quick(x), which returns a Quick<N>, QuickInDouble<N> or Ends<N>,
//   accurate(x), which is the float64 function,
//   hard_cases, which is the list of hard cases if F has one operand, and
//   full_width, which is true if `quick` works in as many lanes as a register has floats, and false if `quick` works in
//   as many lanes as a register has doubles.
// SUANZI_ROUNDED_CORRECTLY defines the rounded function of F.
#pragma once

#include "math/coefficients/hard_cases.h"
#include "math/common.h"
#include "simd/codes.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL::math {

using coefficients::HardCase;
using coefficients::HardCases;

// The result of a quick algorithm. A lane is open if the quick algorithm does not decide the lane's result.
template <int N>
struct Quick {
  Vec<float, N> value;
  Mask<4, N> open;
};

// A variant of Quick with a `sure` that is 0 in open lanes. With AVX-512, testing `sure` is cheaper than testing a
// mask.
template <int N, class Word = uint64_t>
struct QuickInDouble {
  Vec<float, N> value;
  Vec<Word, N> sure;
};

// A variant of Quick with the two rounded ends of an interval around the result. A lane is open if the ends differ or
// are NaN. With AVX-512, comparing the ends last is faster than a mask.
template <int N>
struct Ends {
  Vec<float, N> value, low, high;
};

template <int N>
SUANZI_INLINE bool any_open(const Quick<N>& found) {
  return any(found.open);
}
template <int N, class Word>
SUANZI_INLINE bool any_open(const QuickInDouble<N, Word>& found) {
  return any_zero(found.sure);
}
template <int N>
SUANZI_INLINE bool any_open(const Ends<N>& found) {
  return any_unequal(found.low, found.high);
}

// Tests a float64 y with a relative error of at most 2^-`bits`. A lane of the result is 0 if the middle of two floats
// may be closer to y than the error of y. y must be 0 or normal as a float32. The caller declares other lanes open.
template <int bits, int N>
SUANZI_INLINE Vec<uint64_t, N> sure_bits(Vec<double, N> y) {
  // The last 29 bits of y decide whether y is open. These bits are 2^28 in the middle between two floats. The code adds
  // 2^28 and a margin, so that the decisive bits, which are the upper bits of the sum's last 29 bits, are 0 if y is
  // open.
  constexpr uint64_t middle = uint64_t{1} << 28, margin = uint64_t{1} << (53 - bits);
  constexpr uint64_t decisive = (2 * middle - 1) & ~(2 * margin - 1);
  using Bits = Vec<uint64_t, N>;
  return (bit_cast<uint64_t>(y) + Bits(middle + margin)) & Bits(decisive);
}
template <int bits, int N>
SUANZI_INLINE Quick<N> round_quickly(Vec<double, N> y) {
  const Vec<uint64_t, N> sure = sure_bits<bits>(y);
  if constexpr (vector_bytes == 16) {  // the level has no comparison of 64 bits
    return {convert<float>(y), convert<uint32_t>(sure) == Vec<uint32_t, N>(uint32_t{0})};
  } else {
    return {convert<float>(y), convert_mask<float>(sure == Vec<uint64_t, N>(uint64_t{0}))};
  }
}

// Rounds the lanes of y and of `upper` to float32. The result has the lanes of y in its lower half, and the lanes of
// `upper` in its upper half.
template <int bits, int N>
SUANZI_INLINE QuickInDouble<2 * N, uint32_t> round_quickly(Vec<double, N> y, Vec<double, N> upper) {
  const auto value = join(convert<float>(y), convert<float>(upper));
  constexpr uint32_t middle = uint32_t{1} << 28, margin = uint32_t{1} << (53 - bits);
  constexpr uint32_t decisive = (2 * middle - 1) & ~(2 * margin - 1);
  using Bits = Vec<uint32_t, 2 * N>;
  const Bits last = alternate<0>(bit_cast<uint32_t>(y), bit_cast<uint32_t>(upper));
  return {value, (last + Bits(middle + margin)) & Bits(decisive)};
}

// Rounds the ends s + low and s + high of an interval. One end is below the exact result, and the other end is above
// the exact result.
template <int N>
SUANZI_INLINE Ends<N> round_ends(Vec<float, N> s, Vec<float, N> low, Vec<float, N> high) {
  const Vec<float, N> value = s + low;
  return {value, value, s + high};
}
template <int N>
SUANZI_INLINE Quick<N> open_where(Quick<N> found, Mask<4, N> open) {
  found.open = found.open | open;
  return found;
}
template <int N>
SUANZI_INLINE Ends<N> open_where(Ends<N> found, Mask<4, N> open) {
  found.high = or_bits(found.high, bit_cast<float>(Vec<int32_t, N>(open.v)));  // open lanes become NaN
  return found;
}

// Rounds the sum hi + lo, where lo is the rounding error of hi, to the neighbouring double whose last bit is 1. An
// exact hi stays unchanged. No float32 and no middle of two float32 numbers lies between the sum and that double. The
// conversion to float32 therefore rounds only once, even to denormal results (Boldo and Melquiond, "Emulation of a FMA
// and correctly rounded sums: proved algorithms using rounding to odd", 2008).
template <int N>
SUANZI_INLINE Vec<double, N> round_to_odd(DoubleDouble<N> sum) {
  using Bits = Vec<uint64_t, N>;
  const Bits hi = bit_cast<uint64_t>(sum.hi), lo = bit_cast<uint64_t>(sum.lo), one(uint64_t{1});
  const Bits toward_lo = one - (((hi ^ lo) >> 63) << 1);  // 1 or -1
  const Mask<8, N> moves = (sum.lo != Vec<double, N>(0.0)) & ((hi & one) == Bits(uint64_t{0}));
  return bit_cast<double>(select(moves, hi + toward_lo, hi));
}

template <int N>
SUANZI_INLINE Vec<float, N> settle(Vec<float, N> result, const HardCase& known, Vec<float, N> x) {
  return select(x == Vec<float, N>(known.x), known.result, result);
}

// Returns F of each lane of a vector. The function uses F's accurate algorithm.
template <class F, int N, class... Operands>
__attribute__((noinline, cold)) Vec<float, N> round_accurately(Operands... x) {
  // Each step computes as many lanes as a register has doubles.
  constexpr int width = N < vector_bytes / 8 ? N : vector_bytes / 8;
  Vec<float, N> result;
  for (int i = 0; i < N; i += width) {
    const auto part = [i](const Vec<float, N>& whole) __attribute__((always_inline)) {
      return Vec<float, width>::load(reinterpret_cast<const float*>(&whole) + i);
    };
    Vec<float, width> r = convert<float>(F::accurate(convert<double>(part(x))...));
    if constexpr (sizeof...(Operands) == 1)
      for (int k = 0; k < F::hard_cases.count; ++k) r = settle(r, F::hard_cases.list[k], part(x)...);
    r.store(reinterpret_cast<float*>(&result) + i);
  }
  return result;
}

// Returns F of one or two operands, correctly rounded.
template <class F, int N, class... More>
SUANZI_INLINE Vec<float, N> round_correctly(Vec<float, N> x, More... more) {
  const auto found = F::quick(x, more...);
  if (__builtin_expect(any_open(found), 0)) return round_accurately<F, N>(x, more...);
  return found.value;
}

// The number of elements of type T that a kernel passes to F at a time.
template <class F, class T>
inline constexpr int lanes_of = vector_bytes / (std::is_same_v<T, float> && F::full_width ? 4 : 8);

#define SUANZI_ROUNDED_CORRECTLY(name, F)                           \
  template <int N, class... More>                                   \
    requires requires(Vec<float, N> x) { F::quick(x, More()...); }  \
  SUANZI_INLINE Vec<float, N> name(Vec<float, N> x, More... more) { \
    return round_correctly<F>(x, more...);                          \
  }                                                                 \
  template <class T>                                                \
  inline constexpr int lanes_of_##name = lanes_of<F, T>;

}  // namespace suanzi::SUANZI_LEVEL::math
