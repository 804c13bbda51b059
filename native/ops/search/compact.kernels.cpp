// The kernels in `table.compact` select elements by truth. Truth is stored as bits, 64 elements in a word, so the next
// steps need only a quarter of a byte of memory traffic for each element of any type.
#include <type_traits>
#include <utility>

#include "kernels/families.h"
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "ops/search/compact.kernels.h"
#include "simd/bits.h"
#include "simd/complex.h"
#include "simd/compress.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The type in which the kernel compares elements with zero. For 16-bit floating types, the compared type is an integer
// without the sign bit.
template <DType t>
struct Truth {
  static constexpr bool complex = is_complex(t);
  using T = std::conditional_t<is_half(t), uint16_t, Lane<storage_t<real_part(t)>>>;
  static constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int parts = complex ? 2 : 1;

  static SUANZI_INLINE uint64_t bits(const T* in) {
    const Vec<T, N> zero(T(0));
    if constexpr (complex) {
      const auto z = ComplexVec<T, N>::load(in);
      return to_bits((z.re != zero) | (z.im != zero));
    } else if constexpr (is_half(t)) {
      return to_bits((Vec<T, N>::load(in) << 1) != zero);
    } else {
      return to_bits(Vec<T, N>::load(in) != zero);
    }
  }
  static SUANZI_INLINE uint64_t word(const T* in) {
    uint64_t word = 0;
#pragma GCC unroll 32
    for (int k = 0; k < 64; k += N) word |= bits(in + k * parts) << k;
    return word;
  }
};

template <DType t>
int64_t truth(uint64_t* bits, const void* in, int64_t n) {
  using T = typename Truth<t>::T;
  constexpr int parts = Truth<t>::parts;
  const T* p = static_cast<const T*>(in);
  int64_t count = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    *bits = Truth<t>::word(p + i * parts);
    count += __builtin_popcountll(*bits++);
  }
  if (i < n) {
    T last[64 * parts] = {};
    std::memcpy(last, p + i * parts, sizeof(T) * static_cast<size_t>((n - i) * parts));
    *bits = Truth<t>::word(last);
    count += __builtin_popcountll(*bits);
  }
  return count;
}

int64_t places(uint32_t* out, const uint64_t* bits, int64_t n) {
  constexpr int N = vector_bytes / 4;
  using V = Vec<uint32_t, N>;
  uint32_t numbers[N];
  for (int k = 0; k < N; ++k) numbers[k] = static_cast<uint32_t>(k);
  const V iota = V::load(numbers);
  uint32_t* const begin = out;
  for (int64_t i = 0; i < n; i += 64) {
    const uint64_t word = bits[i / 64];
    if (word == 0) continue;
#pragma GCC unroll 16
    for (int k = 0; k < 64; k += N)
      out += compress_store(iota + V(static_cast<uint32_t>(i + k)), word >> k & ((uint64_t(1) << N) - 1), out);
  }
  return out - begin;
}

void unravel(int64_t* out, uint32_t* places, int64_t n, int64_t first, int64_t size) {
  const int64_t last = n == 0 ? 0 : first + places[n - 1];
  if (last < size) {
    for (int64_t i = 0; i < n; ++i) out[i] = first + places[i];
    for (int64_t i = 0; i < n; ++i) places[i] = 0;
    // Each place passes the end of the dimension at most once.
  } else if (size >= max_places) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = first + places[i];
      const bool past = at >= size;
      out[i] = past ? at - size : at;
      places[i] = past;
    }
  } else {
    // The division is exact, because at * size stays below 2^31 (Granlund and Montgomery, "Division by invariant
    // integers using multiplication", 1994).
    static_assert(2 * max_places * max_places <= int64_t(1) << 31);
    const auto divisor = static_cast<uint32_t>(size), start = static_cast<uint32_t>(first);
    const uint32_t inverse = static_cast<uint32_t>((uint64_t(1) << 31) / divisor + 1);
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t at = start + places[i];
      const auto times = static_cast<uint32_t>(static_cast<uint64_t>(at) * inverse >> 31);
      out[i] = at - times * divisor;
      places[i] = times;
    }
  }
}

// The lanes for an element of Size bytes, and the number of elements that are compressed at once. Narrow elements are
// widened.
template <int Size>
struct Compressed {
  using T = std::make_unsigned_t<typename IntOfSize<Size>::type>;
  static constexpr int N = vector_bytes / (Size < 4 ? 4 : Size);

  static SUANZI_INLINE int store(T* out, const T* in, uint64_t bits) {
    const auto x = Vec<T, N>::load(in);
    if constexpr (Size >= 4 || !Arch::compresses<uint32_t, N>) {
      return compress_store(x, bits, out);
    } else {
      uint32_t wide[N];
      const int count = compress_store(convert<uint32_t>(x), bits, wide);
      convert<T>(Vec<uint32_t, N>::load(wide)).store(out);
      return count;
    }
  }
};
template <>
struct Compressed<16> {
  struct T {
    uint64_t words[2];
  };
  static constexpr int N = 1;
  static SUANZI_INLINE int store(T* out, const T* in, uint64_t bits) {
    *out = *in;
    return static_cast<int>(bits);
  }
};

// Compresses the chosen elements among 64 elements to `out`. The function may write up to 64 elements. Returns the end
// of the compressed elements.
template <class C>
SUANZI_INLINE typename C::T* compress_word(typename C::T* out, const typename C::T* in, uint64_t word) {
  constexpr uint64_t all = C::N == 64 ? ~uint64_t(0) : (uint64_t(1) << C::N % 64) - 1;
#pragma GCC unroll 64
  for (int k = 0; k < 64; k += C::N) out += C::store(out, in + k, word >> k & all);
  return out;
}

template <int Size>
void compress(void* to, const void* from, const uint64_t* bits, int64_t n, int64_t count) {
  using C = Compressed<Size>;
  using T = typename C::T;
  T* out = static_cast<T*>(to);
  T* const end = out + count;
  const T* in = static_cast<const T*>(from);
  int64_t i = 0;
  // If few bits are set, the kernel skips words without a set bit. If more bits are set, a skip costs more time than
  // the skip saves, because the processor can no longer predict the next read.
  if (count >= n / 512)
    for (; n - i >= 64 && end - out >= 64; i += 64) out = compress_word<C>(out, in + i, *bits++);
  for (; i < n; i += 64)
    for (uint64_t word = *bits++; word != 0; word &= word - 1) *out++ = in[i + __builtin_ctzll(word)];
}

template <int... t>
void fill_truth(CompactKernels& kernels, std::integer_sequence<int, t...>) {
  ((kernels.truth[t] = truth<static_cast<DType>(t)>), ...);
}

}  // namespace

void fill_compact(CompactKernels& kernels) {
  fill_truth(kernels, std::make_integer_sequence<int, number_count>{});
  kernels.places = places;
  kernels.unravel = unravel;
  [&]<int... k>(std::integer_sequence<int, k...>) {
    ((kernels.compress[k] = compress<1 << k>), ...);
  }(std::make_integer_sequence<int, 5>{});
}

}  // namespace suanzi::SUANZI_LEVEL
