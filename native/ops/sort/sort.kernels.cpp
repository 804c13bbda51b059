// The keys of every element type except string, and all kernels on keys except the sort (ops/sort/quicksort.h).
#include <limits>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/sort/quicksort.h"
#include "ops/sort/sort.kernels.h"
#include "simd/complex.h"
#include "simd/half.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The bits of a type that distinguish infinity and NaN from other numbers. Integers have no bits of this meaning.
template <class T>
struct FloatBits {};
template <>
struct FloatBits<float> {
  static constexpr uint32_t infinity = 0x7f800000, nan = 0x7fc00000;
};
template <>
struct FloatBits<double> {
  static constexpr uint64_t infinity = 0x7ff0000000000000, nan = 0x7ff8000000000000;
};
template <>
struct FloatBits<Float16> {
  static constexpr uint16_t infinity = 0x7c00, nan = 0x7e00;
};
template <>
struct FloatBits<BFloat16> {
  static constexpr uint16_t infinity = 0x7f80, nan = 0x7fc0;
};
template <class T>
inline constexpr bool has_nan = requires { FloatBits<T>::nan; };
template <class T>
inline constexpr bool has_sign = has_nan<T> || std::is_signed_v<T>;

template <class T>
inline constexpr UintFor<T> top_bit = static_cast<UintFor<T>>(UintFor<T>(1) << (8 * sizeof(T) - 1));
// The number of NaN patterns with the sign bit set. The keys of these patterns would be the smallest. The subtraction
// of this number makes these keys the largest, because unsigned integers wrap around.
template <class T>
inline constexpr UintFor<T> negative_nans = static_cast<UintFor<T>>(top_bit<T> - FloatBits<T>::infinity - 1);

template <class T, int N, class U = UintFor<T>>
SUANZI_INLINE Vec<U, N> to_key(Vec<U, N> bits, KeyOrder order) {
  if constexpr (has_nan<T>) {
    if (order.keys == Keys::equal) {
      const Vec<U, N> magnitude = bits & Vec<U, N>(static_cast<U>(~top_bit<T>));
      bits = select(magnitude == Vec<U, N>(U(0)), magnitude, bits);
      bits = select(magnitude > Vec<U, N>(FloatBits<T>::infinity), Vec<U, N>(FloatBits<T>::nan), bits);
    }
    const Vec<U, N> sign = bit_cast<U>(bit_cast<IntFor<T>>(bits) >> static_cast<int>(8 * sizeof(T) - 1));
    bits = (bits ^ (sign | Vec<U, N>(top_bit<T>))) - Vec<U, N>(negative_nans<T>);
  } else if constexpr (has_sign<T>) {
    bits = bits ^ Vec<U, N>(top_bit<T>);
  }
  return order.descending ? ~bits : bits;
}

template <class T, int N, class U = UintFor<T>>
SUANZI_INLINE Vec<U, N> from_key(Vec<U, N> key, bool descending) {
  if (descending) key = ~key;
  if constexpr (has_nan<T>) {
    key = key + Vec<U, N>(negative_nans<T>);
    const Vec<U, N> positive = bit_cast<U>(bit_cast<IntFor<T>>(key) >> static_cast<int>(8 * sizeof(T) - 1));
    key = key ^ (~positive | Vec<U, N>(top_bit<T>));
  } else if constexpr (has_sign<T>) {
    key = key ^ Vec<U, N>(top_bit<T>);
  }
  return key;
}

template <class T>
using KeyFor = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

// Calls body(order). The compiler makes one copy of the body for each order, so that the options are constants in each
// loop.
template <class T, class Body>
SUANZI_INLINE void with_order(KeyOrder order, Body body) {
  if (has_nan<T> && order.keys == Keys::equal) {
    order.descending ? body(KeyOrder{Keys::equal, true}) : body(KeyOrder{Keys::equal, false});
  } else {
    order.descending ? body(KeyOrder{Keys::exact, true}) : body(KeyOrder{Keys::exact, false});
  }
}

template <class T>
void encode(void* keys, const void* elements, int64_t n, KeyOrder order) {
  using K = KeyFor<T>;
  constexpr int N = vector_bytes / static_cast<int>(sizeof(K));
  const auto* in = static_cast<const UintFor<T>*>(elements);
  auto* out = static_cast<K*>(keys);
  with_order<T>(order, [&](KeyOrder fixed) __attribute__((always_inline)) {
    walk<N>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
      fetch_ahead(in + i);
      access.store(convert<K>(to_key<T>(access.template load<N>(in + i), fixed)), out + i);
    });
  });
}

template <class T>
void decode(void* elements, const void* keys, int64_t n, bool descending) {
  using K = KeyFor<T>;
  constexpr int N = vector_bytes / static_cast<int>(sizeof(K));
  const auto* in = static_cast<const K*>(keys);
  auto* out = static_cast<UintFor<T>*>(elements);
  walk<N>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    access.store(from_key<T>(convert<UintFor<T>>(access.template load<N>(in + i)), descending), out + i);
  });
}

