// This file defines the folds (Sum, Max, ...), the maps that a fold first applies to elements (Map), and the order of
// folding.
//
// fold_floating returns the same bits at every SIMD level. The results of some folds depend on the order (floating sums
// and products, the sign of a zero). The order of these folds is the order of a fixed number of virtual lanes, for
// vectors of any width. Element i of a block is folded in lane i modulo the number of lanes. At the end of a block, the
// fold combines one half of the lanes with the other half until one lane is left. The fold combines the blocks
// pairwise. The error of a sum of n numbers therefore grows with log n (Higham, "The accuracy of floating point
// summation", SIAM J. Sci. Comput. 14, 1993).
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "runtime/costs.h"
#include "simd/half.h"
#include "simd/lanes.h"
#include "simd/shuffle.h"
#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

// The map that leaves elements unchanged.
struct Itself {
  template <class V>
  SUANZI_INLINE V operator()(V x) const {
    return x;
  }
};

// The identity of a fold leaves every operand unchanged, bit for bit. The identity of floating sums is -0 and not 0,
// because the sum of -0 and 0 is 0.
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

// Folds to the greater operand, or NaN if a or b is NaN.
struct Max {
  template <class T, int N>
  static SUANZI_INLINE Vec<T, N> fold(Vec<T, N> a, Vec<T, N> b) {
    return max_or_nan(b, a);
  }
  template <class T>
  static SUANZI_INLINE T fold(T a, T b) {
    return ((b > a) | (b != b)) ? b : a;
  }
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
};

struct Min {
  template <class T, int N>
  static SUANZI_INLINE Vec<T, N> fold(Vec<T, N> a, Vec<T, N> b) {
    return min_or_nan(b, a);
  }
  template <class T>
  static SUANZI_INLINE T fold(T a, T b) {
    return ((b < a) | (b != b)) ? b : a;
  }
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
};

// The result of a fold, which is a number or the two parts of a complex number.
template <class Acc, int Left>
using Folded = std::conditional_t<Left == 1, Acc, Vec<Acc, Left>>;

// A block, whose virtual lanes are in as many vectors as the SIMD level needs.
template <class Op, class Acc>
struct Lanes {
  static constexpr int lanes = 256 / static_cast<int>(sizeof(Acc));
  static constexpr int elements = 64 * lanes;
  static constexpr int width = vector_bytes / static_cast<int>(sizeof(Acc));
  static constexpr int vectors = lanes / width;

  Vec<Acc, width> lane[vectors];

  SUANZI_INLINE Lanes() {
    for (auto& v : lane) v = Vec<Acc, width>(Op::template identity<Acc>);
  }

  // Folds the elements of vector k of a row into `folded`, which holds the lanes at the same position of the block.
  template <class In, class Map>
  static SUANZI_INLINE void fold_onto(Vec<Acc, width>& folded, const In* row, int k, Map map) {
    if (k * width * sizeof(In) % cache_line == 0) fetch_ahead(row + k * width);
    folded = Op::fold(folded, map(convert<Acc>(Vec<In, width>::load(row + k * width))));
  }

  template <class In, class Map>
  SUANZI_INLINE void fold_row(const In* p, Map map) {
#pragma GCC unroll 16
    for (int k = 0; k < vectors; ++k) fold_onto(lane[k], p, k, map);
  }

  // Folds all whole rows among the n elements at p, and returns the number of elements in these rows. The code indexes
  // a local copy of the lanes only by constants, because GCC otherwise stores an array of more than 8 vectors at each
  // row.
  template <int... K, class In, class Map>
  SUANZI_INLINE int64_t fold_whole_rows(const In* p, int64_t n, Map map, std::integer_sequence<int, K...>) {
    Vec<Acc, width> folded[] = {lane[K]...};
    int64_t done = 0;
    for (; n - done >= lanes; done += lanes) (fold_onto(folded[K], p + done, K, map), ...);
    ((lane[K] = folded[K]), ...);
    return done;
  }

