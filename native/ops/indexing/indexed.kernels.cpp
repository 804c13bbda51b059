// The kernels of gathering and scattering by index, which indexed.kernels.h describes.
//
// Loops that the compiler vectorises turn indices into offsets. Updates are scalar, because each update must read the
// result of the previous update.
#include <complex>
#include <utility>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/indexing/indexed.kernels.h"
#include "simd/bits.h"
#include "simd/complex.h"
#include "simd/half.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// --- indices ---

// Calls put(i, place) for the position in [0, size) that each index selects. Returns false if an index is out of range.
// Unsigned arithmetic wraps for an index out of range, whose position is meaningless.
template <class T, class Put>
SUANZI_INLINE bool look_up(const T* index, int64_t n, uint64_t size, Put put) {
  uint64_t outside = 0;  // a number whose sign bit is set if an index is out of range
  for (int64_t i = 0; i < n; ++i) {
    // The index is read only once, because another thread may write to the index.
    const T named = index[i];
    uint64_t place = static_cast<uint64_t>(static_cast<int64_t>(named));
    if constexpr (std::is_signed_v<T>) place += named < 0 ? size : 0;
    outside |= place | (size - 1 - place);
    put(i, place);
  }
  return static_cast<int64_t>(outside) >= 0;
}

// Writes, for each index i, before(i) plus the stride times the position that the index selects. Returns false if an
// index is out of range.
template <class T, class Before>
SUANZI_INLINE bool look_up_after(int64_t* offsets, const T* index, int64_t n, uint64_t size, int64_t stride,
                                 Before before) {
  // All levels shift 64-bit lanes in one instruction, but some levels need several instructions to multiply 64-bit
  // lanes.
  if (stride > 0 && (stride & (stride - 1)) == 0) {
    const int shift = __builtin_ctzll(static_cast<uint64_t>(stride));
    return look_up(index, n, size, [&](int64_t i, uint64_t place) __attribute__((always_inline)) {
      offsets[i] = static_cast<int64_t>(before(i) + (place << shift));
    });
  }
  return look_up(index, n, size, [&](int64_t i, uint64_t place) __attribute__((always_inline)) {
    offsets[i] = static_cast<int64_t>(before(i) + place * static_cast<uint64_t>(stride));
  });
}

template <class T>
bool look_up(int64_t* offsets, const Ramp* ramp, const void* index, int64_t n, int64_t size, int64_t stride) {
  const auto* from = static_cast<const T*>(index);
  const auto extent = static_cast<uint64_t>(size);
  if (!offsets) return look_up(from, n, extent, [](int64_t, uint64_t) {});
  if (!ramp)
    return look_up_after(offsets, from, n, extent, stride,
                         [=](int64_t i) __attribute__((always_inline)) { return static_cast<uint64_t>(offsets[i]); });
  // The ramp is a running sum, because a product for each offset would be slower.
  uint64_t at = static_cast<uint64_t>(ramp->origin);
  const auto step = static_cast<uint64_t>(ramp->step);
  return look_up_after(offsets, from, n, extent, stride,
                       [&](int64_t) __attribute__((always_inline)) { return std::exchange(at, at + step); });
}

// Writes the elements one by one, so that the processor computes further addresses while earlier stores are still in
// progress. A kernel that writes the offsets of a tile and reads the offsets again takes a tenth longer.
template <class T, int Bytes>
bool put(void* target, const void* index, const void* values, int64_t n, int64_t size, int64_t stride) {
  auto* const base = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const T*>(index);
  const auto* const value = static_cast<const std::byte*>(values);
  const auto extent = static_cast<uint64_t>(size);
  const auto put_one = [&](int64_t i, int64_t step) __attribute__((always_inline)) {
    // The index is read only once, because another thread may write to the index.
    const T named = *const_cast<const volatile T*>(from + i);
    auto place = static_cast<uint64_t>(static_cast<int64_t>(named));
    if constexpr (std::is_signed_v<T>) place += named < 0 ? extent : 0;
    if (place >= extent) [[unlikely]]
      return false;
    std::memcpy(base + static_cast<int64_t>(place) * step, value + i * Bytes, Bytes);
    return true;
  };
  const auto put_all = [&](int64_t step) __attribute__((always_inline)) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
#pragma GCC unroll 8
      for (int64_t k = 0; k < 8; ++k)
        if (!put_one(i + k, step)) return false;
    }
    for (; i < n; ++i)
      if (!put_one(i, step)) return false;
    return true;
  };
  return stride == Bytes ? put_all(Bytes) : put_all(stride);
}