// Computes the keys of complex numbers, which are ordered by their real parts, then by their imaginary parts. Numbers
// with a NaN come last, ordered by their other part. Among these numbers, numbers whose imaginary part is NaN precede
// numbers whose real part is NaN, and numbers with two NaNs come at the end. If only the imaginary part is NaN, the
// first key is a code between infinity and NaN, and the second key is the real part.
template <class T, int N>
SUANZI_INLINE void complex_keys(ComplexVec<T, N> z, bool descending, Vec<UintFor<T>, N>& first,
                                Vec<UintFor<T>, N>& second) {
  using V = Vec<UintFor<T>, N>;
  const KeyOrder order{Keys::equal, false};
  const V nan = to_key<T>(V(FloatBits<T>::nan), order);
  const V re = to_key<T>(bit_cast<UintFor<T>>(z.re), order), im = to_key<T>(bit_cast<UintFor<T>>(z.im), order);
  const auto re_nan = re == nan, im_nan = im == nan;
  first = select(re_nan, re, select(im_nan, V(nan - V(UintFor<T>(1))), re));
  second = select(im_nan, re, im);
  if (descending) first = ~first, second = ~second;
}

void encode_complex64(void* keys, const void* elements, int64_t n, KeyOrder order) {
  constexpr int N = vector_bytes / 8;
  const auto* in = static_cast<const float*>(elements);
  auto* out = static_cast<uint64_t*>(keys);
  for (int64_t i = 0; i < n; i += N) {
    const int count = static_cast<int>(n - i < N ? n - i : N);
    Vec<uint32_t, N> first, second;
    complex_keys(
        count == N ? ComplexVec<float, N>::load(in + 2 * i) : ComplexVec<float, N>::load_first(in + 2 * i, count),
        order.descending, first, second);
    const Vec<uint64_t, N> key = convert<uint64_t>(first) << 32 | convert<uint64_t>(second);
    count == N ? key.store(out + i) : key.store_first(out + i, count);
  }
}

void encode_complex128(void* keys, const void* elements, int64_t n, KeyOrder order) {
  constexpr int N = vector_bytes / 8;
  const auto* in = static_cast<const double*>(elements);
  auto* out = static_cast<uint64_t*>(keys);
  for (int64_t i = 0; i < n; i += N) {
    const int count = static_cast<int>(n - i < N ? n - i : N);
    Vec<uint64_t, N> first, second;
    complex_keys(
        count == N ? ComplexVec<double, N>::load(in + 2 * i) : ComplexVec<double, N>::load_first(in + 2 * i, count),
        order.descending, first, second);
    count == N ? first.store(out + i) : first.store_first(out + i, count);
    count == N ? second.store(out + n + i) : second.store_first(out + n + i, count);
  }
}

template <class K>
void bins(uint32_t* out, const K* keys, int64_t n, K low, int shift, uint32_t last) {
  for (int64_t i = 0; i < n; ++i) {
    const K above = keys[i] > low ? static_cast<K>(keys[i] - low) : K(0);
    const K bin = above >> shift;
    out[i] = bin < last ? static_cast<uint32_t>(bin) : last;
  }
}

template <class K>
void pack(uint64_t* words, const K* keys, int64_t n, K low, int drop, int bits, uint64_t first) {
  for (int64_t i = 0; i < n; ++i)
    words[i] =
        static_cast<uint64_t>(static_cast<K>(keys[i] - low) >> drop) << bits | (first + static_cast<uint64_t>(i));
}

template <class K, int N>
SUANZI_INLINE Vec<K, N> counting() {
  return [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    return Vec<K, N>(typename Vec<K, N>::native{k...});
  }(std::make_integer_sequence<int, N>{});
}

template <class K>
int64_t below(K* chosen, K* positions, const K* keys, int64_t n, K bound) {
  constexpr int N = vector_bytes / static_cast<int>(sizeof(K));
  using V = Vec<K, N>;
  const V limit(bound);
  int64_t count = 0, i = 0;
  for (V position = counting<K, N>(); i + N <= n; i += N, position = position + V(K(N))) {
    const V v = V::load(keys + i);
    const uint32_t bits = less_bits(v, limit);
    if (!bits) continue;
    compress_store(v, bits, chosen + count);
    count += compress_store(position, bits, positions + count);
  }
  for (; i < n; ++i) {
    if (keys[i] >= bound) continue;
    chosen[count] = keys[i];
    positions[count++] = static_cast<K>(i);
  }
  return count;
}

template <class K>
constexpr KeyKernels<K> key_kernels() {
  return {quicksort::sort<K>, bins<K>, pack<K>, below<K>};
}

template <class... T>
void fill_codes(SortingKernels& sorting, Types<T...>) {
  ((sorting.encode[static_cast<int>(dtype_of<T>)] = encode<Lane<T>>,
    sorting.decode[static_cast<int>(dtype_of<T>)] = decode<Lane<T>>),
   ...);
}

}  // namespace

void fill_sort(SortingKernels& kernels) {
  fill_codes(kernels, Types<bool, Float16, BFloat16, float, double>{});
  fill_codes(kernels, Integers{});
  kernels.encode[static_cast<int>(DType::complex64)] = encode_complex64;
  kernels.encode[static_cast<int>(DType::complex128)] = encode_complex128;
  kernels.narrow = key_kernels<uint32_t>();
  kernels.wide = key_kernels<uint64_t>();
}

}  // namespace suanzi::SUANZI_LEVEL
