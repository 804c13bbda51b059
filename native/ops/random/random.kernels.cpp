// The kernels of random numbers on Vec. The kernels compute N blocks of Philox at a time, and compute uniform, normal
// and bernoulli numbers from the words of these blocks. The other files of this folder handle pieces, threads, and
// 16-bit and complex types.
#include "ops/random/random.kernels.h"

#include <cstring>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "math/box_muller.h"
#include "simd/complex.h"
#include "simd/integer.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int N = vector_bytes / 8;
using Words = Vec<uint64_t, N>;

// The words of N consecutive blocks. Only the lower half of each lane is a word. The upper half is a remainder of the
// last product.
struct Blocks {
  Words word[4];

  // Returns words 0 and 1, or 2 and 3, of each block as one lane.
  SUANZI_INLINE Words pair(int k) const { return (word[2 * k] & Words(low_word)) | (word[2 * k + 1] << 32); }
};

struct RoundKeys {
  uint64_t key[philox::rounds][2];

  SUANZI_INLINE explicit RoundKeys(uint64_t seed) {
    uint32_t k[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    for (auto& round : key)
      for (int i = 0; i < 2; ++i) {
        round[i] = k[i];
        k[i] += philox::key_step[i];
      }
  }
};

SUANZI_INLINE Blocks blocks(const RoundKeys& keys, Words number, philox::Stream stream) {
  const Words m0(uint64_t{philox::multiplier[0]}), m1(uint64_t{philox::multiplier[1]});
  Blocks c{{number, number >> 32, Words(static_cast<uint64_t>(stream)), Words(uint64_t{0})}};
  for (const auto& key : keys.key) {
    const Words a = multiply_words(c.word[0], m0), b = multiply_words(c.word[2], m1);
    c = {{(b >> 32) ^ c.word[1] ^ Words(key[0]), b, (a >> 32) ^ c.word[3] ^ Words(key[1]), a}};
  }
  return c;
}

// Writes the n elements with the numbers [first, first + n). Each block yields PerBlock elements. make(blocks, number
// of the first block, target, position) writes the elements of N blocks to `target`. The first of these elements is
// out[position]. The target of a last, partial step is a buffer.
template <int PerBlock, class T, class Make>
SUANZI_INLINE void generate(T* out, int64_t first, int64_t n, const RandomParams& params, Make make) {
  constexpr int64_t step = PerBlock * N;
  static_assert(random_step % step == 0);
  const RoundKeys keys(params.seed);
  uint64_t lanes[N];
  for (int k = 0; k < N; ++k) lanes[k] = static_cast<uint64_t>(k);
  uint64_t number = static_cast<uint64_t>(first) / PerBlock;
  for (int64_t i = 0; i < n; i += step, number += N) {
    const Blocks b = blocks(keys, Words::load(lanes) + Words(number), params.stream);
    if (n - i >= step) {
      make(b, number, out + i, i);
    } else {
      T last[step];
      make(b, number, last, i);
      std::memcpy(out + i, last, sizeof(T) * static_cast<unsigned>(n - i));
    }
  }
}

// Stores a[0], b[0], a[1], b[1], ..., which is the order of the parts of complex numbers.
template <class T, int M>
SUANZI_INLINE void store_alternately(Vec<T, M> a, Vec<T, M> b, T* p) {
  ComplexVec<T, M>{a, b}.store(p);
}

// The number of floating elements from one block. A block contains the bits of four float32 or of two float64.
template <class T>
inline constexpr int per_block = 16 / sizeof(T);

// Stores f(k, pair(k)) for each pair of words of the blocks, in the order of the elements. f returns a vector as wide
// as a register.
template <class T, class F>
SUANZI_INLINE void store_pairs(const Blocks& b, T* target, F f) {
  const auto part = [&](int k) __attribute__((always_inline)) {
    return bit_cast<uint64_t>(f(k, bit_cast<UintFor<T>>(b.pair(k))));
  };
  uint64_t elements[2 * N];
  store_alternately(part(0), part(1), elements);
  std::memcpy(target, elements, sizeof(elements));
}

// Returns the upper 24 (float32) or 53 (float64) bits of each word as a multiple of 2^-24 or 2^-53 below 1.
template <int M>
SUANZI_INLINE Vec<float, M> fraction(Vec<uint32_t, M> word) {
  return convert<float>(bit_cast<int32_t>(word >> 8)) * Vec<float, M>(0x1p-24f);
}
template <int M>
SUANZI_INLINE Vec<double, M> fraction(Vec<uint64_t, M> word) {
  // The two ways to convert `bits` to float64 are exact.
  const Vec<uint64_t, M> bits = word >> 11;
  return (Arch::converts_int64 ? convert<double>(bits) : to_real(bits, 0.0)) * Vec<double, M>(0x1p-53);
}

// Two numbers, one for even elements and one for odd elements. The vector of[k] is an operand of the operations on
// pair(k) of the blocks. For float32, each vector contains both numbers alternately. For float64, each vector contains
// one of the numbers.
template <class T>
struct Alternating {
  Vec<T, vector_bytes / sizeof(T)> of[2];

