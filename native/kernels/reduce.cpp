// Folding elements into accumulators: table.reduce[reduction][dtype]. The accumulator types are accumulator_type()'s;
// which chunks are folded in which order, and by which thread, is the tile engine's business.
//
// `along` gives the same bits at every level. Where the order of a fold shows in its result (floating sums and
// products, the sign of a zero) it is that of a fixed number of virtual lanes, however wide the vectors are: element i
// of a block goes to lane i modulo the number of lanes, the lanes are halved until one is left, and the blocks are
// combined pairwise, so that the error of a sum of n numbers grows with log n (Higham, "The accuracy of floating
// point summation", SIAM J. Sci. Comput. 14, 1993).
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/families.h"
#include "kernels/kernel.h"
#include "simd/complex.h"
#include "simd/half.h"
#include "simd/lanes.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The identities leave every operand as it is, bit for bit: adding 0 would turn a sum of -0 into 0.
struct Sum {
  template <class V>
  static SUANZI_INLINE V fold(V a, V b) {
    return a + b;
  }
  template <class T>
  static constexpr T identity = std::is_floating_point_v<T> ? T(-0.0) : T(0);
};

struct Product {
  template <class V>
  static SUANZI_INLINE V fold(V a, V b) {
    return a * b;
  }
  template <class T>
  static constexpr T identity = T(1);
};

// b where `better` says so or b is NaN; a NaN in a stays, because nothing is better.
template <class T, int N>
SUANZI_INLINE Vec<T, N> replace(Mask<sizeof(T), N> better, Vec<T, N> a, Vec<T, N> b) {
  if constexpr (std::is_floating_point_v<T>) better = better | (b != b);
  return select(better, b, a);
}
template <class T>
SUANZI_INLINE T replace(bool better, T a, T b) {
  return better | (b != b) ? b : a;
}

struct Max {
  template <class V>
  static SUANZI_INLINE V fold(V a, V b) {
    return replace(b > a, a, b);
  }
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
};

struct Min {
  template <class V>
  static SUANZI_INLINE V fold(V a, V b) {
    return replace(b < a, a, b);
  }
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
};

// A block: the virtual lanes in as many vectors as the level needs.
template <class Op, class Acc>
struct Lanes {
  static constexpr int lanes = 256 / static_cast<int>(sizeof(Acc));
  static constexpr int elements = 16 * lanes;
  static constexpr int width = vector_bytes / static_cast<int>(sizeof(Acc));
  static constexpr int vectors = lanes / width;

  Vec<Acc, width> lane[vectors];

  SUANZI_INLINE Lanes() {
    for (auto& v : lane) v = Vec<Acc, width>(Op::template identity<Acc>);
  }

  template <class In>
  SUANZI_INLINE void fold_row(const In* p) {
#pragma GCC unroll 16
    for (int k = 0; k < vectors; ++k) lane[k] = Op::fold(lane[k], convert<Acc>(Vec<In, width>::load(p + k * width)));
  }

  template <class In>
  SUANZI_INLINE void fold_rows(const In* p, int64_t n) {
    for (; n >= lanes; n -= lanes, p += lanes) fold_row(p);
    if (n == 0) return;
    Acc last[lanes];
    for (int k = 0; k < lanes; ++k) last[k] = k < n ? Acc(p[k]) : Op::template identity<Acc>;
    fold_row(last);
  }

  template <int Left>
  SUANZI_INLINE Vec<Acc, Left> result() {
#pragma GCC unroll 4
    for (int half = vectors / 2; half > 0; half /= 2)
#pragma GCC unroll 16
      for (int k = 0; k < half; ++k) lane[k] = Op::fold(lane[k], lane[k + half]);
    return fold_lanes<Op, Left>(lane[0]);
  }
};

