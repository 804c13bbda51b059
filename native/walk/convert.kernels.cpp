// The kernels in `table.convert[from][to]` cast between element types, and round each value at most once.
//
// The function `cast` below defines the cast of one value, and the compiler vectorises this function. The loops around
// `cast` only handle the storage of the two 16-bit types and of complex numbers.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/families.h"
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "simd/half.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The kernels write a bool as a byte 0 or 1. The kernels read a bool as a byte, and any byte except 0 is true. As a
// target, bool is a separate type. As a source, bool is a small integer.
struct Bool {
  uint8_t byte;
};

template <class T>
inline constexpr bool is_wide_integer = std::is_integral_v<T> && sizeof(T) == 8;

// Returns a 64-bit integer as a float64, rounded once. The function adds the two halves of the integer, because levels
// below AVX-512 have only scalar instructions for this conversion. If the lower half replaces the low 32 bits of the
// float64 2^52, the result is 2^52 plus this half. If the upper half replaces the low 32 bits of 2^84, the result is
// 2^84 plus 2^32 times this half.
template <class From>
SUANZI_INLINE double float64_of(From x) {
  if constexpr (Arch::converts_int64 || !is_wide_integer<From>) {
    return static_cast<double>(x);
  } else {
    constexpr bool is_signed = std::is_signed_v<From>;
    const uint64_t bits = static_cast<uint64_t>(x) ^ (is_signed ? uint64_t(1) << 63 : 0);
    const double low = __builtin_bit_cast(double, (bits & 0xffffffffu) | 0x4330000000000000u);
    const double high = __builtin_bit_cast(double, (bits >> 32) | 0x4530000000000000u);
    return (high - (is_signed ? 0x1p84 + 0x1p63 + 0x1p52 : 0x1p84 + 0x1p52)) + low;
  }
}

// Returns bit `kept` and all higher bits, and clears the lower bits. The function sets bit `kept` if a lower bit was
// set. The result is the number rounded to odd. A second rounding to nearest, to at least two bits fewer, is then as
// correct as a single rounding (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms
// using rounding to odd", IEEE Trans. Computers 57, 2008).
SUANZI_INLINE uint64_t round_to_odd(uint64_t bits, int kept) {
  const uint64_t cut = (uint64_t(1) << kept) - 1;
  return (((bits & cut) + cut) | bits) & ~cut;
}

// Returns a float64 that narrows to the same float32 as x.
template <class From>
SUANZI_INLINE double odd_float64(From x) {
  if constexpr (is_wide_integer<From>) {
    constexpr uint64_t exact = uint64_t(1) << 53;
    const uint64_t bits = static_cast<uint64_t>(x);
    const bool small = std::is_signed_v<From> ? bits + exact <= 2 * exact : bits <= exact;
    return float64_of(static_cast<From>(small ? bits : round_to_odd(bits, 11)));
  } else {
    return static_cast<double>(x);
  }
}

// Returns a float32 that narrows to the same number of each 16-bit type as x. The float32 has twelve fraction bits of
// x. This number of bits is more than enough for the two 16-bit types. The bits are also exact in float32 wherever the
// 16-bit result is not zero.
template <class From>
SUANZI_INLINE float odd_float32(From x) {
  if constexpr (std::is_same_v<From, float> || (std::is_integral_v<From> && sizeof(From) < 4)) {
    return static_cast<float>(x);
  } else {
    return static_cast<float>(
        __builtin_bit_cast(double, round_to_odd(__builtin_bit_cast(uint64_t, odd_float64(x)), 40)));
  }
}

// The number of digits of To that From lacks, and the largest number of type From that does not exceed the largest
// number of type To.
template <class To, class From>
inline constexpr int spare_digits = std::max(0, std::numeric_limits<To>::digits - std::numeric_limits<From>::digits);
template <class To, class From>
inline constexpr From highest_of =
    From(std::numeric_limits<To>::max() >> spare_digits<To, From> << spare_digits<To, From>);

// Returns x truncated toward zero and limited to the range of To. NaN becomes 0. The function is for uint32 and for
// integers of 64 bits.
template <class To, class From>
SUANZI_INLINE To saturate(From x) {
  using Step = std::conditional_t<std::is_same_v<To, uint64_t>, uint64_t, int64_t>;
  constexpr From lowest(std::numeric_limits<To>::min()), top = highest_of<To, From>;
  From inside = x > lowest ? x : lowest;
  inside = inside < top ? inside : top;
  inside = x == x ? inside : From(0);
  const To result = static_cast<To>(static_cast<Step>(inside));
  return spare_digits<To, From> > 0 && x > top ? std::numeric_limits<To>::max() : result;
}

// Conversions to integer types whose values int32 can hold use vectors explicitly, because the compiler would store a
// mask for every comparison of `saturate`.
template <class To>
inline constexpr bool saturates_by_vectors = std::is_integral_v<To> && (sizeof(To) < 4 || std::is_same_v<To, int32_t>);
template <class To>
struct Saturate {
  template <class From, int N>
  SUANZI_INLINE Vec<To, N> operator()(Vec<From, N> x) const {
    using V = Vec<From, N>;
    const V lowest{static_cast<From>(std::numeric_limits<To>::min())}, top{highest_of<To, From>};
    const Vec<int32_t, N> result = convert<int32_t>(select(x == x, min(max(x, lowest), top), From(0)));
    if constexpr (spare_digits<To, From> > 0)
      return select(convert_mask<int32_t>(x > top), Vec<int32_t, N>(std::numeric_limits<To>::max()), result);
    return convert<To>(result);
  }
};

