// The kernels in `table.reduce[reduction][dtype]` fold elements into accumulators by sum, prod, max, min, all and any.
// accumulator_type() defines the types of accumulators. The class ReductionWalk (walk/reduction_walk.h) determines
// which thread folds which chunks in which order. statistics.kernels.cpp contains the folds of norms, variances and
// logsumexp.
#include <type_traits>
#include <utility>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/reduce/folds.h"
#include "simd/complex.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// Folds integers, whose results have the same bits in any order. Sums of narrow integers stay in 32 bits as long as 32
// bits suffice for the sums. Acc is unsigned for sums and products, which wrap.
template <class Op, class Acc, class In>
void fold_integers(Acc* acc, const In* in, int64_t n) {
  if constexpr (std::is_same_v<Op, Sum> && sizeof(In) <= 2) {
    constexpr int64_t chunk = 1 << 15;
    for (int64_t start = 0; start < n; start += chunk) {
      std::conditional_t<std::is_signed_v<In>, int32_t, uint32_t> folded = 0;
      fold_wide<Op, 1>(&folded, in + start, n - start < chunk ? n - start : chunk, Itself{});
      *acc += static_cast<Acc>(folded);
    }
  } else if constexpr (std::is_same_v<Op, Sum> || sizeof(In) == sizeof(Acc)) {
    fold_wide<Op, 1>(acc, in, n, Itself{});
    // Products of narrower integers have another loop, because GCC 12 generates no vector code that widens bytes.
  } else {
    Acc folded = *acc;
    for (int64_t i = 0; i < n; ++i) folded *= static_cast<Acc>(in[i]);
    *acc = folded;
  }
}

// Computes the product of n numbers. The function first computes `Lanes` products, each of every Lanes-th number. Then
// the function repeatedly multiplies one half of these products by the other half.
template <int Lanes, class In>
void multiply_complex_lanes(double* acc, const In* in, int64_t n) {
  constexpr int widest = vector_bytes / static_cast<int>(sizeof(double)), width = widest < Lanes ? widest : Lanes;
  constexpr int vectors = Lanes / width;
  using Source = ComplexVec<In, width>;
  using Pair = ComplexVec<double, 2>;
  ComplexVec<double, width> product[vectors];
  for (auto& p : product) p = ComplexVec<double, width>::load_first(acc, 0);
  for (; n >= Lanes; n -= Lanes, in += 2 * Lanes)
#pragma GCC unroll 8
    for (int k = 0; k < vectors; ++k) product[k] = product[k] * convert<double>(Source::load(in + 2 * k * width));
  for (int k = 0; n > 0; ++k, n -= width, in += 2 * width)
    product[k] = product[k] * convert<double>(Source::load_first(in, static_cast<int>(n < width ? n : width)));

  double parts[2 * Lanes];
  for (int k = 0; k < vectors; ++k) product[k].store(parts + 2 * k * width);
  for (int half = Lanes / 2; half > 1; half /= 2)
    for (int k = 0; k < 2 * half; k += 4) (Pair::load(parts + k) * Pair::load(parts + 2 * half + k)).store(parts + k);
  const Pair all = Pair::load_first(parts, 1) * Pair::load_first(parts + 2, 1);
  (Pair::load_first(acc, 1) * all).store_first(acc, 1);
}

