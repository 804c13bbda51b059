// The kernels in `table.search[search][dtype]` find the positions of the greatest and the least element. float16 and
// bfloat16 have no kernels, because ReductionWalk (walk/reduction_walk.h) widens their elements.
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/families.h"
#include "kernels/kernel.h"
#include "kernels/loops.h"
#include "ops/search/search.kernels.h"
#include "simd/bits.h"
#include "simd/lanes.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

struct Greatest {
  template <class V>
  static SUANZI_INLINE auto worse_or_equal(V a, V b) {
    return a <= b;
  }
  template <class T, int N>
  static SUANZI_INLINE Vec<T, N> fold(Vec<T, N> a, Vec<T, N> b) {
    return max(a, b);
  }
  template <class T>
  static constexpr T extreme = std::numeric_limits<T>::max();
};

struct Least {
  template <class V>
  static SUANZI_INLINE auto worse_or_equal(V a, V b) {
    return a >= b;
  }
  template <class T, int N>
  static SUANZI_INLINE Vec<T, N> fold(Vec<T, N> a, Vec<T, N> b) {
    return min(a, b);
  }
  template <class T>
  static constexpr T extreme = std::numeric_limits<T>::lowest();
};

// The extreme value of an element type. bool is a byte of 0 or 1.
template <class Op, class T>
inline constexpr Lane<T> extreme_of = static_cast<Lane<T>>(Op::template extreme<T>);

// Searches n elements for the first best element, which is the greatest or the least element, or NaN. The search tests
// each block for an element that is better than the best so far. Few blocks have a better element. The search reads
// these blocks again while the blocks are in the cache, and reads the last of these blocks once more to find the place.
template <class Op, class Element>
class Finder {
  using T = Lane<Element>;

 public:
  SUANZI_INLINE Finder(const Element* in, int64_t n) : in_(in), n_(n), best_(load_lane(in)) {}

  SUANZI_INLINE int64_t run() {
    if (n_ <= few) return find_among_few();
    int64_t start = 0;  // the start of the block that holds the best element
    if (n_ <= block_elements) {
      if (!improve(0, n_)) return find(0, n_, is_nan);
    } else {
      for (int64_t i = 0; i < n_ && !settled(); i += block_elements) {
        const int64_t end = end_of_block(i);
        if (i > 0 && !improves(i, end)) continue;
        if (!improve(i, end)) return find(i, end, is_nan);
        start = i;
      }
    }
    const V best(best_);
    return find(start, end_of_block(start), [best](V x) { return x == best; });
  }

 private:
  static constexpr bool floating = std::is_floating_point_v<T>;
  static constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int64_t block_elements = 32 * N;
  static constexpr int64_t few = 8;
  using V = Vec<T, N>;
  using M = typename V::mask;

  static SUANZI_INLINE M is_nan(V x) { return x != x; }
  SUANZI_INLINE int64_t end_of_block(int64_t start) const {
    return n_ - start < block_elements ? n_ : start + block_elements;
  }

  // Returns true if no further element can be better than the best element so far. A search of integers ends at the
  // greatest or the least value of the type. A search of floating numbers ends at a NaN.
  SUANZI_INLINE bool settled() const { return !floating && best_ == extreme_of<Op, Element>; }

  SUANZI_INLINE int64_t find_among_few() {
    int64_t at = 0;
    for (int64_t i = 1; i < n_; ++i) {
      const T x = load_lane(in_ + i);
      const bool better = !Op::worse_or_equal(x, best_) && best_ == best_;
      best_ = better ? x : best_;
      at = better ? i : at;
    }
    return at;
  }

  // Returns true if an element of [start, end) is NaN or better than the best element so far.
  SUANZI_INLINE bool improves(int64_t start, int64_t end) const {
    const V best(best_);
    const auto worse = [&](int64_t i)
                           __attribute__((always_inline)) { return Op::worse_or_equal(load_lanes<N>(in_ + i), best); };
    M none = worse(end - N);
    for (; start + 4 * N <= end; start += 4 * N)
      none = none & ((worse(start) & worse(start + N)) & (worse(start + 2 * N) & worse(start + 3 * N)));
    for (; start + N <= end; start += N) none = none & worse(start);
    return any(~none);
  }