// n <= 8 numbers are folded one after the other.
template <class Op, class Result, class In>
SUANZI_INLINE Result fold_few(const In* in, int64_t n) {
  Result folded(Op::template identity<typename Result::element>);
  for (int64_t i = 0; i < n; i += Result::lanes)
    folded = Op::fold(folded, convert<typename Result::element>(Vec<In, Result::lanes>::load(in + i)));
  return folded;
}

template <class Op, class Result, class In>
SUANZI_INLINE Result fold_blocks(const In* in, int64_t n) {
  using Block = Lanes<Op, typename Result::element>;
  Result pending[64];  // pending[k]: the fold of 2^k blocks, present where bit k of `blocks` is set
  uint64_t blocks = 0;
  for (int64_t start = 0; start < n; start += Block::elements, ++blocks) {
    Block block;
    block.fold_rows(in + start, n - start < Block::elements ? n - start : Block::elements);
    Result carry = block.template result<Result::lanes>();
    int level = 0;
    for (; blocks >> level & 1; ++level) carry = Op::fold(pending[level], carry);
    pending[level] = carry;
  }
  Result folded(Op::template identity<typename Result::element>);
  for (int level = 0; blocks >> level; ++level)
    if (blocks >> level & 1) folded = Op::fold(pending[level], folded);
  return folded;
}

// Folds n numbers into Left interleaved accumulators: 2 for the parts of complex numbers, else 1.
template <class Op, int Left, class Acc, class In>
void fold_floating(Acc* acc, const In* in, int64_t n) {
  if constexpr (is_half_storage<In>) {
    constexpr int64_t chunk = 4 * Lanes<Op, Acc>::elements;
    float wide[chunk];
    for (int64_t i = 0; i < n; i += chunk) {
      const int64_t count = n - i < chunk ? n - i : chunk;
      widen_halves(wide, in + i, count);
      fold_floating<Op, Left>(acc, wide, count);
    }
  } else {
    using Result = Vec<Acc, Left>;
    const Result folded = n <= 8 ? fold_few<Op, Result>(in, n) : fold_blocks<Op, Result>(in, n);
    Op::fold(Result::load(acc), folded).store(acc);
  }
}

// Integers fold to the same bits in any order, so the compiler may choose it. Sums of narrow ones stay in 32 bits for
// as long as they cannot overflow. Acc is unsigned for sums and products, which wrap.
template <class Op, class Acc, class In>
void fold_integers(Acc* acc, const In* in, int64_t n) {
  constexpr bool narrow = std::is_same_v<Op, Sum> && sizeof(In) <= 2;
  using Step = std::conditional_t<!narrow, Acc, std::conditional_t<std::is_signed_v<In>, int32_t, uint32_t>>;
  const int64_t chunk = narrow ? int64_t(1) << 15 : n;
  for (int64_t start = 0; start < n; start += chunk) {
    const int64_t end = n - start < chunk ? n : start + chunk;
    Step folded = Op::template identity<Step>;
    for (int64_t i = start; i < end; ++i) folded = Op::fold(folded, static_cast<Step>(in[i]));
    *acc = Op::fold(*acc, static_cast<Acc>(folded));
  }
}

// Two products, the accumulator's with the elements at even places and that of the others, multiplied in the end.
template <class In>
void multiply_complex_along(double* acc, const In* in, int64_t n) {
  using Pair = ComplexVec<double, 2>;
  Pair product = Pair::load_first(acc, 1);
  int64_t i = 0;
  for (; i + 2 <= n; i += 2) product = product * convert<double>(ComplexVec<In, 2>::load(in + 2 * i));
  if (i < n) product = product * convert<double>(ComplexVec<In, 2>::load_first(in + 2 * i, 1));
  const Pair swapped = {__builtin_shufflevector(product.re.v, product.re.v, 1, 0),
                        __builtin_shufflevector(product.im.v, product.im.v, 1, 0)};
  (product * swapped).store_first(acc, 1);
}