template <class In>
void multiply_complex_along(double* acc, const In* in, int64_t n) {
  n < 64 ? multiply_complex_lanes<2>(acc, in, n) : multiply_complex_lanes<16>(acc, in, n);
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

// Tests the truth of an element by its bits. An element is true if any bit other than the sign bits of floating parts
// is set.
template <DType t>
struct Truth {
  static constexpr int parts = is_complex(t) ? 2 : 1;
  using Word = UintFor<storage_t<real_part(t)>>;
  static constexpr Word mask = is_floating(real_part(t)) ? static_cast<Word>(Word(-1) >> 1) : Word(-1);

  static SUANZI_INLINE Word bits(const Word* in, int64_t i) {
    if constexpr (parts == 2) return (in[2 * i] | in[2 * i + 1]) & mask;
    return in[i] & mask;
  }

  // Returns true if the truth of any element equals Wanted. The function stops at the first chunk that contains an
  // element with the wanted truth.
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
void any_along(void* acc, const void* in, int64_t n, int64_t) {
  uint8_t& result = *static_cast<uint8_t*>(acc);
  if (!result) result = Truth<t>::template find<true>(static_cast<const typename Truth<t>::Word*>(in), n);
}

template <DType t>
void all_along(void* acc, const void* in, int64_t n, int64_t) {
  uint8_t& result = *static_cast<uint8_t*>(acc);
  if (result) result = !Truth<t>::template find<false>(static_cast<const typename Truth<t>::Word*>(in), n);
}

template <DType t, bool Any>
void truth_across(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t) {
  for (; rows > 1; --rows, in = next_row(in, step)) truth_across<t, Any>(acc, in, n, 1, step, 0);
  uint8_t* result = static_cast<uint8_t*>(acc);
  const auto* words = static_cast<const typename Truth<t>::Word*>(in);
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t truth = Truth<t>::bits(words, i) != 0;
    result[i] = Any ? result[i] | truth : result[i] & truth;
  }
}

// The type that kernels in this file read for elements. A bool is read as a byte, and a complex number is read as its
// parts.
template <DType t>
using Element = std::conditional_t<t == DType::boolean, uint8_t, storage_t<real_part(t)>>;

// Counts the true bytes among n bytes. The function counts in lanes of bytes for at most `reach` vectors, which the
// range of a byte allows, and then adds the lanes.
template <class Acc>
void count_true(Acc* acc, const bool* in, int64_t n) {
  constexpr int N = vector_bytes;
  constexpr int64_t reach = 255;
  while (n > 0) {
    Vec<uint8_t, N> counts(uint8_t(0));
    for (int64_t k = 0; k < reach && n > 0; ++k, in += N, n -= N)
      counts = counts + (n >= N ? load_lanes<N>(in) : load_first_lanes<N>(in, n, 0));
    uint8_t lanes[N];
    counts.store(lanes);
    uint32_t total = 0;
    for (const uint8_t count : lanes) total += count;
    *acc += total;
  }
}

// Maps bools to the factors of a product, and to the numbers that are summed across rows.
struct AsTruth {
  template <class T>
  SUANZI_INLINE T operator()(T x) const {
    return static_cast<T>(x != 0);
  }
};

// Determines the sign of a zero that is the greatest or the least element. A fold keeps the first zero, because all
// zeros are equal. If the result is a zero with the wrong sign (-0 for the greatest element, +0 for the least), the
// kernel searches the elements for a zero of the other sign. The search is rarely necessary.
template <class Op, class In>
struct ZeroOrder {
  static constexpr bool matters =
      (std::is_same_v<Op, Max> || std::is_same_v<Op, Min>) && (is_half_storage<In> || std::is_floating_point_v<In>);
  static constexpr bool wants_negative = std::is_same_v<Op, Min>;
  using Bits = UintFor<In>;
  static constexpr Bits wanted = wants_negative ? static_cast<Bits>(Bits(1) << (8 * sizeof(In) - 1)) : Bits(0);

  template <class Acc>
  static SUANZI_INLINE bool in_doubt(Acc folded) {
    return folded == 0 && (__builtin_signbit(static_cast<double>(folded)) != 0) != wants_negative;
  }
  template <class Acc>
  static constexpr Acc zero = wants_negative ? Acc(-0.0) : Acc(0.0);

  template <class Acc>
  static SUANZI_INLINE void settle(Acc& folded, const In* in, int64_t n) {
    if (!in_doubt(folded)) [[likely]]
      return;
    constexpr int64_t chunk = 1024;
    const auto* const bits = reinterpret_cast<const Bits*>(in);
    for (int64_t start = 0; start < n; start += chunk) {
      const int64_t end = n - start < chunk ? n : start + chunk;
      Bits found = 0;
      for (int64_t i = start; i < end; ++i) found |= static_cast<Bits>(bits[i] == wanted);
      if (found == 0) continue;
      folded = zero<Acc>;
      return;
    }
  }

  // Determines the signs of the zeros among the folds of n columns.
  template <class Acc>
  static void settle_across(Acc* folded, const void* in, int64_t n, int64_t rows, int64_t step) {
    constexpr int64_t columns = 512;
    for (int64_t first = 0; first < n; first += columns) {
      const int64_t count = n - first < columns ? n - first : columns;
      bool any = false;
      for (int64_t i = 0; i < count; ++i) any |= in_doubt(folded[first + i]);
      if (!any) [[likely]]
        continue;
      Bits found[columns] = {};
      const void* row = in;
      for (int64_t r = 0; r < rows; ++r, row = next_row(row, step)) {
        const auto* const bits = static_cast<const Bits*>(row) + first;
        for (int64_t i = 0; i < count; ++i) found[i] |= static_cast<Bits>(bits[i] == wanted);
      }
      for (int64_t i = 0; i < count; ++i)
        if (found[i] != 0 && in_doubt(folded[first + i])) folded[first + i] = zero<Acc>;
    }
  }
};

template <class Op, Reduction op, DType t>
void along(void* acc, const void* in, int64_t n, int64_t) {
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
    if constexpr (ZeroOrder<Op, In>::matters) ZeroOrder<Op, In>::settle(*static_cast<Acc*>(acc), source, n);
  } else if constexpr (t == DType::boolean && op == Reduction::sum) {
    count_true(static_cast<UintFor<Acc>*>(acc), static_cast<const bool*>(in), n);
  } else if constexpr (t == DType::boolean) {
    static_assert(op == Reduction::prod);
    if (Truth<t>::template find<false>(source, n)) *static_cast<Acc*>(acc) = 0;
  } else {
    fold_integers<Op>(static_cast<std::conditional_t<wraps, UintFor<Acc>, Acc>*>(acc), source, n);
  }
}