  SUANZI_INLINE explicit Alternating(const double (&values)[2]) {
    constexpr int M = vector_bytes / sizeof(T);
    for (int k = 0; k < 2; ++k) {
      T lanes[M];
      for (int lane = 0; lane < M; ++lane) lanes[lane] = static_cast<T>(values[sizeof(T) == 4 ? lane % 2 : k]);
      of[k] = Vec<T, M>::load(lanes);
    }
  }
};

template <class T>
void uniform_floating(void* out, int64_t first, int64_t n, const RandomParams& params) {
  using V = Vec<T, vector_bytes / sizeof(T)>;
  const Alternating<T> low(params.low), span(params.span), last(params.last);
  const V scale(static_cast<T>(params.scale));
  generate<per_block<T>>(static_cast<T*>(out), first, n, params,
                         [&](const Blocks& b, uint64_t, T* target, int64_t) __attribute__((always_inline)) {
                           store_pairs(b, target, [&](int k, auto words) __attribute__((always_inline)) {
                             return min(scale * (low.of[k] + fraction(words) * span.of[k]), last.of[k]);
                           });
                         });
}

template <class T>
void normal(void* out, int64_t first, int64_t n, const RandomParams& params) {
  constexpr int M = vector_bytes / sizeof(T);
  const Vec<T, M> std(static_cast<T>(params.std));
  const Vec<T, M> even(static_cast<T>(params.mean[0])), odd(static_cast<T>(params.mean[1]));
  generate<per_block<T>>(static_cast<T*>(out), first, n, params,
                         [&](const Blocks& b, uint64_t, T* target, int64_t) __attribute__((always_inline)) {
                           // For float32, words 0 and 2 are radii, and words 1 and 3 are angles, so that pairs of
                           // elements are in order.
                           Words radius = b.pair(0), angle = b.pair(1);
                           if constexpr (sizeof(T) == 4) {
                             radius = (b.word[0] & Words(low_word)) | (b.word[2] << 32);
                             angle = (b.word[1] & Words(low_word)) | (b.word[3] << 32);
                           }
                           using Word = UintFor<T>;
                           const auto p = math::box_muller<T>(bit_cast<Word>(radius), bit_cast<Word>(angle));
                           store_alternately(even + std * p.cos, odd + std * p.sin, target);
                         });
}

// Draws 1 if the word plus 1/2, rounded to T, is at most p 2^bits, and 0 otherwise. The probability of success is
// within half an ulp of p, and is exact for p = 0 and p = 1.
template <class T>
bool bernoulli(void* out, const void* p, int64_t first, int64_t n, const RandomParams& params) {
  constexpr int M = vector_bytes / sizeof(T);
  using V = Vec<T, M>;
  const V zero(T(0)), one(T(1)), range(sizeof(T) == 4 ? T(0x1p32) : T(0x1p64));
  const T* const probabilities = static_cast<const T*>(p);
  Mask<sizeof(T), M> valid = zero == zero;
  generate<per_block<T>>(static_cast<T*>(out), first, n, params,
                         [&](const Blocks& b, uint64_t, T* target, int64_t position) __attribute__((always_inline)) {
                           constexpr int64_t step = per_block<T> * N;
                           uint64_t words[2 * N];
                           store_alternately(b.pair(0), b.pair(1), words);
                           for (int k = 0; k < step; k += M) {
                             Vec<UintFor<T>, M> word;
                             std::memcpy(&word.v,
                                         reinterpret_cast<const char*>(words) + sizeof(T) * static_cast<unsigned>(k),
                                         sizeof(word.v));
                             const V chance = First{n - position}.load<M>(probabilities + position, k);
                             valid = valid & (chance >= zero) & (chance <= one);
                             select(to_real(word, T(0.5)) <= chance * range, one, zero).store(target + k);
                           }
                         });
  return !any(~valid);
}

// Integers are the upper half of word * count (Lemire 2019, "Fast random integer generation in an interval"). An
// integer is drawn again if the lower half shows that the word is among the 2^bits mod count words that would favour
// some results.

// The constant is true if words need 64 bits. Words of 64 bits make a second draw rare for any count of the type.
template <int Bytes>
inline constexpr bool takes_double_words = Bytes >= 4;

struct Range {
  uint64_t count, threshold;

