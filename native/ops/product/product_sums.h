// Sums of products in registers. Matrix products consist of these sums. The sums exist for real numbers, integers, bool
// (whose product is `and` and whose sum is `or`) and complex numbers.
#pragma once

#include <bit>
#include <complex>
#include <type_traits>
#include <utility>

#include "kernels/loops.h"
#include "ops/product/gemm.kernels.h"
#include "simd/half.h"
#include "simd/lanes.h"
#include "simd/vec_math.h"

namespace suanzi::SUANZI_LEVEL {

template <class T>
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// The stored form of elements of type In. Loads widen float16 and bfloat16.
template <class In>
using Stored = std::conditional_t<is_half_storage<In>, uint16_t, In>;
template <class In, int N>
SUANZI_INLINE auto widen(Vec<Stored<In>, N> x) {
  if constexpr (std::is_same_v<In, BFloat16>) {
    // The conversion need not make NaNs quiet, because the product makes NaNs quiet.
    return bit_cast<float>(convert<uint32_t>(x) << 16);
  } else if constexpr (is_half_storage<In>) {
    return widen_half<In>(x);
  } else {
    return x;
  }
}

// A vector of sums of products. `add` multiplies one element of A and a vector of elements of B. `multiply` multiplies
// two vectors. An element consists of `parts` numbers of type T.
template <class T, int N = lanes<T>>
struct Numbers {
  using part = T;
  static constexpr int parts = 1;
  // The constant is true if products take many instructions, because no instruction multiplies lanes of bytes.
  static constexpr bool is_costly = sizeof(T) == 1;
  using V = Vec<T, N>;
  V sum{T(0)};

  static SUANZI_INLINE V multiply_add(V a, V b, V c) {
    if constexpr (std::is_floating_point_v<T>) {
      return mul_add(a, b, c);
    } else {
      return a * b + c;
    }
  }
  struct Plus {
    template <class W>
    static SUANZI_INLINE W fold(W a, W b) {
      return a + b;
    }
  };
  static SUANZI_INLINE T combine(T a, T b) { return static_cast<T>(a + b); }
  static SUANZI_INLINE T product(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {
      // The code multiplies in uint64_t, because uint64_t does not promote to int.
      return static_cast<T>(uint64_t(a) * b);
    }
  }

  SUANZI_INLINE void start(V c) { sum = c; }
  SUANZI_INLINE void add(const T* a, V b) { sum = multiply_add(V(*a), b, sum); }
  SUANZI_INLINE void multiply(V a, V b) { sum = multiply_add(a, b, sum); }
  SUANZI_INLINE V finish() const { return sum; }
  SUANZI_INLINE V finish(V start) const { return sum + start; }
  // Adds the sum of another accumulator to the sum of this accumulator.
  SUANZI_INLINE void join(const Numbers& other) { sum = sum + other.sum; }
  // Adds the sum of the lanes to the element at `out`. If `Conjugate` is true, complex products use the conjugate of A.
  template <bool Conjugate = false>
  SUANZI_INLINE void total(T* out) const {
    out[0] = combine(out[0], fold_all_lanes<Plus>(sum));
  }
};

// Accumulates bools. Any byte except 0 is true (loops.h), so the minimum of two bytes is 0 unless the two bytes are
// true. The finished result is 0 or 1.
template <int N = lanes<uint8_t>>
struct Truths : Numbers<uint8_t, N> {
  static constexpr bool is_costly = false;
  using V = Vec<uint8_t, N>;
  using Numbers<uint8_t, N>::sum;
  struct Or {
    template <class W>
    static SUANZI_INLINE W fold(W a, W b) {
      return a | b;
    }
  };
  static SUANZI_INLINE uint8_t combine(uint8_t a, uint8_t b) { return (a | b) != 0; }
  static SUANZI_INLINE uint8_t product(uint8_t a, uint8_t b) { return a != 0 && b != 0; }
  SUANZI_INLINE void add(const uint8_t* a, V b) { multiply(V(*a), b); }
  SUANZI_INLINE void multiply(V a, V b) { sum = min(a, b) | sum; }
  SUANZI_INLINE V finish() const { return as_truth<bool>(sum); }
  SUANZI_INLINE V finish(V start) const { return as_truth<bool>(sum | start); }
  SUANZI_INLINE void join(const Truths& other) { sum = sum | other.sum; }
  template <bool Conjugate = false>
  SUANZI_INLINE void total(uint8_t* out) const {
    out[0] = combine(out[0], fold_all_lanes<Or>(sum));
  }
};

// In a vector, real and imaginary parts alternate. The loop sums products with the real parts of A and products with
// the imaginary parts of A separately. The sums are combined at the end, so the loop needs no shuffles.
template <class T>
struct ComplexNumbers {
  using part = T;
  static constexpr int parts = 2;
  static constexpr bool is_costly = false;
  using V = Vec<T, lanes<T>>;
  V by_real{T(0)}, by_imaginary{T(0)};