template <class Op, Reduction op, DType t>
void rows_along(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before) {
  constexpr DType accumulated = accumulator_type(op, t);
  constexpr bool in_lanes = is_floating(t) ? !is_half_storage<Element<t>> : is_integer(t) && op == Reduction::sum;
  if constexpr (in_lanes) {
    using Stored = Element<accumulated>;
    using Acc = std::conditional_t<std::is_integral_v<Stored>, UintFor<Stored>, Stored>;
    fold_rows_along<along<Op, op, t>, Op, Acc, Element<t>>(acc, in, n, rows, step, before, Itself{});
    using Zeros = ZeroOrder<Op, Element<t>>;
    // Only the folds of several rows at a time leave the signs of zeros undetermined.
    if constexpr (Zeros::matters) {
      if (n > costs::row_in_lanes) return;
      auto* folded = static_cast<Acc*>(acc);
      for (; rows > 0; --rows, ++folded, in = next_row(in, step))
        Zeros::settle(*folded, static_cast<const Element<t>*>(in), n);
    }
  } else {
    fold_rows_along<along<Op, op, t>, size_of(accumulated)>(acc, in, n, rows, step, before);
  }
}

template <class Op, Reduction op, DType t>
void across(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t) {
  using In = Element<t>;
  using Stored = Element<accumulator_type(op, t)>;
  constexpr bool wraps = std::is_integral_v<Stored> && (op == Reduction::sum || op == Reduction::prod);
  using Acc = std::conditional_t<wraps, UintFor<Stored>, Stored>;
  Acc* const result = static_cast<Acc*>(acc);
  if constexpr (is_complex(t) && op == Reduction::prod) {
    for (; rows > 0; --rows, in = next_row(in, step)) multiply_complex_across(result, static_cast<const In*>(in), n);
  } else {
    using Map = std::conditional_t<t == DType::boolean, AsTruth, Itself>;
    fold_rows_across<Op, Acc, In>(result, in, is_complex(t) ? 2 * n : n, rows, step, Map{});
    if constexpr (ZeroOrder<Op, In>::matters) ZeroOrder<Op, In>::settle_across(result, in, n, rows, step);
  }
}

template <class Op, Reduction op, DType t>
ReduceKernels kernels() {
  return {rows_along<Op, op, t>, across<Op, op, t>};
}

// Returns the type whose kernels for truth also accept elements of type t, because elements of the two types with the
// same bits have the same truth value.
constexpr DType with_the_truth_of(DType t) {
  if (t == DType::boolean) return DType::uint8;
  return t == DType::bfloat16 ? DType::float16 : unsigned_of(t);
}
// Returns the type whose kernels for sums and products also accept elements of type t. Sums and products wrap, so
// signed and unsigned 64-bit integers have the same bits.
constexpr DType with_the_sums_of(DType t) { return t == DType::int64 ? DType::uint64 : t; }

template <DType t>
void fill_dtype(KernelTable& table) {
  const auto at = [&](Reduction op) -> ReduceKernels& {
    return table.reduce[static_cast<int>(op)][static_cast<int>(t)];
  };
  constexpr DType asked = with_the_truth_of(t), summed = with_the_sums_of(t);
  const ReduceKernels any = {fold_rows_along<any_along<asked>, 1>, truth_across<asked, true>},
                      all = {fold_rows_along<all_along<asked>, 1>, truth_across<asked, false>};
  at(Reduction::any) = any;
  at(Reduction::all) = all;
  at(Reduction::sum) = kernels<Sum, Reduction::sum, summed>();
  at(Reduction::prod) = kernels<Product, Reduction::prod, summed>();
  if constexpr (t == DType::boolean) {
    at(Reduction::max) = any;
    at(Reduction::min) = all;
  } else if constexpr (!is_complex(t)) {
    at(Reduction::max) = kernels<Max, Reduction::max, t>();
    at(Reduction::min) = kernels<Min, Reduction::min, t>();
  }
}

template <int... t>
void fill_dtypes(KernelTable& table, std::integer_sequence<int, t...>) {
  (fill_dtype<static_cast<DType>(t)>(table), ...);
}

}  // namespace

void fill_reduce(KernelTable& table) { fill_dtypes(table, std::make_integer_sequence<int, number_count>{}); }

}  // namespace suanzi::SUANZI_LEVEL
