// The kernels in `table.scan[scan][dtype]` scan bool, integers, float32, float64 and complex128. scan.cpp converts
// other types to these types. Integers wrap around. The sum of bool is 'or', and the product of bool is 'and'.
//
// Floating scans compute in float64. The kernel divides a chunk into blocks, and folds the elements of a block in a
// fixed order of groups of eight. The result of an element is (carry + blocks before) + (groups before + group's
// prefix), so that an error does not grow with the length of the chunk. The carry of a sum includes its rounding error.
// The kernel scans a block by groups only if no fold of a group or of blocks can leave the range of float64. Otherwise,
// the kernel folds the elements of the block one after the other.
#include <type_traits>

#include "kernels/families.h"
#include "math/common.h"
#include "ops/reduce/folds.h"
#include "ops/scan/scan.kernels.h"
#include "simd/prefix.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// A number of one (real) or two (complex) parts, and the fold of such numbers.
template <int Parts>
using Number = Vec<double, Parts>;

template <class Op>
SUANZI_INLINE Number<1> fold(Number<1> a, Number<1> b) {
  return Op::fold(a, b);
}
template <class Op>
SUANZI_INLINE Number<2> fold(Number<2> a, Number<2> b) {
  if constexpr (std::is_same_v<Op, Sum>) {
    return a + b;
  } else {
    const Number<2> re = __builtin_shufflevector(a.v, a.v, 0, 0), im = __builtin_shufflevector(a.v, a.v, 1, 1);
    const Number<2> swapped = __builtin_shufflevector(b.v, b.v, 1, 0);
    const Number<2> signs = typename Number<2>::native{-1.0, 1.0};
    return re * b + signs * (im * swapped);
  }
}
template <class Op, int Parts>
SUANZI_INLINE Number<Parts> unit() {
  Number<Parts> one(Op::template identity<double>);
  if constexpr (Parts == 2 && std::is_same_v<Op, Product>) one.v[1] = 0;
  return one;
}

// The sum or product of all elements before a chunk. If the carry is a sum, `low` is its rounding error.
template <int Parts>
struct Carry {
  Number<Parts> high, low;
};

template <class Op, int Parts>
void start(void* carry) {
  *static_cast<Carry<Parts>*>(carry) = {unit<Op, Parts>(), Number<Parts>(Sum::identity<double>)};
}

template <class Op, int Parts>
SUANZI_INLINE void add(Carry<Parts>& carry, Number<Parts> more) {
  if constexpr (std::is_same_v<Op, Sum>) {
    const math::DoubleDouble<Parts> sum = math::two_sum(carry.high, more);
    carry.low = select(math::is_finite(sum.hi), carry.low + sum.lo, 0.0);
    carry.high = sum.hi;
  } else {
    carry.high = fold<Op>(carry.high, more);
  }
}

template <class Op, int Parts>
void advance(void* carry, const void* total) {
  add<Op>(*static_cast<Carry<Parts>*>(carry), Number<Parts>::load(static_cast<const double*>(total)));
}

// Returns the fold of the carry and of the blocks before an element's own block. The element's result begins with this
// number.
template <class Op, int Parts>
SUANZI_INLINE Number<Parts> base(const Carry<Parts>& carry, Number<Parts> blocks) {
  if constexpr (std::is_same_v<Op, Sum>) {
    return carry.high + (carry.low + blocks);
  } else {
    return fold<Op>(carry.high, blocks);
  }
}

// A group of eight numbers in registers.
struct Eight {
  static constexpr int width = vector_bytes / 8;
  static constexpr int count = 8 / width;
  using V = Vec<double, width>;
  V v[count];

  template <class In>
  static SUANZI_INLINE Eight load(const In* in) {
    Eight x;
    for (int k = 0; k < count; ++k) x.v[k] = convert<double>(Vec<In, width>::load(in + k * width));
    return x;
  }
  template <class Out>
  SUANZI_INLINE void store(Out* out) const {
    for (int k = 0; k < count; ++k) convert<Out>(v[k]).store(out + k * width);
  }
};

// The magnitudes that factors, and products of groups and of blocks, may have if the elements are multiplied in groups.
// Products of eight such factors and of two such products neither overflow nor lose digits. The magnitudes are at least
// 2^-span and less than 2^span.
constexpr int factor_span = 32, product_span = 512;
// The bound below which the magnitudes of summands, and of sums of blocks, must be if the kernel adds the elements in
// groups.
constexpr double largest_summand = 0x1p1000;

// Collects numbers, and reports whether a fold of the numbers may leave the range of float64. `span` is the span of the
// numbers of a product.
template <class Op, int span, int N>
class Reach;