  template <int... i>
  static SUANZI_INLINE V swap(V x, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(x.v, x.v, (i ^ 1)...);
  }
  static SUANZI_INLINE V swap(V x) { return swap(x, std::make_integer_sequence<int, V::lanes>{}); }
  // Returns x with one part negated. Part 0 means the real parts, and part 1 means the imaginary parts.
  template <int part, int... i>
  static SUANZI_INLINE V minus(V x, std::integer_sequence<int, i...>) {
    const V negated = -x;
    return __builtin_shufflevector(negated.v, x.v, (i % 2 == part ? i : i + V::lanes)...);
  }
  static SUANZI_INLINE V minus_real(V x) { return minus<0>(x, std::make_integer_sequence<int, V::lanes>{}); }
  static SUANZI_INLINE V minus_imaginary(V x) { return minus<1>(x, std::make_integer_sequence<int, V::lanes>{}); }

  SUANZI_INLINE void start(V c) { by_real = c; }
  SUANZI_INLINE void add(const T* a, V b) {
    by_real = mul_add(V(a[0]), b, by_real);
    by_imaginary = mul_add(V(a[1]), b, by_imaginary);
  }
  // In this function, by_real sums the products of equal parts, and by_imaginary sums the products of unequal parts.
  SUANZI_INLINE void multiply(V a, V b) {
    by_real = mul_add(a, b, by_real);
    by_imaginary = mul_add(a, swap(b), by_imaginary);
  }
  SUANZI_INLINE V finish() const { return by_real + minus_real(swap(by_imaginary)); }
  SUANZI_INLINE V finish(V start) const { return finish() + start; }
  SUANZI_INLINE void join(const ComplexNumbers& other) {
    by_real = by_real + other.by_real;
    by_imaginary = by_imaginary + other.by_imaginary;
  }
  template <bool Conjugate = false>
  SUANZI_INLINE void total(T* out) const {
    const V equal = Conjugate ? by_real : minus_imaginary(by_real);
    const V unequal = Conjugate ? minus_imaginary(by_imaginary) : by_imaginary;
    out[0] += fold_all_lanes<typename Numbers<T>::Plus>(equal);
    out[1] += fold_all_lanes<typename Numbers<T>::Plus>(unequal);
  }
};

// A kernel multiplies `Most` rows or columns at a time. A Rest states how the kernel divides the rows or columns at the
// end into runs:
// - `at_once` makes one run of all these rows or columns, which needs a copy of the loop for each number of rows.
// - `in_halves` makes runs of half of `Most`, a quarter of `Most`, and so on.
// - `singly` makes runs of one row or column.
enum class Rest { at_once, in_halves, singly };
// Costly products gain little if a vector is loaded once for several rows, and further copies of their loops would be
// long.
template <class Sum>
inline constexpr Rest rest_of_rows = brief            ? Rest::singly
                                     : Sum::is_costly ? Rest::in_halves
                                                      : Rest::at_once;

// Divides the numbers [first, count) into runs, and calls body.operator()<Run>(i) for each run [i, i + Run).
template <int Most, Rest rest, class Body>
SUANZI_INLINE void for_runs(int64_t count, Body body, int64_t first = 0) {
  for (; first + Most <= count; first += Most) body.template operator()<Most>(first);
  if constexpr (Most == 1) {
    return;
  } else if constexpr (rest == Rest::at_once) {
    [&]<int... less>(std::integer_sequence<int, less...>) __attribute__((always_inline)) {
      ((count - first == less + 1 ? body.template operator()<less + 1>(first) : void()), ...);
    }(std::make_integer_sequence<int, Most - 1>{});
  } else {
    for_runs<rest == Rest::singly ? 1 : std::bit_floor(Most / 2U), rest>(count, body, first);
  }
}

// Calls fill.operator()<Sum, T>() for every element type T that needs no wider type, with the accumulator Sum for its
// products.
template <class Fill, class... Integer>
void for_all_products(Fill fill, Types<Integer...>) {
  fill.template operator()<Truths<>, bool>();
  // The code uses unsigned numbers, because unsigned numbers wrap.
  (fill.template operator()<Numbers<UintFor<Integer>>, Integer>(), ...);
  fill.template operator()<Numbers<float>, float>();
  fill.template operator()<Numbers<double>, double>();
  fill.template operator()<ComplexNumbers<float>, std::complex<float>>();
  fill.template operator()<ComplexNumbers<double>, std::complex<double>>();
}
template <class Fill>
void for_all_products(Fill fill) {
  for_all_products(fill, Integers{});
}

}  // namespace suanzi::SUANZI_LEVEL