  // Updates the best element by the elements [start, end) of a block. Returns false if the block contains NaN. The
  // function may read elements twice without harm.
  SUANZI_INLINE bool improve(int64_t start, int64_t end) {
    V best(best_);
    M nan = best != best;
    const auto take = [&](V& into, V x) __attribute__((always_inline)) {
      into = Op::fold(into, x);
      if constexpr (floating) nan = nan | (x != x);
    };
    if (n_ < N) {
      take(best, load_first_lanes<N>(in_, n_, best_));
    } else {
      V second = best, third = best, fourth = best;
      for (; start + 4 * N <= end; start += 4 * N) {
        take(best, load_lanes<N>(in_ + start));
        take(second, load_lanes<N>(in_ + start + N));
        take(third, load_lanes<N>(in_ + start + 2 * N));
        take(fourth, load_lanes<N>(in_ + start + 3 * N));
      }
      for (; start + N <= end; start += N) take(best, load_lanes<N>(in_ + start));
      take(second, load_lanes<N>(in_ + end - N));
      best = Op::fold(Op::fold(best, second), Op::fold(third, fourth));
    }
    if (floating && any(nan)) return false;
    best_ = fold_all_lanes<Op>(best);
    return true;
  }

  // Returns the position of the first element in [start, end) for which `holds` is true. The caller guarantees that
  // this element exists. The function may read lanes before `start` again. These lanes are never the first match,
  // because these lanes are not NaN and are worse than the best. If another thread has changed the element meanwhile,
  // the function returns the position of the last element.
  template <class Holds>
  SUANZI_INLINE int64_t find(int64_t start, int64_t end, Holds holds) const {
    if (n_ < N) return first_bit(holds(load_first_lanes<N>(in_, n_, load_lane(in_))), static_cast<int>(n_));
    for (; start + N < end; start += N) {
      const M found = holds(load_lanes<N>(in_ + start));
      if (any(found)) return start + first_bit(found);
    }
    return end - N + first_bit(holds(load_lanes<N>(in_ + end - N)));
  }
  // Returns the position of the first set bit among the first `lanes` bits. The last bit counts as set.
  static SUANZI_INLINE int64_t first_bit(M m, int lanes = N) {
    return __builtin_ctzll(to_bits(m) | uint64_t{1} << (lanes - 1));
  }

  const Element* in_;
  int64_t n_;
  T best_;
};

template <class Op, class T>
int64_t along(const void* in, int64_t n) {
  return Finder<Op, T>(static_cast<const T*>(in), n).run();
}

template <class Op, class T>
bool settled(const void* best) {
  const auto value = *static_cast<const Lane<T>*>(best);
  return std::is_floating_point_v<T> ? value != value : value == extreme_of<Op, T>;
}

// Lanes as wide as the elements hold the row numbers, so a block has no more rows than a byte can count.
constexpr int64_t rows_of_block = 128;
constexpr int64_t rows_at_once = 8;
constexpr int64_t columns_of_block = 1024;

// Continues the search with further rows. For each column i, the function updates best[i], the best element so far. If
// the row of best[i] is in this block, the function also updates the number of this row, counted from 1.
template <class Op, class Element, class Number>
SUANZI_INLINE void across_rows(Lane<Element>* best, Number* number, const Element* in, int64_t n, int64_t rows,
                               int64_t stride, int64_t before) {
  using T = Lane<Element>;
  constexpr int N = vector_bytes / static_cast<int>(sizeof(T));
  walk<N>(n, [&](int64_t i, auto access) __attribute__((always_inline)) {
    Vec<T, N> b = access.template load<N>(best + i);
    Vec<Number, N> at = access.template load<N>(number + i);
    for (int64_t r = 0; r < rows; ++r) {
      const Vec<T, N> x = access.template load<N>(in + r * stride + i);
      auto better = ~Op::worse_or_equal(x, b);
      if constexpr (std::is_floating_point_v<T>) better = better & (b == b);
      b = select(better, x, b);
      at = select(better, Vec<Number, N>(static_cast<Number>(before + r + 1)), at);
    }
    access.store(b, best + i);
    access.store(at, number + i);
  });
}