// If the exponent of a factor is inside of the span, the exponent less the least exponent is below 2 * span, which is a
// power of two. Otherwise, a higher bit of the difference is set.
template <int span, int N>
class Reach<Product, span, N> {
 public:
  SUANZI_INLINE void add(Vec<double, N> x) {
    bits_ = bits_ | (bit_cast<uint64_t>(x) - Vec<uint64_t, N>(uint64_t{bias - span} << digits));
  }
  SUANZI_INLINE bool is_far() const {
    return any((bits_ & Vec<uint64_t, N>((uint64_t{0x7ff} << digits) & ~((uint64_t{2 * span} - 1) << digits))) !=
               Vec<uint64_t, N>(uint64_t{0}));
  }

 private:
  static constexpr int digits = 52, bias = 1023;
  Vec<uint64_t, N> bits_{uint64_t{0}};
};

template <int span, int N>
class Reach<Sum, span, N> {
 public:
  SUANZI_INLINE void add(Vec<double, N> x) { largest_ = max(abs(x), largest_); }
  SUANZI_INLINE bool is_far() const { return any(largest_ >= Vec<double, N>(largest_summand)); }

 private:
  Vec<double, N> largest_{0.0};
};

// Returns true if a fold of the number with other numbers may leave the range. The result depends only on the greatest
// part of the number.
template <class Op, int span, int Parts>
SUANZI_INLINE bool is_far(Number<Parts> x) {
  const double first = __builtin_fabs(x.v[0]), last = __builtin_fabs(x.v[Parts - 1]);
  Reach<Op, span, 1> reach;
  reach.add(Number<1>(first < last ? last : first));
  return reach.is_far();
}

// The constant is true if folds of elements of type T may leave the range of float64, in which the kernel computes the
// folds.
template <class Op, class T>
constexpr bool may_be_far = std::is_same_v<Op, Product> || std::is_same_v<T, double>;

// The fold of all elements before a block: `before` includes the carry, and `blocks` is the fold of later blocks.
template <int Parts>
struct State {
  Carry<Parts> before;
  Number<Parts> blocks;
};

// Scans a block of real numbers, and adds the block to the state. If Write is true, the function writes the scan to
// `out`. Returns false if a fold of some elements may leave the range of float64. The state is then unchanged.
template <class Op, class T, bool Write>
SUANZI_INLINE bool scan_block(T* out, const T* in, int64_t n, State<1>& state) {
  using V = Eight::V;
  const V start(Write ? base<Op>(state.before, state.blocks).v[0] : 0.0);
  V groups(Op::template identity<double>);
  [[maybe_unused]] Reach<Op, factor_span, Eight::width> elements;
  [[maybe_unused]] Reach<Op, product_span, Eight::width> folds;
  const auto group = [&](Eight x, T* target) {
    if constexpr (may_be_far<Op, T>)
      for (const V& v : x.v) elements.add(v);
    prefix_of_lanes<Op>(x.v);
    const V last = broadcast_last(x.v[Eight::count - 1]);
    if constexpr (Write) {
      for (V& v : x.v) v = Op::fold(start, Op::fold(groups, v));
      x.store(target);
    }
    groups = Op::fold(groups, last);
    if constexpr (std::is_same_v<Op, Product>) folds.add(groups);
  };
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) group(Eight::load(in + i), out + i);
  if (i < n) {
    T padded[8], scanned[8];
    for (int k = 0; k < 8; ++k) padded[k] = i + k < n ? in[i + k] : Op::template identity<T>;
    group(Eight::load(padded), scanned);
    if constexpr (Write)
      for (int k = 0; i + k < n; ++k) out[i + k] = scanned[k];
  }
  if constexpr (may_be_far<Op, T>)
    if (elements.is_far() || folds.is_far()) return false;
  state.blocks = fold<Op>(state.blocks, Number<1>(groups.v[0]));
  return true;
}

template <class Op, bool Write>
SUANZI_INLINE bool scan_block(double* out, const double* in, int64_t n, State<2>& state) {
  const Number<2> start = base<Op>(state.before, state.blocks);
  Number<2> folded = unit<Op, 2>();
  for (int64_t i = 0; i < n; ++i) {
    const Number<2> x = Number<2>::load(in + 2 * i);
    folded = fold<Op>(folded, x);
    if (is_far<Op, factor_span>(x) || is_far<Op, product_span>(folded)) return false;
    if constexpr (Write) fold<Op>(start, folded).store(out + 2 * i);
  }
  state.blocks = fold<Op>(state.blocks, folded);
  return true;
}