template <class In>
void multiply_complex_across(double* acc, const In* in, int64_t n) {
  constexpr int N = vector_bytes / 8;
  using Acc = ComplexVec<double, N>;
  using Source = ComplexVec<In, N>;
  int64_t i = 0;
  for (; i + N <= n; i += N) (Acc::load(acc + 2 * i) * convert<double>(Source::load(in + 2 * i))).store(acc + 2 * i);
  const int rest = static_cast<int>(n - i);
  if (rest > 0)
    (Acc::load_first(acc + 2 * i, rest) * convert<double>(Source::load_first(in + 2 * i, rest)))
        .store_first(acc + 2 * i, rest);
}

SUANZI_INLINE const void* next_row(const void* in, int64_t step) { return static_cast<const char*>(in) + step; }

template <class Op, class Acc, class In>
void fold_across(Acc* acc, const In* in, int64_t n) {
  if constexpr (is_half_storage<In>) {
    constexpr int64_t chunk = 512;
    float wide[chunk];
    for (int64_t i = 0; i < n; i += chunk) {
      const int64_t count = n - i < chunk ? n - i : chunk;
      widen_halves(wide, in + i, count);
      fold_across<Op>(acc + i, wide, count);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) acc[i] = Op::fold(acc[i], static_cast<Acc>(in[i]));
  }
}

// Eight rows at once, `stride` elements apart: the accumulators are read and written an eighth as often, and the
// rounding errors of a sum grow an eighth as fast.
template <class Op, class Acc, class In>
void fold_eight_across(Acc* __restrict acc, const In* in, int64_t n, int64_t stride) {
  const auto row = [&](int r, int64_t i) { return static_cast<Acc>(in[r * stride + i]); };
  const auto pair = [&](int r, int64_t i) { return Op::fold(row(r, i), row(r + 1, i)); };
  for (int64_t i = 0; i < n; ++i)
    acc[i] = Op::fold(acc[i], Op::fold(Op::fold(pair(0, i), pair(2, i)), Op::fold(pair(4, i), pair(6, i))));
}

// Whether an element is true is a question about its bits: not all zero, the signs of floating parts aside.
template <DType t>
struct Truth {
  static constexpr int parts = is_complex(t) ? 2 : 1;
  using Word = UintFor<storage_t<real_part(t)>>;
  static constexpr Word mask = is_floating(real_part(t)) ? static_cast<Word>(Word(-1) >> 1) : Word(-1);

  static SUANZI_INLINE Word bits(const Word* in, int64_t i) {
    if constexpr (parts == 2) return (in[2 * i] | in[2 * i + 1]) & mask;
    return in[i] & mask;
  }

  // Whether any element is true (Wanted) or false (not Wanted); stops at the first chunk that has one.
  template <bool Wanted>
  static SUANZI_INLINE bool find(const Word* in, int64_t n) {
    constexpr int64_t chunk = 1024;
    for (int64_t start = 0; start < n; start += chunk) {
      const int64_t end = n - start < chunk ? n : start + chunk;
      Word found = 0;
      for (int64_t i = start; i < end; ++i) found |= Wanted ? bits(in, i) : static_cast<Word>(bits(in, i) == 0);
      if (found != 0) return true;
    }
    return false;
  }
};

template <DType t>
void any_along(void* acc, const void* in, int64_t n) {
  uint8_t& result = *static_cast<uint8_t*>(acc);
  if (!result) result = Truth<t>::template find<true>(static_cast<const typename Truth<t>::Word*>(in), n);
}

template <DType t>
void all_along(void* acc, const void* in, int64_t n) {
  uint8_t& result = *static_cast<uint8_t*>(acc);
  if (result) result = !Truth<t>::template find<false>(static_cast<const typename Truth<t>::Word*>(in), n);
}

template <DType t, bool Any>
void truth_across(void* acc, const void* in, int64_t n, int64_t rows, int64_t step) {
  for (; rows > 1; --rows, in = next_row(in, step)) truth_across<t, Any>(acc, in, n, 1, step);
  uint8_t* result = static_cast<uint8_t*>(acc);
  const auto* words = static_cast<const typename Truth<t>::Word*>(in);
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t truth = Truth<t>::bits(words, i) != 0;
    result[i] = Any ? result[i] | truth : result[i] & truth;
  }
}