template <class Op, class T>
void across_wide(Lane<T>* best, int64_t* index, const T* in, int64_t n, int64_t rows, int64_t stride, int64_t first) {
  UintFor<Lane<T>> number[columns_of_block];
  for (int64_t block = 0; block < rows; block += rows_of_block) {
    const int64_t end = rows - block < rows_of_block ? rows : block + rows_of_block;
    for (int64_t i = 0; i < n; ++i) number[i] = 0;
    for (int64_t r = block; r < end; r += rows_at_once) {
      const int64_t some = end - r < rows_at_once ? end - r : rows_at_once;
      across_rows<Op>(best, number, in + r * stride, n, some, stride, r - block);
    }
    for (int64_t i = 0; i < n; ++i)
      if (number[i]) index[i] = first + block + static_cast<int64_t>(number[i]) - 1;
  }
}

// Searches rows that are much narrower than a block and follow one another in memory without gaps. Several rows side by
// side form a wide row. The best element of each column is the best element of the column's copies in the wide row.
template <class Op, class Element>
SUANZI_INLINE void across_narrow(Lane<Element>* best, int64_t* index, const Element* in, int64_t n, int64_t rows,
                                 int64_t first) {
  using T = Lane<Element>;
  constexpr int64_t wide = 256;
  T bests[wide];
  int64_t places[wide];
  const int64_t group = wide / n, groups = rows / group, columns = group * n;
  for (int64_t i = 0; i < columns; ++i) bests[i] = load_lane(in + i), places[i] = 0;
  across_wide<Op>(bests, places, in, columns, groups, columns, 0);
  for (int64_t i = 0; i < columns; ++i) {
    T& old = best[i % n];
    int64_t& row = index[i % n];
    const int64_t place = first + places[i] * group + i / n;
    const bool is_nan = bests[i] != bests[i], was_nan = old != old;
    const bool equal = bests[i] == old || (is_nan && was_nan);
    const bool better = !was_nan && !Op::worse_or_equal(bests[i], old);
    if (better || (equal && place < row)) old = bests[i], row = place;
  }
  const int64_t done = groups * group;
  across_wide<Op>(best, index, in + done * n, n, rows - done, n, first + done);
}

template <class Op, class T>
void across(void* best, int64_t* index, const void* in, int64_t n, int64_t rows, int64_t step, int64_t first) {
  using L = Lane<T>;
  L* const bests = static_cast<L*>(best);
  const T* const elements = static_cast<const T*>(in);
  const int64_t stride = step / static_cast<int64_t>(sizeof(L));
  if (stride == n && n <= 64 && rows >= 1024) return across_narrow<Op>(bests, index, elements, n, rows, first);
  for (int64_t column = 0; column < n; column += columns_of_block) {
    const int64_t count = n - column < columns_of_block ? n - column : columns_of_block;
    across_wide<Op>(bests + column, index + column, elements + column, count, rows, stride, first);
  }
}

template <class Op, class... T>
void fill(SearchKernels (&kernels)[dtype_count], Types<T...>) {
  ((kernels[static_cast<int>(dtype_of<T>)] = {along<Op, T>, across<Op, T>, settled<Op, T>}), ...);
}

}  // namespace

void fill_search(SearchTable& table) {
  const auto fill_all = [&](auto types) {
    fill<Greatest>(table.of[static_cast<int>(Search::argmax)], types);
    fill<Least>(table.of[static_cast<int>(Search::argmin)], types);
  };
  fill_all(Bool{});
  fill_all(Integers{});
  fill_all(Floats{});
}

}  // namespace suanzi::SUANZI_LEVEL