// Folds the elements of a block one after the other.
template <class Op, int Parts, class T>
void scan_singly(T* out, const T* in, int64_t n, State<Parts>& state) {
  Carry<Parts> carry = state.before;
  add<Op>(carry, state.blocks);
  for (int64_t i = 0; i < n * Parts; i += Parts) {
    Number<Parts> x;
    for (int k = 0; k < Parts; ++k) x.v[k] = static_cast<double>(in[i + k]);
    add<Op>(carry, x);
    Number<Parts> result = carry.high;
    if constexpr (std::is_same_v<Op, Sum>) result = select(carry.low == Number<Parts>(0.0), result, result + carry.low);
    for (int k = 0; k < Parts; ++k) out[i + k] = static_cast<T>(result.v[k]);
  }
  state = {carry, unit<Op, Parts>()};
}

// Scans numbers of one or two parts of type T, and returns the state after the last element. Without `Write`, the
// returned fold is NaN if the fold of the elements does not determine the folds of the following elements.
template <class Op, int Parts, class T, bool Write>
SUANZI_INLINE State<Parts> scan_blocks(T* out, const T* in, int64_t n, const Carry<Parts>& carry) {
  constexpr int64_t block = Parts == 1 ? 512 : 64;
  State<Parts> state{carry, unit<Op, Parts>()};
  for (int64_t begin = 0; begin < n; begin += block, in += block * Parts, out += Write ? block * Parts : 0) {
    const int64_t count = n - begin < block ? n - begin : block;
    bool is_scanned = false;
    if constexpr (Parts == 1) {
      is_scanned = scan_block<Op, T, Write>(out, in, count, state);
    } else {
      is_scanned = scan_block<Op, Write>(out, in, count, state);
    }
    if constexpr (may_be_far<Op, T>) {
      const bool is_fold_far = is_far<Op, product_span>(state.blocks);
      if (!Write && (!is_scanned || is_fold_far)) return {carry, Number<Parts>(__builtin_nan(""))};
      if constexpr (Write) {
        if (!is_scanned) {
          scan_singly<Op, Parts>(out, in, count, state);
        } else if (is_fold_far) {
          add<Op>(state.before, state.blocks);
          state.blocks = unit<Op, Parts>();
        }
      }
    }
  }
  return state;
}

template <class Op, int Parts, class T>
void floating_total(void* total, const void* in, int64_t n) {
  const auto state = scan_blocks<Op, Parts, T, false>(nullptr, static_cast<const T*>(in), n, {});
  state.blocks.store(static_cast<double*>(total));
}
template <class Op, int Parts, class T>
void floating_along(void* out, const void* in, int64_t n, void* carry) {
  const auto state = scan_blocks<Op, Parts, T, true>(static_cast<T*>(out), static_cast<const T*>(in), n,
                                                     *static_cast<Carry<Parts>*>(carry));
  double total[Parts];
  state.blocks.store(total);
  *static_cast<Carry<Parts>*>(carry) = state.before;
  advance<Op, Parts>(carry, total);
}

// Scans rows side by side. If float64 would lose the rounding errors of sums, the second half of the carries
// accumulates the rounding errors (Neumaier, ZAMM 54, 1974).
template <class Op, class T>
void real_across(void* out, const void* in, int64_t n, void* carries, bool first) {
  T* const target = static_cast<T*>(out);
  const T* const source = static_cast<const T*>(in);
  double* const high = static_cast<double*>(carries);
  double* const low = high + n;
  constexpr bool exact = std::is_same_v<T, float> || std::is_same_v<Op, Product>;
  if (first) {
    for (int64_t i = 0; i < n; ++i) {
      high[i] = source[i];
      if constexpr (!exact) low[i] = 0;
      target[i] = source[i];
    }
  } else if constexpr (exact) {
    for (int64_t i = 0; i < n; ++i) {
      high[i] = Op::fold(high[i], static_cast<double>(source[i]));
      target[i] = static_cast<T>(high[i]);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const double a = high[i], b = source[i], sum = a + b;
      const double b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
      low[i] = __builtin_fabs(sum) < __builtin_inf() ? low[i] + error : 0.0;
      high[i] = sum;
      target[i] = low[i] == 0 ? sum : sum + low[i];  // a sum of negative zeros stays negative
    }
  }
}

template <class Op>
void complex_across(void* out, const void* in, int64_t n, void* carries, bool first) {
  if constexpr (std::is_same_v<Op, Sum>) {
    real_across<Sum, double>(out, in, 2 * n, carries, first);
  } else {
    double* const target = static_cast<double*>(out);
    const double* const source = static_cast<const double*>(in);
    double* const product = static_cast<double*>(carries);
    for (int64_t i = 0; i < 2 * n; i += 2) {
      const Number<2> x = Number<2>::load(source + i);
      const Number<2> folded = first ? x : fold<Op>(Number<2>::load(product + i), x);
      folded.store(product + i);
      folded.store(target + i);
    }
  }
}