  // Folds two rows. map.of_two combines the elements of the two rows to one element of the narrower type of the rows.
  template <class In, class Map>
  SUANZI_INLINE void fold_two_rows(const In* p, Map map) {
    constexpr int in_width = vector_bytes / static_cast<int>(sizeof(In)), each = in_width / width;
    using Source = Vec<In, in_width>;
#pragma GCC unroll 16
    for (int k = 0; k < lanes / in_width; ++k) {
      const In* const place = p + k * in_width;
      fetch_ahead(place);
      fetch_ahead(place + lanes);
      const Source both = map.of_two(Source::load(place), Source::load(place + lanes));
      Vec<In, width> parts[each];
      static_assert(sizeof(parts) == sizeof(both));
      std::memcpy(parts, &both, sizeof(both));
#pragma GCC unroll 4
      for (int j = 0; j < each; ++j) lane[k * each + j] = Op::fold(lane[k * each + j], convert<Acc>(parts[j]));
    }
  }

  // Returns the first n lanes of x, where n is below the width of x. The other lanes are the identity.
  static SUANZI_INLINE Vec<Acc, width> first_lanes(Vec<Acc, width> x, int n) {
    Vec<Acc, width> place;
    for (int k = 0; k < width; ++k) place.v[k] = Acc(k);
    return select(place < Vec<Acc, width>(Acc(n)), x, Vec<Acc, width>(Op::template identity<Acc>));
  }

  template <class In, class Map>
  SUANZI_INLINE void fold_rows(const In* p, int64_t n, Map map) {
    if constexpr (vectors > 8) {
      const int64_t done = fold_whole_rows(p, n, map, std::make_integer_sequence<int, vectors>{});
      p += done;
      n -= done;
    } else {
      for (; n >= lanes; n -= lanes, p += lanes) fold_row(p, map);
    }
    if (n > 0) fetch_ahead(p);
    const int64_t whole = n / width, rest = n % width;
#pragma GCC unroll 16
    for (int k = 0; k < vectors; ++k)
      if (k < whole) lane[k] = Op::fold(lane[k], map(convert<Acc>(Vec<In, width>::load(p + k * width))));
    if (rest == 0) return;
    const auto last =
        first_lanes(map(convert<Acc>(Vec<In, width>::load_first(p + whole * width, static_cast<int>(rest)))),
                    static_cast<int>(rest));
#pragma GCC unroll 16
    for (int k = 0; k < vectors; ++k)
      if (k == whole) lane[k] = Op::fold(lane[k], last);
  }

  template <int Left>
  SUANZI_INLINE Folded<Acc, Left> result() {
#pragma GCC unroll 4
    for (int half = vectors / 2; half > 0; half /= 2)
#pragma GCC unroll 16
      for (int k = 0; k < half; ++k) lane[k] = Op::fold(lane[k], lane[k + half]);
    if constexpr (Left == 1) {
      return fold_all_lanes<Op>(lane[0]);
    } else {
      return fold_lanes<Op, Left>(lane[0]);
    }
  }
};

// The greatest number of elements that fold_few folds one after the other.
inline constexpr int64_t few = 8;

// Folds a few elements one after the other. Each element is in all lanes of a vector, because this code is faster than
// scalar code.
template <class Op, int Left, class Acc, class In, class Map>
SUANZI_INLINE Folded<Acc, Left> fold_few(const In* in, int64_t n, Map map) {
  constexpr int width = Left == 1 ? 16 / static_cast<int>(sizeof(Acc)) : Left;
  using V = Vec<Acc, width>;
  V folded(Op::template identity<Acc>);
  for (int64_t i = 0; i < n; i += Left) {
    if constexpr (Left == 1) {
      folded = Op::fold(folded, map(V(static_cast<Acc>(in[i]))));
    } else {
      folded = Op::fold(folded, map(convert<Acc>(Vec<In, Left>::load(in + i))));
    }
  }
  if constexpr (Left == 1) {
    return folded.v[0];
  } else {
    return folded;
  }
}

// The concept is true if a map can combine two elements in their own type. Kernels fold pairs only if the elements are
// many, because the rounding errors of many pairs cancel. If the map reports that the result is too small or not finite
// (`in_doubt`), the kernel folds the elements again, one by one.
template <class Map, class In>
concept FoldsPairs = requires(Map map, Vec<In, 4> x) { map.of_two(x, x); };

