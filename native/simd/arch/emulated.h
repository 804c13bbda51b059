// Emulations of the instructions that avx512.h and its extensions use. An emulation uses AVX2 instructions, or computes
// lane by lane as Intel's manual describes. Tests use the emulations on machines without AVX-512 to check the code for
// AVX-512, including masks and last lanes.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "simd/arch/avx2.h"

namespace suanzi::SUANZI_LEVEL::emulated {

// Lane is the element type of a vector V of the compiler, and `lanes` is the number of elements. `as` returns the bytes
// of a vector as elements of another type.
template <class V>
using Lane = std::remove_cvref_t<decltype(V{}[0])>;
template <class V>
inline constexpr int lanes = sizeof(V) / sizeof(Lane<V>);
template <class T, int Bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <class T, class V>
typename VectorOf<T, sizeof(V)>::type as(V x) {
  return reinterpret_cast<typename VectorOf<T, sizeof(V)>::type>(x);
}

// Returns a vector of f(lane) for each lane of x. The lanes of the result have the type To.
template <class To, class V, class F>
To each(V x, F f) {
  To result{};
  for (int i = 0; i < lanes<V>; ++i) result[i] = f(x[i]);
  return result;
}
// Returns an integer in which bit i is set if f is true for lane i.
template <class V, class F>
uint64_t bits(V x, F f) {
  uint64_t result = 0;
  for (int i = 0; i < lanes<V>; ++i) result |= uint64_t{f(x[i])} << i;
  return result;
}

// Returns one half of x for an AVX2 operation. `which` is 0 for the lower half, and 1 for the upper half.
template <class Half, class V>
Half half(V x, int which) {
  Half result;
  std::memcpy(&result, reinterpret_cast<const char*>(&x) + which * sizeof result, sizeof result);
  return result;
}
template <class To, class Half, class F, class... V>
To halves(F f, V... x) {
  const auto low = f(half<Half>(x, 0)...);
  const auto high = f(half<Half>(x, 1)...);
  static_assert(sizeof(To) == 2 * sizeof low);
  To result;
  std::memcpy(&result, &low, sizeof low);
  std::memcpy(reinterpret_cast<char*>(&result) + sizeof low, &high, sizeof high);
  return result;
}
template <class F>
__m512 floats(F f, auto... x) {
  return halves<__m512, __m256>(f, x...);
}
template <class F>
__m512d doubles(F f, auto... x) {
  return halves<__m512d, __m256d>(f, x...);
}

// --- memory (the functions do not access bytes outside the mask) ---

template <class V>
V load_bytes(V rest, uint64_t mask, const void* p) {
  auto bytes = as<char>(rest);
  for (int i = 0; i < lanes<decltype(bytes)>; ++i)
    if (mask >> i & 1) bytes[i] = static_cast<const char*>(p)[i];
  return reinterpret_cast<V>(bytes);
}
template <class V>
void store_bytes(void* p, uint64_t mask, V x) {
  const auto bytes = as<char>(x);
  for (int i = 0; i < lanes<decltype(bytes)>; ++i)
    if (mask >> i & 1) static_cast<char*>(p)[i] = bytes[i];
}
template <class V>
V load(const void* p) {
  V x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

// --- conversion (To and From are types of elements, and the result has Bytes bytes) ---

template <class To, class From, int Bytes, class V>
auto resized(V x) {
  using Result = typename VectorOf<To, Bytes>::type;
  const auto wide = each<Result>(as<From>(x), [](From e) { return static_cast<To>(e); });
  return reinterpret_cast<typename VectorOf<long long, Bytes>::type>(wide);
}
inline __m128i saturated_bytes(__m512i x) {
  using Result = VectorOf<signed char, 16>::type;
  return reinterpret_cast<__m128i>(each<Result>(as<int>(x), [](int e) {
    return static_cast<signed char>(e < -128 ? -128 : e > 127 ? 127 : e);
  }));
}

// --- comparison ---

template <int Predicate>
uint64_t compare(__m128 a, __m128 b) {
  return static_cast<uint64_t>(_mm_movemask_ps(_mm_cmp_ps(a, b, Predicate)));
}
template <int Predicate>
uint64_t compare(__m128d a, __m128d b) {
  return static_cast<uint64_t>(_mm_movemask_pd(_mm_cmp_pd(a, b, Predicate)));
}
template <int Predicate>
uint64_t compare(__m256 a, __m256 b) {
  return static_cast<uint64_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, Predicate)));
}
template <int Predicate>
uint64_t compare(__m256d a, __m256d b) {
  return static_cast<uint64_t>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, Predicate)));
}
template <int Predicate, class V>
  requires(sizeof(V) == 64)