// Folds bools by 'or', which is the sum of bools. The product of bools needs no separate functor, because the product
// of 0 and 1 is the 'and' of false and true.
struct Or {
  template <class T>
  static SUANZI_INLINE T fold(T a, T b) {
    return a | b;
  }
  template <class T>
  static constexpr T identity = T(0);
};

// Folds unsigned numbers, which wrap. Without this function, narrow numbers would become int, which must not overflow.
template <class Op, class T>
SUANZI_INLINE T wrap(T a, T b) {
  using Wide = std::conditional_t<sizeof(T) < 4, uint32_t, T>;
  return static_cast<T>(Op::fold(static_cast<Wide>(a), static_cast<Wide>(b)));
}

template <class Op, class T>
void integer_start(void* carry) {
  *static_cast<T*>(carry) = Op::template identity<T>;
}
template <class Op, class T>
void integer_advance(void* carry, const void* total) {
  T& c = *static_cast<T*>(carry);
  c = wrap<Op>(c, *static_cast<const T*>(total));
}
template <class Op, class T>
void integer_total(void* total, const void* in, int64_t n) {
  const T* const source = static_cast<const T*>(in);
  T folded = Op::template identity<T>;
  for (int64_t i = 0; i < n; ++i) folded = wrap<Op>(folded, source[i]);
  *static_cast<T*>(total) = folded;
}
template <class Op, class T>
void integer_along(void* out, const void* in, int64_t n, void* carry) {
  const T* const source = static_cast<const T*>(in);
  T* const target = static_cast<T*>(out);
  T folded = *static_cast<T*>(carry);
  int64_t i = 0;
  // The kernel scans within vectors only if one instruction shuffles the lanes. The kernel does not scan products
  // within vectors.
  if constexpr (sizeof(T) >= 4 && !std::is_same_v<Op, Product>) {
    constexpr int lanes = vector_bytes / sizeof(T);
    Vec<T, lanes> before(folded);
    for (; i + lanes <= n; i += lanes) {
      Vec<T, lanes> x[] = {Vec<T, lanes>::load(source + i)};
      prefix_of_lanes<Op>(x);
      Op::fold(before, x[0]).store(target + i);
      before = Op::fold(before, broadcast_last(x[0]));
    }
    folded = before.v[0];
  }
  for (; i < n; ++i) target[i] = folded = wrap<Op>(folded, source[i]);
  *static_cast<T*>(carry) = folded;
}
template <class Op, class T>
void integer_across(void* out, const void* in, int64_t n, void* carries, bool first) {
  const T* const source = static_cast<const T*>(in);
  T* const target = static_cast<T*>(out);
  T* const folded = static_cast<T*>(carries);
  for (int64_t i = 0; i < n; ++i) {
    folded[i] = first ? source[i] : wrap<Op>(folded[i], source[i]);
    target[i] = folded[i];
  }
}

template <class Op, DType t>
constexpr ScanKernels kernels_of() {
  if constexpr (t == DType::complex128) {
    return {start<Op, 2>, floating_along<Op, 2, double>, floating_total<Op, 2, double>, advance<Op, 2>,
            complex_across<Op>};
  } else if constexpr (t == DType::float32 || t == DType::float64) {
    using T = storage_t<t>;
    return {start<Op, 1>, floating_along<Op, 1, T>, floating_total<Op, 1, T>, advance<Op, 1>, real_across<Op, T>};
  } else if constexpr (is_integer(t) || t == DType::boolean) {
    using Fold = std::conditional_t<t == DType::boolean && std::is_same_v<Op, Sum>, Or, Op>;
    using T = UintFor<std::conditional_t<t == DType::boolean, uint8_t, storage_t<t>>>;
    return {integer_start<Fold, T>, integer_along<Fold, T>, integer_total<Fold, T>, integer_advance<Fold, T>,
            integer_across<Fold, T>};
  } else {
    return {};
  }
}

template <int... t>
void fill_dtypes(ScanTable& table, std::integer_sequence<int, t...>) {
  ((table.of[static_cast<int>(Scan::sum)][t] = kernels_of<Sum, static_cast<DType>(t)>()), ...);
  ((table.of[static_cast<int>(Scan::prod)][t] = kernels_of<Product, static_cast<DType>(t)>()), ...);
}

}  // namespace

void fill_scan(ScanTable& table) { fill_dtypes(table, std::make_integer_sequence<int, number_count>{}); }

}  // namespace suanzi::SUANZI_LEVEL