template <class Op, int Left, class Acc, class In, class Map>
SUANZI_INLINE Folded<Acc, Left> fold_block(const In* in, int64_t n, Map map) {
  using Block = Lanes<Op, Acc>;
  if constexpr (FoldsPairs<Map, In> && Left == 1) {
    constexpr int64_t two = 2 * Block::lanes;
    if (n >= Block::elements / 2) {
      Block block;
      for (int64_t i = 0; i < n / two * two; i += two) block.fold_two_rows(in + i, map);
      block.fold_rows(in + n / two * two, n % two, map);
      const Acc folded = block.template result<1>();
      if (!map.in_doubt(folded)) return folded;
    }
  }
  Block block;
  block.fold_rows(in, n, map);
  return block.template result<Left>();
}

template <class Op, int Left, class Acc, class In, class Map>
Folded<Acc, Left> fold_blocks(const In* in, int64_t n, Map map) {
  constexpr int64_t elements = Lanes<Op, Acc>::elements;
  using Result = Folded<Acc, Left>;
  Result pending[64];  // pending[k] is the fold of 2^k blocks if bit k of `blocks` is set
  uint64_t blocks = 0;
  for (int64_t start = 0; start < n; start += elements, ++blocks) {
    Result carry = fold_block<Op, Left, Acc>(in + start, n - start < elements ? n - start : elements, map);
    int level = 0;
    for (; blocks >> level & 1; ++level) carry = Op::fold(pending[level], carry);
    pending[level] = carry;
  }
  Result folded(Op::template identity<Acc>);
  for (int level = 0; blocks >> level; ++level)
    if (blocks >> level & 1) folded = Op::fold(pending[level], folded);
  return folded;
}

// Calls body(wide, done, count) for the n 16-bit floating numbers at `in`, a piece at a time, as float32.
template <class In, class Body>
SUANZI_INLINE void for_widened(const In* in, int64_t n, Body body) {
  constexpr int64_t piece = 2048;
  float wide[piece];
  for (int64_t done = 0; done < n; done += piece) {
    const int64_t count = n - done < piece ? n - done : piece;
    widen_halves(wide, in + done, count);
    body(wide, done, count);
  }
}

// The constant is true if kernels add eight 16-bit numbers in float32 before they add the sum in float64, because the
// conversion of 16-bit numbers is expensive. The three roundings leave each sum of eight within 3 * 2^-24 of the sum of
// the magnitudes. This error is far below half an ulp of the result (2^-12 for float16, 2^-9 for bfloat16).
template <class Op, class Map, class In>
inline constexpr bool adds_halves = is_half_storage<In> && std::is_same_v<Op, Sum> && std::is_same_v<Map, Itself>;

// Records, in lanes, that sums of eight may have overflowed. A lane becomes NaN at the first sum that is not finite,
// and stays NaN. Sums of float16 stay below 2^19, but bfloat16 has the range of float32.
template <class In>
struct Overflow {
  static constexpr bool possible = std::is_same_v<In, BFloat16>;
  using V = Vec<float, vector_bytes / 4>;
  V doubt{0.0f};

  SUANZI_INLINE void note(V sum) {
    if constexpr (possible) doubt = doubt + (sum - sum);
  }
  SUANZI_INLINE bool noted() const { return possible && any(doubt != doubt); }
};

template <class Row>
SUANZI_INLINE auto add_eight(Row row) {
  return ((row(0) + row(1)) + (row(2) + row(3))) + ((row(4) + row(5)) + (row(6) + row(7)));
}