uint64_t compare(V a, V b) {
  using Half = typename VectorOf<Lane<V>, 32>::type;
  return compare<Predicate>(half<Half>(a, 0), half<Half>(b, 0)) | compare<Predicate>(half<Half>(a, 1), half<Half>(b, 1))
                                                                      << (lanes<V> / 2);
}
template <class T>
uint64_t less(__m512i a, __m512i b) {
  return ~bits(as<T>(a) < as<T>(b), [](auto e) { return e == 0; }) & (~uint64_t(0) >> (64 - 64 / sizeof(T)));
}
template <class T, class V>
uint64_t signs(V x) {
  return bits(as<T>(x), [](T e) { return e < 0; });
}
template <class T, class V>
uint64_t common_bits(V a, V b) {
  return bits(as<T>(a) & as<T>(b), [](T e) { return e != 0; });
}
template <class T, class V>
uint64_t no_common_bits(V a, V b) {
  return bits(as<T>(a) & as<T>(b), [](T e) { return e == 0; });
}

// Returns chosen(a, b) in lanes whose bit is set in the mask, and `rest` in the other lanes.
template <class V, class F>
V where(V rest, uint64_t mask, V a, V b, F chosen) {
  for (int i = 0; i < lanes<V>; ++i)
    if (mask >> i & 1) rest[i] = chosen(a[i], b[i]);
  return rest;
}
inline constexpr auto sum = [](auto a, auto b) { return a + b; };
// `greater` and `smaller` return b if an operand is NaN.
inline constexpr auto greater = [](auto a, auto b) { return a > b ? a : b; };
inline constexpr auto smaller = [](auto a, auto b) { return a < b ? a : b; };
inline constexpr auto second = [](auto, auto b) { return b; };

// Returns the greater (Order 0b0101) or the smaller (0b0100) operand. -0 is smaller than +0. If one operand is NaN, the
// function returns the other operand.
template <int Order, class V>
V range(V a, V b) {
  static_assert(Order == 0b0101 || Order == 0b0100);
  return where(a, ~uint64_t(0), a, b, [](auto x, auto y) {
    if (x != x) return y;
    if (y != y) return x;
    const bool y_is_less = y < x || (x == y && std::signbit(y) && !std::signbit(x));
    return y_is_less == (Order == 0b0100) ? y : x;
  });
}

// --- arithmetic ---

// Returns an estimate whose relative error is nearly as great as the manual allows (2^-14). The estimate differs from
// the estimates of all processors, so tests show whether a result depends on the processor's estimate.
inline float estimate(float exact) {
  const bool above = std::popcount(std::bit_cast<uint32_t>(exact)) % 2 == 0;
  return exact * (above ? 1 + 0x1.fp-15f : 1 - 0x1.fp-15f);
}
inline __m512 reciprocal_estimate(__m512 x) {
  return each<__m512>(x, [](float e) { return estimate(1 / e); });
}
inline __m512 rsqrt_estimate(__m512 x) {
  return each<__m512>(x, [](float e) { return estimate(static_cast<float>(1 / std::sqrt(double(e)))); });
}

// The integer type with as many bits as a floating lane of V. The constants and functions below describe the parts of a
// lane's bits.
template <class V>
using Bits = std::conditional_t<sizeof(Lane<V>) == 4, int, long long>;
template <class V>
inline constexpr int mantissa_bits = sizeof(Lane<V>) == 4 ? 23 : 52;
template <class V>
inline constexpr Bits<V> bias = sizeof(Lane<V>) == 4 ? 127 : 1023;
template <class V>
auto biased_exponent(V x) {
  return (as<Bits<V>>(x) >> mantissa_bits<V>)&(2 * bias<V> + 1);
}
template <class M>
bool all(M mask) {
  const __m256i both = half<__m256i>(mask, 0) & half<__m256i>(mask, 1);
  return _mm256_movemask_epi8(both) == -1;
}
// Returns true if all lanes are positive, finite and not denormal.
template <class V>
bool all_plain(V x) {
  const auto signed_exponent = as<Bits<V>>(x) >> mantissa_bits<V>;
  return all((signed_exponent > 0) & (signed_exponent < 2 * bias<V> + 1));
}

