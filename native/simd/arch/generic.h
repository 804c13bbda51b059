// Generic versions, for any machine, of the operations that instruction sets implement differently. These versions use
// the compiler's vector extensions, or work lane by lane. The public headers vec.h, vec_math.h, bits.h, codes.h,
// compress.h, half.h, integer.h, permute.h, bfloat16.h and pairs.h describe each operation.
//
// The headers of other instruction sets in this folder define the operations for which their set has better code, for
// vectors that fit the set's registers. The first argument of these functions is the set, a type derived from the type
// of the set that it extends. Among all functions that fit, the compiler therefore chooses the function of the nearest
// set. The type of a set also defines constants for the choice of algorithms.
#pragma once

#include <cstring>
#include <type_traits>

#include "simd/vec_type.h"

namespace suanzi::SUANZI_LEVEL::arch {

struct Generic {
  // The size in bytes of the vectors that kernels work with, and the number of vectors that the registers hold.
  static constexpr int vector_bytes = 16;
  static constexpr int vector_registers = 16;

  // The constant is true if mul_add rounds once.
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
  static constexpr bool fuses_multiply_add = true;
#else
  static constexpr bool fuses_multiply_add = false;
#endif
  // The constant is true if nearest_int32 returns -2^31 for each number that 32 bits cannot hold, and for NaN. Other
  // sets may return 2^31 - 1, which float32 rounds to 2^31.
  static constexpr bool overflows_to_least = false;
  // Each constant is true if the set has instructions for the constant's operation. The operations are rounding to an
  // integral value, conversion of 64-bit integers to float64 and back, and look-up in tables of 16 or 32 numbers in
  // registers.
  static constexpr bool rounds_to_integral = false;
  static constexpr bool converts_int64 = false;
  static constexpr bool looks_up_in_registers = false;
  // The constant is true if the kernels multiply bytes directly. Some processors have an instruction for products of
  // bytes. The value is true in the generic set, so that every machine tests these kernels.
  static constexpr bool multiplies_quads = true;
  // If the constant is true, the bytes of the two operands are signed. Otherwise, only the bytes of the second operand
  // are signed.
  static constexpr bool signed_quads = false;
  // The number of floats in the table of an instruction that looks up a float for each lane. The number is 0 if the set
  // lacks the instruction.
  static constexpr int float_table = 0;
  // These constants are true if the set has an instruction that moves lanes of vectors of N numbers of type T. The
  // instruction moves lanes to places known only at run time (permute), chosen lanes to the front (compress_store), or
  // the first lanes to chosen places (expand_load). Without the instruction, the code moves lanes one by one, and
  // another algorithm may be better.
  template <class T, int N>
  static constexpr bool permutes = false;
  template <class T, int N>
  static constexpr bool compresses = false;
  template <class T, int N>
  static constexpr bool expands = false;
};

// --- memory ---

template <class T, int N>
SUANZI_INLINE void stream(Generic, T* p, Vec<T, N> x) {
  x.store(p);
}
SUANZI_INLINE void finish_streaming(Generic) {}

template <class T, int N>
SUANZI_INLINE Vec<T, N> load_first(Generic, const T* p, int n, Vec<T, N> rest) {
  std::memcpy(&rest.v, p, sizeof(T) * static_cast<unsigned>(n));
  return rest;
}
template <class T, int N>
SUANZI_INLINE void store_first(Generic, T* p, int n, Vec<T, N> x) {
  std::memcpy(p, &x.v, sizeof(T) * static_cast<unsigned>(n));
}

// --- conversion ---

template <int Count>
using Bytes = std::integral_constant<int, Count>;

// The integer type of Count bytes that is signed if T is signed.
template <class T, int Count>
using Resized = std::conditional_t<std::is_signed_v<T>, typename IntOfSize<Count>::type,
                                   std::make_unsigned_t<typename IntOfSize<Count>::type>>;

// Widens or narrows integers, and keeps their signedness. The function converts step by step, because the compiler
// generates good code for single steps.
template <class T, int N, int To>
SUANZI_INLINE Vec<Resized<T, To>, N> resize(Generic, Vec<T, N> x, Bytes<To>) {
  using R = Resized<T, To>;
  constexpr int from = sizeof(T);
  if constexpr (To > 2 * from) {
    return convert<R>(convert<Resized<T, 2 * from>>(x));
  } else if constexpr (2 * To < from) {
    return convert<R>(convert<Resized<T, from / 2>>(x));
  } else {
    return __builtin_convertvector(x.v, typename Vec<R, N>::native);
  }
}

// Converts lanes of at least 32 bits to float64.
template <class T, int N>
SUANZI_INLINE Vec<double, N> to_float64(Generic, Vec<T, N> x) {
  return __builtin_convertvector(x.v, typename Vec<double, N>::native);
}
template <class T, int N>
SUANZI_INLINE Vec<float, N> to_float32(Generic, Vec<T, N> x) {
  return __builtin_convertvector(x.v, typename Vec<float, N>::native);
}

// The code adds n to the low bits of 1.5 * 2^52, and subtracts 1.5 * 2^52 from the resulting float64.
template <int N>
SUANZI_INLINE Vec<double, N> to_double(Generic, Vec<int64_t, N> n) {
  const Vec<double, N> magic(0x1.8p52);
  return bit_cast<double>(bit_cast<uint64_t>(n) + bit_cast<uint64_t>(magic)) - magic;
}

template <int N>
SUANZI_INLINE Vec<float, N> widen_float16(Generic, Vec<uint16_t, N> h) {
  using Words = Vec<int32_t, N>;
  const Words bits = convert<int32_t>(h);
  const Words sign = (bits & 0x8000) << 16;
  const Words magnitude = (bits & 0x7fff) << 13;
  // If the shifted bits are read as a float32, the exponent is too small by the difference of the biases, 127 - 15.
  // Scaling by a power of two is exact and normalises denormals.
  const Words finite = bit_cast<int32_t>(bit_cast<float>(magnitude) * Vec<float, N>(0x1p112f));
  const Words infinity(0x7c00 << 13);
  const Words quiet = select(magnitude > infinity, Words(0x400000), 0);
  return bit_cast<float>(select(magnitude >= infinity, magnitude | 0x7f800000 | quiet, finite) | sign);
}

template <int N>
SUANZI_INLINE Vec<uint16_t, N> narrow_float16(Generic, Vec<float, N> x) {
  using Words = Vec<int32_t, N>;
  const Words bits = bit_cast<int32_t>(x);
  const Words magnitude = bits & 0x7fffffff;
  const Words sign = bit_cast<int32_t>(bit_cast<uint32_t>(bits ^ magnitude) >> 16);
  const Words odd = (magnitude >> 13) & 1;
  const Words normal = (magnitude + odd + (0xfff - (112 << 23))) >> 13;
  // The last place of a sum in [0.5, 1) is 2^-24, the smallest float16, so the addition rounds to a multiple of 2^-24.
  const Words denormal = bit_cast<int32_t>(bit_cast<float>(magnitude) + Vec<float, N>(0.5f)) - 0x3f000000;
  const Words nan = ((magnitude >> 13) & 0x3ff) | 0x7e00;
  Words h = select(magnitude < Words(113 << 23), denormal, normal);
  // The bound is 65520, halfway between the largest float16 and the next power of two.
  h = select(magnitude >= Words(0x477ff000), Words(0x7c00), h);
  h = select(magnitude > Words(0x7f800000), nan, h);
  return convert<uint16_t>(h | sign);
}

// --- comparison ---

template <int Bytes, int N>
SUANZI_INLINE bool any(Generic, Mask<Bytes, N> m) {
  using Word = UintFor<typename IntOfSize<sizeof(m.v) < 8 ? sizeof(m.v) : 8>::type>;
  Word words[sizeof(m.v) / sizeof(Word)];
  std::memcpy(words, &m.v, sizeof(m.v));
  Word bits = 0;
  for (Word w : words) bits = static_cast<Word>(bits | w);
  return bits != 0;
}

template <int Bytes, int N>
SUANZI_INLINE uint64_t to_bits(Generic, Mask<Bytes, N> m) {
  uint64_t bits = 0;
  for (int i = 0; i < N; ++i) bits |= static_cast<uint64_t>(m.v[i] & 1) << i;
  return bits;
}

template <class T, int N>
SUANZI_INLINE uint32_t less_bits(Generic, Vec<T, N> a, Vec<T, N> b) {
  return static_cast<uint32_t>(to_bits(a < b));
}

template <int N>
SUANZI_INLINE uint32_t test_bytes(Generic, const uint8_t* p, uint8_t bit) {
  uint32_t bits = 0;
  for (int i = 0; i < N; ++i) bits |= static_cast<uint32_t>((p[i] & bit) != 0) << i;
  return bits;
}

template <class T, int N>
SUANZI_INLINE bool any_zero(Generic, Vec<T, N> x) {
  return any(x == Vec<T, N>(T(0)));
}

template <class T, int N>
SUANZI_INLINE bool any_not_less(Generic, Vec<T, N> a, Vec<T, N> b) {
  return any(~(a < b));
}

template <class T, int N>
SUANZI_INLINE bool any_unequal(Generic, Vec<T, N> a, Vec<T, N> b) {
  return any(a != b);
}

// The compiler recognises this expression for integers.
template <class T, int N>
SUANZI_INLINE Vec<T, N> min(Generic, Vec<T, N> a, Vec<T, N> b) {
  return a.v < b.v ? a.v : b.v;
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> max(Generic, Vec<T, N> a, Vec<T, N> b) {
  return a.v > b.v ? a.v : b.v;
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> min_or_nan(Generic, Vec<T, N> a, Vec<T, N> b) {
  return select(a != a, a, min(a, b));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> max_or_nan(Generic, Vec<T, N> a, Vec<T, N> b) {
  return select(a != a, a, max(a, b));
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> maximum(Generic, Vec<T, N> a, Vec<T, N> b) {
  const Vec<T, N> equal = bit_cast<T>(bit_cast<IntFor<T>>(a) & bit_cast<IntFor<T>>(b));
  return select(a == b, equal, select((a > b) | (a != a), a, b));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> minimum(Generic, Vec<T, N> a, Vec<T, N> b) {
  return select(a == b, or_bits(a, b), select((a < b) | (a != a), a, b));
}

// --- arithmetic ---

template <class T, int N>
SUANZI_INLINE Vec<T, N> fused_mul_add(Generic, Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i)
    r.v[i] = sizeof(T) == 8 ? __builtin_fma(a.v[i], b.v[i], c.v[i]) : __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return r;
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> sqrt(Generic, Vec<T, N> x) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = sizeof(T) == 8 ? __builtin_sqrt(x.v[i]) : __builtin_sqrtf(x.v[i]);
  return r;
}

template <int N>
SUANZI_INLINE Vec<float, N> rsqrt_estimate(Generic, Vec<float, N> x) {
  return Vec<float, N>(1.0f) / sqrt(x);
}
template <int N>
SUANZI_INLINE Vec<float, N> reciprocal_estimate(Generic, Vec<float, N> x) {
  return Vec<float, N>(1.0f) / x;
}

template <int N>
SUANZI_INLINE Vec<uint64_t, N> multiply_words(Generic, Vec<uint64_t, N> a, Vec<uint64_t, N> b) {
  const Vec<uint64_t, N> mask(uint64_t{0xffffffff});
  return (a & mask) * (b & mask);
}

// The function multiplies even lanes and odd lanes separately, and joins the upper halves of the products. For lanes of
// 64 bits, the function multiplies the halves of the lanes.
template <class T, int N>
SUANZI_INLINE Vec<T, N> multiply_high(Generic, Vec<T, N> a, Vec<T, N> b) {
  if constexpr (sizeof(T) == 8) {
    return multiply_wide(a, b).high;
  } else {
    constexpr int bits = 8 * sizeof(T);
    using Wide = UintFor<typename IntOfSize<2 * sizeof(T)>::type>;
    const auto x = bit_cast<Wide>(a), y = bit_cast<Wide>(b);
    const decltype(x) mask(static_cast<Wide>(static_cast<Wide>(~Wide{0}) >> bits));
    if constexpr (sizeof(T) == 4) {
      return bit_cast<T>((multiply_words(x, y) >> bits) | (multiply_words(x >> bits, y >> bits) & ~mask));
    } else {
      return bit_cast<T>((((x & mask) * (y & mask)) >> bits) | (((x >> bits) * (y >> bits)) & ~mask));
    }
  }
}

template <int N>
SUANZI_INLINE Vec<float, N> add_pair_products(Generic, Vec<float, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  const Vec<uint32_t, N> upper(0xffff0000u);
  sum = mul_add(bit_cast<float>(a & upper), bit_cast<float>(b & upper), sum);
  return mul_add(bit_cast<float>(a << 16), bit_cast<float>(b << 16), sum);
}

template <int N>
SUANZI_INLINE Vec<int32_t, N> add_pair_products(Generic, Vec<int32_t, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  const auto half = [](Vec<uint32_t, N> x) { return bit_cast<uint32_t>(bit_cast<int32_t>(x) >> 16); };
  return bit_cast<int32_t>(bit_cast<uint32_t>(sum) + half(a << 16) * half(b << 16) + half(a) * half(b));
}
template <int N>
SUANZI_INLINE Vec<int32_t, N> add_quad_products(Generic, Vec<int32_t, N> sum, Vec<uint32_t, N> a, Vec<uint32_t, N> b) {
  Vec<uint32_t, N> total = bit_cast<uint32_t>(sum);
  for (int up = 0; up < 32; up += 8)
    total = total + (a << up >> 24) * bit_cast<uint32_t>(bit_cast<int32_t>(b << up) >> 24);
  return bit_cast<int32_t>(total);
}

// --- rounding ---

enum Rounding : int { nearest_even = 0, down = 1, up = 2, toward_zero = 3 };

// If 2^52 (2^23 for float32) is added to a number and then subtracted again, the result is an integer. Larger numbers
// are already integers.
template <class T, int N>
SUANZI_INLINE Vec<T, N> nearest_integral(Vec<T, N> x) {
  const T big = sizeof(T) == 8 ? T(4503599627370496.0) : T(8388608.0);
  const Vec<T, N> a = abs(x);
  const Vec<T, N> r = (a + Vec<T, N>(big)) - Vec<T, N>(big);
  return select(a < Vec<T, N>(big), copysign(r, x), x);
}

template <Rounding M, class T, int N>
SUANZI_INLINE Vec<T, N> round(Generic, Vec<T, N> x) {
  const Vec<T, N> r = nearest_integral(x);
  const Vec<T, N> zero(T(0)), one(T(1));
  if constexpr (M == nearest_even) return r;
  if constexpr (M == down) return copysign(r - select(r > x, one, zero), x);
  if constexpr (M == up) return copysign(r + select(r < x, one, zero), x);
  if constexpr (M == toward_zero) {
    const Vec<T, N> m = nearest_integral(abs(x));
    return copysign(m - select(m > abs(x), one, zero), x);
  }
}

template <class T, int N>
SUANZI_INLINE Vec<int32_t, N> nearest_int32(Generic, Vec<T, N> x) {
  return convert<int32_t>(rint(x));
}

template <int N>
SUANZI_INLINE Vec<int8_t, N> saturated_bytes(Generic, Vec<int32_t, N> x, Vec<int8_t, N> least) {
  return max(convert<int8_t>(min(max(x, Vec<int32_t, N>(-128)), Vec<int32_t, N>(127))), least);
}

// --- exponents ---

// Returns x * 2^54 if x is denormal, and x otherwise.
template <int N>
SUANZI_INLINE Vec<double, N> scale_denormal(Vec<double, N> x) {
  return select(abs(x) < Vec<double, N>(0x1p-1022), x * Vec<double, N>(0x1p54), x);
}
// Returns the exponent of x. The function also accepts denormals of float32.
template <class T, int N>
SUANZI_INLINE Vec<T, N> exponent(Generic, Vec<T, N> x) {
  using V = Vec<double, N>;
  const V a = abs(convert<double>(x)), infinity(__builtin_inf());
  const V biased = to_double(Generic{}, bit_cast<int64_t>(bit_cast<uint64_t>(scale_denormal(a)) >> 52));
  const V k = biased - select(a < V(0x1p-1022), 1023.0 + 54.0, V(1023.0));
  return convert<T>(select(a == V(0.0), -infinity, select(a < infinity, k, a)));
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> mantissa(Generic, Vec<T, N> x) {
  using V = Vec<double, N>;
  using Bits = Vec<uint64_t, N>;
  const V wide = convert<double>(x);
  const Bits fraction = bit_cast<uint64_t>(scale_denormal(wide)) & Bits((uint64_t{1} << 52) - 1);
  return convert<T>(select(wide >= V(0.0), bit_cast<double>(fraction | bit_cast<uint64_t>(V(1.0))), __builtin_nan("")));
}

// The factor is the product of two powers of two, because a single power may be out of range.
template <int N>
SUANZI_INLINE Vec<double, N> scale_by_power_of_two(Generic, Vec<double, N> x, Vec<int64_t, N> n) {
  // The integers are unsigned for two reasons. On x86-64, only AVX-512 has a signed shift of 64-bit lanes. If x is NaN,
  // n may be any number. An unsigned addition may then wrap, while the overflow of a signed addition is undefined.
  using Bits = Vec<uint64_t, N>;
  const Bits whole = bit_cast<uint64_t>(n), half = ((whole + Bits(uint64_t(4096))) >> 1) - Bits(uint64_t(2048));
  return x * power_of_two(bit_cast<int64_t>(half)) * power_of_two(bit_cast<int64_t>(whole - half));
}
template <int N>
SUANZI_INLINE Vec<double, N> scale_by_power_of_two(Generic, Vec<double, N> x, Vec<double, N> n) {
  using V = Vec<double, N>;
  const V bounded = min(V(2044.0), max(V(-2044.0), n)), magic(0x1.8p52);
  const auto integer = bit_cast<int64_t>(bit_cast<uint64_t>(bounded + magic) - bit_cast<uint64_t>(magic));
  return scale_by_power_of_two(x, integer);
}
template <int N>
SUANZI_INLINE Vec<double, N> scale_by_floor(Generic, Vec<double, N> x, Vec<double, N> n) {
  return scale_by_power_of_two(x, floor(n));
}
template <int N>
SUANZI_INLINE Vec<float, N> scale_by_floor(Generic, Vec<float, N> x, Vec<float, N> n) {
  return convert<float>(scale_by_floor(convert<double>(x), convert<double>(n)));
}

// --- lanes ---

template <class T, int N, int Count>
SUANZI_INLINE Vec<T, N> lookup(Generic, const T (&table)[Count], Vec<UintFor<T>, N> index) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = table[index.v[i] % Count];
  return r;
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Generic, Vec<T, N> x, Vec<IntFor<T>, N> index) {
  Vec<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = x.v[index.v[i]];
  return r;
}
template <class T, int N>
SUANZI_INLINE Vec<T, N> permute(Generic, Vec<T, N> low, Vec<T, N> high, Vec<IntFor<T>, N> index) {
  const Vec<IntFor<T>, N> lanes(IntFor<T>{N}), within = index & Vec<IntFor<T>, N>(IntFor<T>{N - 1});
  return select(index < lanes, permute(low, within), permute(high, within));
}

template <class T, int N>
SUANZI_INLINE int compress_store(Generic, Vec<T, N> x, uint64_t bits, T* p) {
  T lanes[N];
  x.store(lanes);
  int count = 0;
  for (int i = 0; i < N; ++i) {
    p[count] = lanes[i];
    count += static_cast<int>(bits >> i & 1);
  }
  return count;
}
template <class T, int N>
SUANZI_INLINE int compress_store_exactly(Generic, Vec<T, N> x, uint64_t bits, T* p) {
  for (int i = 0; i < N; ++i)
    if (bits >> i & 1) *p++ = x.v[i];
  return __builtin_popcountll(bits);
}

template <class T, int N>
SUANZI_INLINE Vec<T, N> expand_load(Generic, const T* p, uint32_t bits, Vec<T, N> rest) {
  for (int i = 0; i < N; ++i)
    if (bits >> i & 1) rest.v[i] = *p++;
  return rest;
}

}  // namespace suanzi::SUANZI_LEVEL::arch