// Adds n columns of eight rows to `sums`. The rows are `stride` elements apart.
template <class In>
SUANZI_INLINE void add_eight_rows(float* sums, const In* in, int64_t n, int64_t stride, Overflow<In>& overflow) {
  constexpr int N = vector_bytes / 4;
  using V = Vec<float, N>;
  const auto* bits = reinterpret_cast<const uint16_t*>(in);
  const auto add = [&](auto load) {
    const auto row = [&](int r) {
      const Vec<uint16_t, N> h = load(bits + r * stride);
      // The conversion need not make a NaN quiet, because the sum of a NaN and another number is quiet.
      if constexpr (std::is_same_v<In, BFloat16>) {
        return bit_cast<float>(convert<int32_t>(h) << 16);
      } else {
        return widen_half<In>(h);
      }
    };
    const V sum = add_eight(row);
    overflow.note(sum);
    return sum;
  };
  int64_t i = 0;
  for (; i + N <= n; i += N) add([&](const uint16_t* p) { return Vec<uint16_t, N>::load(p + i); }).store(sums + i);
  const int rest = static_cast<int>(n - i);
  if (rest > 0) {
    const auto first = [&](const uint16_t* p) { return Vec<uint16_t, N>::load_first(p + i, rest); };
    add(first).store_first(sums + i, rest);
  }
}

// Adds a block of eight consecutive rows of `columns` elements each, in any order. A shift and a mask turn a pair of
// bfloat16s into two float32s in less time than a conversion of bfloat16s.
template <int columns, class In>
SUANZI_INLINE void add_block(float* sums, const In* in, Overflow<In>& overflow) {
  constexpr int line = cache_line / static_cast<int>(sizeof(In));
  for (int i = 0; i < 8 * columns; i += line) fetch_ahead(in + i);
  if constexpr (std::is_same_v<In, BFloat16>) {
    constexpr int N = vector_bytes / 4;
    for (int i = 0; i < columns / 2; i += N) {
      const auto pairs = [&](int r) {
        const auto h = Vec<uint16_t, 2 * N>::load(reinterpret_cast<const uint16_t*>(in) + r * columns + 2 * i);
        return bit_cast<int32_t>(h);
      };
      const auto even = add_eight([&](int r) { return bit_cast<float>(pairs(r) << 16); });
      const auto odd = add_eight([&](int r) { return bit_cast<float>(pairs(r) & Vec<int32_t, N>(-65536)); });
      overflow.note(even);
      overflow.note(odd);
      even.store(sums + i);
      odd.store(sums + columns / 2 + i);
    }
  } else {
    add_eight_rows(sums, in, columns, columns, overflow);
  }
}

template <class Op, int Left, class Acc, class In, class Map>
SUANZI_INLINE void fold_wide(Acc* acc, const In* in, int64_t n, Map map) {
  const bool one_block = !brief && n <= Lanes<Op, Acc>::elements;
  const Folded<Acc, Left> folded = n <= few    ? fold_few<Op, Left, Acc>(in, n, map)
                                   : one_block ? fold_block<Op, Left, Acc>(in, n, map)
                                               : fold_blocks<Op, Left, Acc>(in, n, map);
  if constexpr (Left == 1) {
    *acc = Op::fold(*acc, folded);
  } else {
    Op::fold(Vec<Acc, Left>::load(acc), folded).store(acc);
  }
}

template <class Op, class Acc, class In, class Map>
SUANZI_INLINE void fold_halves(Acc* acc, const In* in, int64_t n, Map map) {
  const auto fold_widened = [&](int64_t count) {
    for_widened(in, count, [&](const float* wide, int64_t, int64_t some) { fold_wide<Op, 1>(acc, wide, some, map); });
  };
  if constexpr (adds_halves<Op, Map, In>) {
    constexpr int64_t columns = 32, block = 8 * columns, blocks_at_once = 64;
    float sums[blocks_at_once * columns];
    while (n >= block) {
      const int64_t blocks = n < blocks_at_once * block ? n / block : blocks_at_once;
      Overflow<In> overflow;
      for (int64_t b = 0; b < blocks; ++b) add_block<columns>(sums + b * columns, in + b * block, overflow);
      if (overflow.noted()) {
        fold_widened(blocks * block);
      } else {
        fold_wide<Op, 1>(acc, sums, blocks * columns, map);
      }
      in += blocks * block;
      n -= blocks * block;
    }
  }
  fold_widened(n);
}