template <class V>
V exponent(V x) {
  if (all_plain(x)) return __builtin_convertvector(biased_exponent(x) - bias<V>, V);
  return each<V>(x, [](auto e) { return std::isinf(e) ? std::abs(e) : e == 0 ? -1 / std::abs(e) : std::logb(e); });
}
// Returns the mantissa of each lane, from 1 to 2. The result is NaN for negative numbers except -0.
template <class V>
V mantissa(V x) {
  using T = Lane<V>;
  if (all_plain(x)) return reinterpret_cast<V>(as<Bits<V>>(x) - ((biased_exponent(x) - bias<V>) << mantissa_bits<V>));
  return each<V>(x, [](T e) {
    if (e < 0) return std::numeric_limits<T>::quiet_NaN();
    if (e == 0 || std::isinf(e)) return std::copysign(T(1), e);
    return std::isnan(e) ? e : std::scalbn(e, -std::ilogb(e));
  });
}
// Returns x * 2^floor(n).
template <class V>
V scaled(V x, V n) {
  using T = Lane<V>;
  const V limit = V{} + static_cast<T>(bias<V> - 1);
  if (all((n <= limit) & (n >= -limit) & (x == x))) {
    const V whole = each<V>(n, [](T e) { return std::floor(e); });
    const auto power = __builtin_convertvector(whole, typename VectorOf<Bits<V>, 64>::type) + bias<V>;
    return x * reinterpret_cast<V>(power << mantissa_bits<V>);
  }
  return where(x, ~uint64_t(0), x, n, [](T value, T by) {
    if (std::isnan(by)) return by;
    if (std::isnan(value)) return !std::isinf(by) ? value : by > 0 ? by : T(0);
    if (std::isinf(by)) return value * (by > 0 ? by : T(0));
    return std::scalbn(value, static_cast<int>(std::min(T(5000), std::max(T(-5000), std::floor(by)))));
  });
}

// --- lanes ---

// Returns an element of the concatenated vectors `low` and `high` for each index. The lowest bits of the index select
// the element.
template <class T, class V>
V permuted(V low, __m512i index, V high) {
  const V table[] = {low, high};
  const auto entry = as<T>(index) & T(128 / sizeof(T) - 1);
  return halves<V, __m256i>(
      [&](__m256i i) {
        if constexpr (sizeof(T) == 4) return _mm256_i32gather_epi32(reinterpret_cast<const int*>(table), i, 4);
        if constexpr (sizeof(T) == 8) return _mm256_i64gather_epi64(reinterpret_cast<const long long*>(table), i, 8);
      },
      entry);
}
template <class T>
__m512i compressed(uint64_t mask, __m512i x) {
  const auto from = as<T>(x);
  auto result = as<T>(__m512i{});
  for (int i = 0, next = 0; i < lanes<decltype(from)>; ++i)
    if (mask >> i & 1) result[next++] = from[i];
  return reinterpret_cast<__m512i>(result);
}
template <class T>
__m512i expanded(__m512i rest, uint64_t mask, __m512i x) {
  const auto from = as<T>(x);
  auto result = as<T>(rest);
  for (int i = 0, next = 0; i < lanes<decltype(from)>; ++i)
    if (mask >> i & 1) result[i] = from[next++];
  return reinterpret_cast<__m512i>(result);
}

// --- products ---