template <class T, int... k>
void fill_put(PutKernel (&row)[5], std::integer_sequence<int, k...>) {
  ((row[k] = put<T, 1 << k>), ...);
}

template <class... T>
void fill_look_up(IndexedKernels& kernels, Types<T...>) {
  ((kernels.look_up[static_cast<int>(dtype_of<T>)] = look_up<T>), ...);
  (fill_put<T>(kernels.put[static_cast<int>(dtype_of<T>)], std::make_integer_sequence<int, 5>{}), ...);
}

// --- updates ---

// Converts elements to numbers and back. S is the type that stores an element.
template <class S>
struct Element {
  static SUANZI_INLINE S load(const std::byte* p) {
    S x;
    std::memcpy(&x, p, sizeof(S));
    return x;
  }
  static SUANZI_INLINE void store(std::byte* p, S x) { std::memcpy(p, &x, sizeof(S)); }
};
template <>
struct Element<bool> {
  static SUANZI_INLINE bool load(const std::byte* p) { return *p != std::byte{0}; }
  static SUANZI_INLINE void store(std::byte* p, bool x) { *p = std::byte{x}; }
};
template <class S>
  requires is_half_storage<S>
struct Element<S> {
  static constexpr int lanes = vector_bytes / 4;  // the number of 4-byte lanes in a vector register
  static SUANZI_INLINE float load(const std::byte* p) {
    return widen_half<S>(Vec<uint16_t, lanes>(Element<uint16_t>::load(p))).v[0];
  }
  static SUANZI_INLINE void store(std::byte* p, float x) {
    Element<uint16_t>::store(p, narrow_half<S>(Vec<float, lanes>(x)).v[0]);
  }
};
// The code computes with vectors and uses only their first lane. simd/complex.h states the reason.
template <class T>
struct Element<std::complex<T>> {
  using Z = ComplexVec<T, vector_bytes / static_cast<int>(sizeof(T))>;
  static SUANZI_INLINE Z load(const std::byte* p) {
    return {typename Z::part(Element<T>::load(p)), typename Z::part(Element<T>::load(p + sizeof(T)))};
  }
  static SUANZI_INLINE void store(std::byte* p, Z x) {
    Element<T>::store(p, x.re.v[0]);
    Element<T>::store(p + sizeof(T), x.im.v[0]);
  }
};

template <class T>
using Pair = Vec<T, 16 / sizeof(T)>;

struct Add {
  template <class T>
  SUANZI_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
struct Multiply {
  template <class T>
  SUANZI_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
// The code compares vectors and uses only their first lane. Vectors avoid branches, which random numbers would make
// unpredictable.
struct Minimum {
  template <class T>
  SUANZI_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return minimum(Pair<T>(a), Pair<T>(b)).v[0];
    } else {
      return a < b ? a : b;
    }
  }
};
struct Maximum {
  template <class T>
  SUANZI_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return maximum(Pair<T>(a), Pair<T>(b)).v[0];
    } else {
      return a > b ? a : b;
    }
  }
};

template <class F, class S>
void combine(void* target, const int64_t* offsets, const void* values, int64_t n) {
  auto* base = static_cast<std::byte*>(target);
  const auto* value = static_cast<const std::byte*>(values);
#pragma GCC unroll 8
  for (int64_t i = 0; i < n; ++i) {
    std::byte* place = base + offsets[i];
    Element<S>::store(place, F{}(Element<S>::load(place), Element<S>::load(value + i * int64_t{sizeof(S)})));
  }
}

template <class F, class... S>
void fill_combine(IndexedKernels& kernels, ScatterMode mode, Types<S...>) {
  CombineKernel(&row)[dtype_count] = kernels.combine[static_cast<int>(mode)];
  ((row[static_cast<int>(dtype_of<S>)] = combine<F, S>), ...);
}

using Ordered = Types<bool, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t, Float16, BFloat16,
                      float, double>;
using Complexes = Types<std::complex<float>, std::complex<double>>;

}  // namespace

void fill_indexed(IndexedKernels& kernels) {
  fill_look_up(kernels, Integers{});
  fill_combine<Add>(kernels, ScatterMode::add, Ordered{});
  fill_combine<Add>(kernels, ScatterMode::add, Complexes{});
  fill_combine<Multiply>(kernels, ScatterMode::multiply, Ordered{});
  fill_combine<Multiply>(kernels, ScatterMode::multiply, Complexes{});
  fill_combine<Minimum>(kernels, ScatterMode::minimum, Ordered{});
  fill_combine<Maximum>(kernels, ScatterMode::maximum, Ordered{});
}

}  // namespace suanzi::SUANZI_LEVEL