// Folds n numbers into Left interleaved accumulators. Left is 2 for the parts of complex numbers, and 1 otherwise.
template <class Op, int Left, class Acc, class In, class Map = Itself>
void fold_floating(Acc* acc, const In* in, int64_t n, Map map = {}) {
  if constexpr (is_half_storage<In>) {
    static_assert(Left == 1);
    fold_halves<Op>(acc, in, n, map);
  } else {
    fold_wide<Op, Left>(acc, in, n, map);
  }
}

SUANZI_INLINE const void* next_row(const void* in, int64_t step) { return static_cast<const char*>(in) + step; }

// Implements fold_short_rows for contiguous rows of Count elements. Shuffles make the columns of these rows.
template <int Count, class Op, class Acc, class In, class Map>
int64_t fold_adjacent_rows(Acc* acc, const In* in, int64_t rows, Map map) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Acc));
  using V = Vec<Acc, lanes>;
  int64_t row = 0;
  for (; row + lanes <= rows; row += lanes, in += lanes * Count) {
    Vec<In, lanes> elements[Count];
    for (int i = 0; i < Count; ++i) elements[i] = Vec<In, lanes>::load(in + i * lanes);
    take_columns(elements);
    V folded(Op::template identity<Acc>);
    for (int i = 0; i < Count; ++i) folded = Op::fold(folded, map(convert<Acc>(elements[i])));
    Op::fold(V::load(acc + row), folded).store(acc + row);
  }
  return row;
}

// Folds short rows, and folds as many rows at once as a vector has lanes. Each lane has the same bits as the result of
// fold_wide for its row, because a fold with an identity changes no bit. Returns the number of folded rows. The
// function may leave the last rows to the caller.
template <class Op, class Acc, class In, class Map>
int64_t fold_short_rows(Acc* acc, const void* in, int64_t n, int64_t rows, int64_t step, Map map) {
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Acc));
  static_assert(costs::row_in_lanes <= Lanes<Op, Acc>::lanes);
  using V = Vec<Acc, lanes>;
  if (step == n * static_cast<int64_t>(sizeof(In))) {
    const auto* const elements = static_cast<const In*>(in);
    if (n == 2) return fold_adjacent_rows<2, Op>(acc, elements, rows, map);
    // If a vector consists of several pieces, columns of three elements need many shuffles.
    if (n == 3 && vector_bytes > piece_bytes) return fold_adjacent_rows<3, Op>(acc, elements, rows, map);
    if (n == 4) return fold_adjacent_rows<4, Op>(acc, elements, rows, map);
  }
  int64_t row = 0;
  for (; row + lanes <= rows; row += lanes, in = next_row(in, lanes * step)) {
    const auto column = [&](int64_t i) {
      In elements[lanes];
      for (int k = 0; k < lanes; ++k) elements[k] = static_cast<const In*>(next_row(in, k * step))[i];
      return map(convert<Acc>(Vec<In, lanes>::load(elements)));
    };
    V folded(Op::template identity<Acc>);
    if (n <= few) {
      for (int64_t i = 0; i < n; ++i) folded = Op::fold(folded, column(i));
    } else {
      V columns[costs::row_in_lanes];
      for (int64_t i = 0; i < n; ++i) columns[i] = column(i);
      for (int64_t half = (costs::row_in_lanes + 1) / 2, left = n; half > 0; left = std::min(left, half), half /= 2)
        for (int64_t i = 0; i + half < left; ++i) columns[i] = Op::fold(columns[i], columns[i + half]);
      folded = columns[0];
    }
    Op::fold(V::load(acc + row), folded).store(acc + row);
  }
  return row;
}

// Folds each row by a call of `fold`. The accumulator of a row has accumulator_bytes bytes.
template <void (*fold)(void* acc, const void* in, int64_t n, int64_t before), int accumulator_bytes>
void fold_rows_along(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before) {
  for (; rows > 0; --rows, in = next_row(in, step), acc = static_cast<char*>(acc) + accumulator_bytes)
    fold(acc, in, n, before);
}
// Folds each row by Op. The function first applies `map` to the elements. The function folds several short rows at
// once.
template <void (*fold)(void* acc, const void* in, int64_t n, int64_t before), class Op, class Acc, class In, class Map>
void fold_rows_along(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before, Map map) {
  auto* accumulators = static_cast<Acc*>(acc);
  if constexpr (!brief) {
    if (n <= costs::row_in_lanes) {
      const int64_t done = fold_short_rows<Op, Acc, In>(accumulators, in, n, rows, step, map);
      accumulators += done;
      in = next_row(in, done * step);
      rows -= done;
    }
  }
  fold_rows_along<fold, sizeof(Acc)>(accumulators, in, n, rows, step, before);
}