// Adds the four products of the unsigned bytes of a and the signed bytes of b in each lane to the sum. The sums have 32
// bits and wrap.
inline __m512i with_byte_products(__m512i sum, __m512i a, __m512i b) {
  auto sums = as<unsigned>(sum);
  const auto left = as<unsigned char>(a);
  const auto right = as<signed char>(b);
  for (int i = 0; i < 64; ++i) sums[i / 4] += static_cast<unsigned>(left[i] * right[i]);
  return reinterpret_cast<__m512i>(sums);
}
// Adds, in each lane, the product of the upper bfloat16 numbers, then the product of the lower bfloat16 numbers. Each
// addition rounds once. Subnormal numbers count as 0.
inline __m512 with_bfloat16_products(__m512 sum, __m512i a, __m512i b) {
  const auto flushed = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; };
  const auto left = as<unsigned>(a), right = as<unsigned>(b);
  for (int i = 0; i < 16; ++i) {
    const auto add = [&](unsigned x, unsigned y) {
      sum[i] = flushed(std::fma(flushed(std::bit_cast<float>(x)), flushed(std::bit_cast<float>(y)), flushed(sum[i])));
    };
    add(left[i] & 0xffff0000u, right[i] & 0xffff0000u);
    add(left[i] << 16, right[i] << 16);
  }
  return sum;
}

}  // namespace suanzi::SUANZI_LEVEL::emulated

// The names of intrinsics that avx512.h and its extensions use. The compiler's intrinsics of these names are functions
// for other processors, or, in builds without optimisation, macros for arguments that must be constants.
#undef _mm512_cvtps_ph
#undef _mm512_getexp_ps
#undef _mm512_getexp_pd
#undef _mm_cmp_ps_mask
#undef _mm_cmp_pd_mask
#undef _mm256_cmp_ps_mask
#undef _mm256_cmp_pd_mask
#undef _mm512_cmp_ps_mask
#undef _mm512_cmp_pd_mask
#undef _mm_range_ps
#undef _mm_range_pd
#undef _mm256_range_ps
#undef _mm256_range_pd
#undef _mm512_range_ps
#undef _mm512_range_pd
#undef _mm512_roundscale_ps
#undef _mm512_roundscale_pd
#undef _mm512_getmant_ps
#undef _mm512_getmant_pd
#define _mm512_mask_loadu_epi8(rest, mask, p) emulated::load_bytes(rest, mask, p)
#define _mm256_mask_loadu_epi8(rest, mask, p) emulated::load_bytes(rest, mask, p)
#define _mm512_mask_storeu_epi8(p, mask, x) emulated::store_bytes(p, mask, x)
#define _mm256_mask_storeu_epi8(p, mask, x) emulated::store_bytes(p, mask, x)
#define _mm512_stream_si512(p, x) emulated::store_bytes(p, ~uint64_t(0), x)
#define _mm512_loadu_ps(p) emulated::load<__m512>(p)
#define _mm512_loadu_pd(p) emulated::load<__m512d>(p)
#define _mm512_set1_epi64(n) (__m512i{} + (n))

#define _mm512_cvtepi8_epi16(x) emulated::resized<short, signed char, 64>(x)
#define _mm512_cvtepu8_epi16(x) emulated::resized<unsigned short, unsigned char, 64>(x)
#define _mm512_cvtepi8_epi32(x) emulated::resized<int, signed char, 64>(x)
#define _mm512_cvtepu8_epi32(x) emulated::resized<unsigned, unsigned char, 64>(x)
#define _mm512_cvtepi16_epi32(x) emulated::resized<int, short, 64>(x)
#define _mm512_cvtepu16_epi32(x) emulated::resized<unsigned, unsigned short, 64>(x)
#define _mm512_cvtepi16_epi64(x) emulated::resized<long long, short, 64>(x)
#define _mm512_cvtepu16_epi64(x) emulated::resized<unsigned long long, unsigned short, 64>(x)
#define _mm512_cvtepi32_epi64(x) emulated::resized<long long, int, 64>(x)
#define _mm512_cvtepu32_epi64(x) emulated::resized<unsigned long long, unsigned, 64>(x)
#define _mm512_cvtepi16_epi8(x) emulated::resized<signed char, short, 32>(x)
#define _mm512_cvtepi32_epi8(x) emulated::resized<signed char, int, 16>(x)
#define _mm512_cvtepi32_epi16(x) emulated::resized<short, int, 32>(x)
#define _mm512_cvtepi64_epi8(x) emulated::resized<signed char, long long, 16>(x)
#define _mm512_cvtepi64_epi16(x) emulated::resized<short, long long, 16>(x)
#define _mm512_cvtepi64_epi32(x) emulated::resized<int, long long, 32>(x)
#define _mm256_cvtepi32_epi8(x) emulated::resized<signed char, int, 16>(x)
#define _mm256_cvtepi32_epi16(x) emulated::resized<short, int, 16>(x)
#define _mm256_cvtepi64_epi32(x) emulated::resized<int, long long, 16>(x)
#define _mm512_cvtsepi32_epi8(x) emulated::saturated_bytes(x)
#define _mm512_cvtps_pd(x) emulated::each<__m512d>(x, [](float e) { return double(e); })
#define _mm512_cvtepi32_pd(x) emulated::each<__m512d>(emulated::as<int>(x), [](int e) { return double(e); })
#define _mm512_cvtepi64_pd(x) emulated::each<__m512d>(x, [](long long e) { return double(e); })
#define _mm512_cvtpd_ps(x) emulated::halves<__m256, __m256d>([](auto h) { return _mm256_cvtpd_ps(h); }, x)
#define _mm512_cvtpd_epi32(x) emulated::halves<__m256i, __m256d>([](auto h) { return _mm256_cvtpd_epi32(h); }, x)
#define _mm512_cvtps_epi32(x) emulated::halves<__m512i, __m256>([](auto h) { return _mm256_cvtps_epi32(h); }, x)
#define _mm512_cvtph_ps(x) emulated::halves<__m512, __m128i>([](auto h) { return _mm256_cvtph_ps(h); }, x)
#define _mm512_cvtps_ph(x, mode) emulated::halves<__m256i, __m256>([](auto h) { return _mm256_cvtps_ph(h, mode); }, x)