// How the elements of a type are read here: bool as a byte, a complex number as its parts.
template <DType t>
using Element = std::conditional_t<t == DType::boolean, uint8_t, storage_t<real_part(t)>>;

template <class Op, Reduction op, DType t>
void along(void* acc, const void* in, int64_t n) {
  using In = Element<t>;
  using Acc = Element<accumulator_type(op, t)>;
  constexpr bool wraps = op == Reduction::sum || op == Reduction::prod;
  const In* source = static_cast<const In*>(in);
  if constexpr (is_complex(t) && op == Reduction::prod) {
    multiply_complex_along(static_cast<double*>(acc), source, n);
  } else if constexpr (is_complex(t)) {
    fold_floating<Op, 2>(static_cast<Acc*>(acc), source, 2 * n);
  } else if constexpr (is_floating(t)) {
    fold_floating<Op, 1>(static_cast<Acc*>(acc), source, n);
  } else {
    fold_integers<Op>(static_cast<std::conditional_t<wraps, UintFor<Acc>, Acc>*>(acc), source, n);
  }
}

template <class Op, Reduction op, DType t>
void across(void* acc, const void* in, int64_t n, int64_t rows, int64_t step) {
  using In = Element<t>;
  using Stored = Element<accumulator_type(op, t)>;
  constexpr bool wraps = std::is_integral_v<Stored> && (op == Reduction::sum || op == Reduction::prod);
  using Acc = std::conditional_t<wraps, UintFor<Stored>, Stored>;
  Acc* const result = static_cast<Acc*>(acc);
  if constexpr (is_complex(t) && op == Reduction::prod) {
    for (; rows > 0; --rows, in = next_row(in, step)) multiply_complex_across(result, static_cast<const In*>(in), n);
  } else {
    const int64_t count = is_complex(t) ? 2 * n : n;
    if constexpr (!is_half_storage<In>) {
      const int64_t stride = step / static_cast<int64_t>(sizeof(In));
      for (; rows >= 8; rows -= 8, in = next_row(in, 8 * step))
        fold_eight_across<Op>(result, static_cast<const In*>(in), count, stride);
    }
    for (; rows > 0; --rows, in = next_row(in, step)) fold_across<Op>(result, static_cast<const In*>(in), count);
  }
}

template <DType t>
void fill_dtype(KernelTable& table) {
  const auto at = [&](Reduction op) -> ReduceKernels& {
    return table.reduce[static_cast<int>(op)][static_cast<int>(t)];
  };
  const ReduceKernels any = {any_along<t>, truth_across<t, true>}, all = {all_along<t>, truth_across<t, false>};
  at(Reduction::any) = any;
  at(Reduction::all) = all;
  at(Reduction::sum) = {along<Sum, Reduction::sum, t>, across<Sum, Reduction::sum, t>};
  at(Reduction::prod) = {along<Product, Reduction::prod, t>, across<Product, Reduction::prod, t>};
  if constexpr (t == DType::boolean) {
    at(Reduction::max) = any;
    at(Reduction::min) = all;
  } else if constexpr (!is_complex(t)) {
    at(Reduction::max) = {along<Max, Reduction::max, t>, across<Max, Reduction::max, t>};
    at(Reduction::min) = {along<Min, Reduction::min, t>, across<Min, Reduction::min, t>};
  }
}

template <int... t>
void fill_dtypes(KernelTable& table, std::integer_sequence<int, t...>) {
  (fill_dtype<static_cast<DType>(t)>(table), ...);
}

}  // namespace

void fill_reduce(KernelTable& table) { fill_dtypes(table, std::make_integer_sequence<int, dtype_count>{}); }

}  // namespace suanzi::SUANZI_LEVEL