// Folds n columns of Rows rows that are `stride` elements apart. The function reads and writes the accumulators once
// for all Rows rows. The rounding errors of a sum grow with the number of times that an accumulator is written.
template <class Op, int Rows, class Acc, class In, class Map>
void fold_some_across(Acc* __restrict acc, const In* in, int64_t n, int64_t stride, Map map) {
  static_assert(Rows == 1 || Rows == 8);
  const auto fold_all = [](auto&& row) {
    if constexpr (Rows == 1) {
      return row(0);
    } else {
      return Op::fold(Op::fold(Op::fold(row(0), row(1)), Op::fold(row(2), row(3))),
                      Op::fold(Op::fold(row(4), row(5)), Op::fold(row(6), row(7))));
    }
  };
  int64_t i = 0;
  // In a loop of scalars, the compiler could choose the other NaN if two operands are NaN.
  if constexpr (std::is_floating_point_v<Acc>) {
    constexpr int N = vector_bytes / static_cast<int>(sizeof(Acc));
    constexpr int vector = N * sizeof(In), line = vector < cache_line ? cache_line / vector * N : N;
    using V = Vec<Acc, N>;
    const auto fold_columns = [&](int64_t first, bool fetch) __attribute__((always_inline)) {
      Op::fold(V::load(acc + first), fold_all([&](int r) {
                 const In* const place = in + r * stride + first;
                 if (Rows > 1 && fetch) __builtin_prefetch(place + Rows * stride);  // a prefetch of the next rows
                 return map(convert<Acc>(Vec<In, N>::load(place)));
               }))
          .store(acc + first);
    };
    for (; i + line <= n; i += line)
      for (int k = 0; k < line; k += N) fold_columns(i + k, k == 0);
    for (; i + N <= n; i += N) fold_columns(i, true);
  }
  for (; i < n; ++i)
    acc[i] = Op::fold(acc[i], fold_all([&](int r) { return map(static_cast<Acc>(in[r * stride + i])); }));
}

// Folds each column of rows that are `step` bytes apart into the column's accumulator.
template <class Op, class Acc, class In, class Map = Itself>
void fold_rows_across(Acc* acc, const void* in, int64_t n, int64_t rows, int64_t step, Map map = {}) {
  if constexpr (is_half_storage<In>) {
    const auto fold_rows = [&](int64_t count) {
      for (; count > 0; --count, --rows, in = next_row(in, step))
        for_widened(static_cast<const In*>(in), n, [&](const float* wide, int64_t done, int64_t some) {
          fold_some_across<Op, 1>(acc + done, wide, some, 0, map);
        });
    };
    if constexpr (adds_halves<Op, Map, In>) {
      constexpr int64_t widest = 1024;
      float sums[widest];
      while (rows >= 8 && n <= widest) {
        Overflow<In> overflow;
        add_eight_rows(sums, static_cast<const In*>(in), n, step / static_cast<int64_t>(sizeof(In)), overflow);
        if (overflow.noted()) {
          fold_rows(8);
          continue;
        }
        fold_some_across<Op, 1>(acc, sums, n, 0, map);
        rows -= 8;
        in = next_row(in, 8 * step);
      }
    }
    fold_rows(rows);
  } else {
    const int64_t stride = step / static_cast<int64_t>(sizeof(In));
    const In* row = static_cast<const In*>(in);
    for (; rows >= 8; rows -= 8, row += 8 * stride) fold_some_across<Op, 8>(acc, row, n, stride, map);
    for (; rows > 0; --rows, row += stride) fold_some_across<Op, 1>(acc, row, n, stride, map);
  }
}

}  // namespace suanzi::SUANZI_LEVEL