#define _mm_cmp_ps_mask(a, b, predicate) emulated::compare<predicate>(a, b)
#define _mm_cmp_pd_mask(a, b, predicate) emulated::compare<predicate>(a, b)
#define _mm256_cmp_ps_mask(a, b, predicate) emulated::compare<predicate>(a, b)
#define _mm256_cmp_pd_mask(a, b, predicate) emulated::compare<predicate>(a, b)
#define _mm512_cmp_ps_mask(a, b, predicate) emulated::compare<predicate>(a, b)
#define _mm512_cmp_pd_mask(a, b, predicate) emulated::compare<predicate>(a, b)
#define _mm512_cmplt_epu32_mask(a, b) emulated::less<unsigned>(a, b)
#define _mm512_cmplt_epu64_mask(a, b) emulated::less<unsigned long long>(a, b)
#define _mm512_movepi8_mask(x) emulated::signs<signed char>(x)
#define _mm512_movepi16_mask(x) emulated::signs<short>(x)
#define _mm512_movepi32_mask(x) emulated::signs<int>(x)
#define _mm512_movepi64_mask(x) emulated::signs<long long>(x)
#define _mm_test_epi8_mask(a, b) emulated::common_bits<char>(a, b)
#define _mm512_test_epi64_mask(a, b) emulated::common_bits<long long>(a, b)
#define _mm512_testn_epi32_mask(a, b) emulated::no_common_bits<int>(a, b)
#define _mm512_testn_epi64_mask(a, b) emulated::no_common_bits<long long>(a, b)
#define _mm512_mask_blend_pd(mask, a, b) emulated::where(a, mask, a, b, emulated::second)

#define _mm_range_ps(a, b, order) emulated::range<order>(a, b)
#define _mm_range_pd(a, b, order) emulated::range<order>(a, b)
#define _mm256_range_ps(a, b, order) emulated::range<order>(a, b)
#define _mm256_range_pd(a, b, order) emulated::range<order>(a, b)
#define _mm512_range_ps(a, b, order) emulated::range<order>(a, b)
#define _mm512_range_pd(a, b, order) emulated::range<order>(a, b)
#define _mm_mask_add_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::sum)
#define _mm_mask_add_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::sum)
#define _mm256_mask_add_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::sum)
#define _mm256_mask_add_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::sum)
#define _mm512_mask_add_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::sum)
#define _mm512_mask_add_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::sum)
#define _mm_mask_max_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::greater)
#define _mm_mask_max_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::greater)
#define _mm256_mask_max_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::greater)
#define _mm256_mask_max_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::greater)
#define _mm512_mask_max_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::greater)
#define _mm512_mask_max_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::greater)
#define _mm_mask_min_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::smaller)
#define _mm_mask_min_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::smaller)
#define _mm256_mask_min_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::smaller)
#define _mm256_mask_min_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::smaller)
#define _mm512_mask_min_ps(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::smaller)
#define _mm512_mask_min_pd(rest, mask, a, b) emulated::where(rest, mask, a, b, emulated::smaller)
#define _mm512_min_ps(a, b) emulated::floats([](auto... h) { return _mm256_min_ps(h...); }, a, b)
#define _mm512_max_ps(a, b) emulated::floats([](auto... h) { return _mm256_max_ps(h...); }, a, b)
#define _mm512_min_pd(a, b) emulated::doubles([](auto... h) { return _mm256_min_pd(h...); }, a, b)
#define _mm512_max_pd(a, b) emulated::doubles([](auto... h) { return _mm256_max_pd(h...); }, a, b)