  template <bool Double>
  static SUANZI_INLINE Range of(uint64_t count) {
    if (count == 0) return {0, 0};
    return {count, Double ? (0 - count) % count : (uint64_t{1} << 32) % count};
  }
};

template <bool Double>
SUANZI_INLINE WideProduct<N> scaled(Words word, Words count) {
  if constexpr (Double) {
    return multiply_wide(word, count);
  } else {
    const Words p = multiply_words(word, count);
    return {p >> 32, p & Words(low_word)};
  }
}

// Draws again for the lanes whose word was rejected. Lane k holds the element with the number `number` + k * stride.
template <bool Double>
__attribute__((noinline)) void draw_again(uint64_t* result, const uint64_t* rest, uint64_t number, uint64_t stride,
                                          const RandomParams& params, Range range) {
  for (int k = 0; k < N; ++k) {
    uint64_t low = rest[k];
    const uint64_t i = number + static_cast<uint64_t>(k) * stride;
    for (uint32_t attempt = 1; low < range.threshold; ++attempt) {
      if constexpr (Double) {
        const auto p =
            static_cast<unsigned __int128>(philox::double_word(params.seed, i, params.stream, attempt)) * range.count;
        low = static_cast<uint64_t>(p);
        result[k] = static_cast<uint64_t>(p >> 64);
      } else {
        const uint64_t p = philox::word(params.seed, i, params.stream, attempt) * range.count;
        low = p & low_word;
        result[k] = p >> 32;
      }
    }
  }
}

template <bool Double>
SUANZI_INLINE Words bounded(Words word, uint64_t number, uint64_t stride, const RandomParams& params, Range range) {
  if (Double && range.count == 0) return word + Words(params.least);
  WideProduct<N> p = scaled<Double>(word, Words(range.count));
  if (__builtin_expect(any(p.low < Words(range.threshold)), 0)) {
    uint64_t result[N], rest[N];
    p.high.store(result);
    p.low.store(rest);
    draw_again<Double>(result, rest, number, stride, params, range);
    p.high = Words::load(result);
  }
  return p.high + Words(params.least);
}

template <class T>
void uniform_integers(void* out, int64_t first, int64_t n, const RandomParams& params) {
  constexpr bool Double = takes_double_words<sizeof(T)>;
  constexpr int Count = Double ? 2 : 4;
  const Range range = Range::of<Double>(params.count);
  generate<Count>(static_cast<T*>(out), first, n, params,
                  [&](const Blocks& b, uint64_t number, T* target, int64_t) __attribute__((always_inline)) {
                    Words value[Count];
                    for (int k = 0; k < Count; ++k)
                      value[k] = bounded<Double>(Double ? b.pair(k) : b.word[k],
                                                 number * Count + static_cast<unsigned>(k), Count, params, range);
                    if constexpr (sizeof(T) == 8) {
                      store_alternately(value[0], value[1], target);
                    } else {
                      // One lane holds all elements of a block.
                      constexpr int bits = 8 * sizeof(T);
                      const Words mask((uint64_t{1} << bits) - 1);
                      Words lane = value[0] & mask;
                      for (int k = 1; k < Count; ++k) lane = lane | ((value[k] & mask) << (k * bits));
                      const auto elements =
                          convert<std::make_unsigned_t<typename IntOfSize<Count * sizeof(T)>::type>>(lane);
                      std::memcpy(target, &elements.v, sizeof(elements.v));
                    }
                  });
}

template <class... T>
void fill_integers(RandomKernels& table, Types<T...>) {
  ((table.uniform[static_cast<int>(dtype_of<T>)] = uniform_integers<UintFor<T>>), ...);
}

template <class... T>
void fill_floating(RandomKernels& table, Types<T...>) {
  ((table.uniform[static_cast<int>(dtype_of<T>)] = uniform_floating<T>,
    table.normal[static_cast<int>(dtype_of<T>)] = normal<T>,
    table.bernoulli[static_cast<int>(dtype_of<T>)] = bernoulli<T>),
   ...);
}

}  // namespace

void fill_random(RandomKernels& kernels) {
  fill_integers(kernels, Bool{});
  fill_integers(kernels, Integers{});
  fill_floating(kernels, Floats{});
}

}  // namespace suanzi::SUANZI_LEVEL