template <class To, class From>
SUANZI_INLINE To cast(From x) {
  if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<uint8_t>(x != From(0))};
  } else if constexpr (std::is_same_v<To, float> && is_wide_integer<From> && !Arch::converts_int64) {
    return static_cast<float>(odd_float64(x));
  } else if constexpr (std::is_same_v<To, double>) {
    return float64_of(x);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// The type that kernels read for elements. A bool is read as its integer type, and a complex number is read as its
// parts.
template <class T>
struct Part {
  using type = T;
};
template <>
struct Part<bool> {
  using type = uint8_t;
};
template <class T>
struct Part<std::complex<T>> {
  using type = T;
};
template <class T>
inline constexpr bool is_complex_storage = !std::is_same_v<typename Part<T>::type, T> && !std::is_same_v<T, bool>;

template <class To, class From>
void cast_each(To* out, const From* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = cast<To>(in[i]);
}

// Converts n elements through a buffer of float32, chunk by chunk. For each chunk, the function calls first(buffer, i,
// count), then second(i, buffer, count).
template <class First, class Second>
SUANZI_INLINE void in_chunks(int64_t n, First first, Second second) {
  constexpr int64_t chunk = 512;
  float buffer[chunk];
  for (int64_t i = 0; i < n; i += chunk) {
    const int64_t count = n - i < chunk ? n - i : chunk;
    first(buffer, i, count);
    second(i, buffer, count);
  }
}

template <class To, class From>
void convert_each(To* out, const From* in, int64_t n) {
  if constexpr (is_half_storage<From> && std::is_same_v<To, float>) {
    widen_halves(out, in, n);
  } else if constexpr (is_half_storage<From>) {
    in_chunks(
        n, [=](float* buffer, int64_t i, int64_t count) { convert_each(buffer, in + i, count); },
        [=](int64_t i, const float* buffer, int64_t count) { convert_each(out + i, buffer, count); });
  } else if constexpr (is_half_storage<To> && std::is_same_v<From, float>) {
    narrow_to_halves(out, in, n);
  } else if constexpr (is_half_storage<To>) {
    in_chunks(
        n,
        [=](float* buffer, int64_t i, int64_t count) {
          for (int64_t k = 0; k < count; ++k) buffer[k] = odd_float32(in[i + k]);
        },
        [=](int64_t i, const float* buffer, int64_t count) { convert_each(out + i, buffer, count); });
  } else if constexpr (is_complex_storage<To>) {
    using P = typename Part<To>::type;
    P* parts = reinterpret_cast<P*>(out);
    for (int64_t i = 0; i < n; ++i) {
      parts[2 * i] = cast<P>(in[i]);
      parts[2 * i + 1] = 0;
    }
  } else if constexpr (std::is_floating_point_v<From> && saturates_by_vectors<To>) {
    apply<vector_bytes / static_cast<int>(sizeof(From))>(Saturate<To>{}, out, n, false, Elements<From>(in));
  } else {
    cast_each(out, in, n);
  }
}

template <DType from, DType to>
void convert_kernel(void* out, const void* const* in, int64_t n, const KernelParams&) {
  using From = storage_t<from>;
  using To = std::conditional_t<to == DType::boolean, Bool, storage_t<to>>;
  using FromPart = typename Part<From>::type;
  using ToPart = typename Part<To>::type;
  const FromPart* source = static_cast<const FromPart*>(in[0]);
  if constexpr (from == to) {
    if (out != in[0]) std::memcpy(out, in[0], static_cast<size_t>(n) * sizeof(From));
  } else if constexpr (is_complex(from) && is_complex(to)) {
    cast_each(static_cast<ToPart*>(out), source, 2 * n);
  } else if constexpr (is_complex(from)) {
    static_assert(to == DType::boolean);
    Bool* target = static_cast<Bool*>(out);
    for (int64_t i = 0; i < n; ++i) target[i].byte = (source[2 * i] != 0) | (source[2 * i + 1] != 0);
  } else if constexpr (from == DType::boolean) {
    constexpr int64_t chunk = 512;
    uint8_t truth[chunk];
    To* target = static_cast<To*>(out);
    for (int64_t i = 0; i < n; i += chunk) {
      const int64_t count = n - i < chunk ? n - i : chunk;
      for (int64_t k = 0; k < count; ++k) truth[k] = source[i + k] != 0;
      convert_each(target + i, truth, count);
    }
  } else {
    convert_each(static_cast<To*>(out), source, n);
  }
}

// Returns true for a conversion of an integer to an integer type that is not wider, or to bool. The kept bits then do
// not depend on whether the two types are signed.
constexpr bool hides_sign(DType from, DType to) {
  return is_integer(from) && (to == DType::boolean || (is_integer(to) && size_of(to) <= size_of(from)));
}

template <DType from, DType to>
constexpr Kernel choose() {
  if constexpr (from != to && (from == DType::string || to == DType::string)) {
    return nullptr;
  } else if constexpr (is_complex(from) && !is_complex(to) && to != DType::boolean) {
    return nullptr;
  } else {
    constexpr DType read = hides_sign(from, to) ? unsigned_of(from) : from;
    constexpr DType written = is_integer(from) || from == DType::boolean ? unsigned_of(to) : to;
    return convert_kernel<read, written>;
  }
}

template <int from, int... to>
void fill_row(KernelTable& table, std::integer_sequence<int, to...>) {
  ((table.convert[from][to] = choose<static_cast<DType>(from), static_cast<DType>(to)>()), ...);
}

template <int... from>
void fill_rows(KernelTable& table, std::integer_sequence<int, from...> all) {
  (fill_row<from>(table, all), ...);
}

}  // namespace

void fill_convert(KernelTable& table) { fill_rows(table, std::make_integer_sequence<int, dtype_count>{}); }

}  // namespace suanzi::SUANZI_LEVEL