#define _mm512_fmadd_ps(a, b, c) emulated::floats([](auto... h) { return _mm256_fmadd_ps(h...); }, a, b, c)
#define _mm512_fmadd_pd(a, b, c) emulated::doubles([](auto... h) { return _mm256_fmadd_pd(h...); }, a, b, c)
#define _mm512_sqrt_ps(x) emulated::floats([](auto h) { return _mm256_sqrt_ps(h); }, x)
#define _mm512_sqrt_pd(x) emulated::doubles([](auto h) { return _mm256_sqrt_pd(h); }, x)
#define _mm512_roundscale_ps(x, mode) emulated::floats([](auto h) { return _mm256_round_ps(h, mode); }, x)
#define _mm512_roundscale_pd(x, mode) emulated::doubles([](auto h) { return _mm256_round_pd(h, mode); }, x)
#define _mm512_rcp14_ps(x) emulated::reciprocal_estimate(x)
#define _mm512_rsqrt14_ps(x) emulated::rsqrt_estimate(x)
#define _mm512_mul_epu32(a, b) \
  emulated::halves<__m512i, __m256i>([](auto... h) { return _mm256_mul_epu32(h...); }, a, b)
#define _mm512_madd_epi16(a, b) \
  emulated::halves<__m512i, __m256i>([](auto... h) { return _mm256_madd_epi16(h...); }, a, b)
#define _mm512_mulhi_epu16(a, b) \
  emulated::halves<__m512i, __m256i>([](auto... h) { return _mm256_mulhi_epu16(h...); }, a, b)
#define _mm512_getexp_ps(x) emulated::exponent(x)
#define _mm512_getexp_pd(x) emulated::exponent(x)
#define _mm512_getmant_ps(x, interval, sign) emulated::mantissa(x)
#define _mm512_getmant_pd(x, interval, sign) emulated::mantissa(x)
#define _mm512_scalef_ps(x, n) emulated::scaled(x, n)
#define _mm512_scalef_pd(x, n) emulated::scaled(x, n)

#define _mm512_permutex2var_ps(low, index, high) emulated::permuted<int>(low, index, high)
#define _mm512_permutex2var_pd(low, index, high) emulated::permuted<long long>(low, index, high)
#define _mm512_permutex2var_epi32(low, index, high) emulated::permuted<int>(low, index, high)
#define _mm512_permutex2var_epi64(low, index, high) emulated::permuted<long long>(low, index, high)
#define _mm512_permutexvar_epi32(index, x) emulated::permuted<int>(x, index, x)
#define _mm512_permutexvar_epi64(index, x) emulated::permuted<long long>(x, index, x)
#define _mm512_maskz_compress_epi32(mask, x) emulated::compressed<int>(mask, x)
#define _mm512_maskz_compress_epi64(mask, x) emulated::compressed<long long>(mask, x)
#define _mm512_mask_expand_epi32(rest, mask, x) emulated::expanded<int>(rest, mask, x)
#define _mm512_mask_expand_epi64(rest, mask, x) emulated::expanded<long long>(rest, mask, x)

#define _mm512_dpbusd_epi32(sum, a, b) emulated::with_byte_products(sum, a, b)
#define _mm512_dpbf16_ps(sum, a, b) \
  emulated::with_bfloat16_products(sum, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b))

#include "simd/arch/avx512_bf16.h"
#include "simd/arch/avx512_vnni.h"
