// The folds from which norms, variances and logsumexp are computed. The folds are sums of |x| and of x^2, moments, and
// sums of exponentials. The kernels fold float32 and float64 into float64 accumulators. statistics.cpp converts other
// types to float32 or float64.
//
// Moments are (mean, sum of squared distances from the mean), and exponentials are (maximum, sum of exp(x - maximum)).
// The kernels compute moments and exponentials of a few elements in two passes over registers or the L1 cache. Then the
// kernels merge the results, so that no sum cancels or overflows. Moments are merged by the formula of Chan, Golub and
// LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).
#include <utility>

#include "kernels/families.h"
#include "math/exp.h"
#include "math/log.h"
#include "ops/reduce/folds.h"
#include "simd/complex.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// N pairs of accumulators. The first numbers are in re, and the second numbers are in im.
template <int N>
using Pairs = ComplexVec<double, N>;

struct Magnitude {
  template <class V>
  SUANZI_INLINE V operator()(V x) const {
    if constexpr (std::is_arithmetic_v<V>) {
      return __builtin_fabs(x);
    } else {
      return abs(x);
    }
  }
};

// Squares x. The kernel adds pairs of squares of float32 numbers in float32. The three roundings leave a relative error
// of at most 2^-23 in a sum of squares, and of 2^-24 in its root. The kernel does not use pairs if squares may have
// overflowed, or if so many squares underflowed that the result would differ.
struct Square {
  template <class V>
  SUANZI_INLINE V operator()(V x) const {
    return x * x;
  }
  template <int N>
  SUANZI_INLINE Vec<float, N> of_two(Vec<float, N> a, Vec<float, N> b) const {
    return a * a + b * b;
  }
  SUANZI_INLINE bool in_doubt(double sum) const { return !(sum > 0x1p-90 && sum < __builtin_inf()); }
};

struct ScaledSquare {
  double scale;
  template <class V>
  SUANZI_INLINE V operator()(V x) const {
    const V scaled = x * V(scale);
    return scaled * scaled;
  }
};

// Computes moments of distances from the first element, so that no digits are lost if the mean is much larger than the
// distances.
struct Moments {
  struct Distance {
    double origin;
    template <class V>
    SUANZI_INLINE V operator()(V x) const {
      return x - V(origin);
    }
  };
  struct SquaredDistance {
    double origin, mean;
    template <class V>
    SUANZI_INLINE V operator()(V x) const {
      const V distance = (x - V(origin)) - V(mean);
      return distance * distance;
    }
  };

  template <int N>
  static SUANZI_INLINE Pairs<N> merge(Pairs<N> a, Pairs<N> b, int64_t before, int64_t more) {
    if (before == 0) return b;
    if (more == 0) return a;
    const double n = static_cast<double>(before), m = static_cast<double>(more);
    const Vec<double, N> step = b.re - a.re;
    return {a.re + step * Vec<double, N>(m / (n + m)), a.im + b.im + step * step * Vec<double, N>(n * m / (n + m))};
  }

  template <int Rows, int N>
  static SUANZI_INLINE Pairs<N> of(const Vec<double, N> (&x)[Rows]) {
    Vec<double, N> distance[Rows], sum(0.0), squares(0.0);
    for (int r = 0; r < Rows; ++r) {
      distance[r] = x[r] - x[0];
      sum = sum + distance[r];
    }
    const Vec<double, N> mean = sum * Vec<double, N>(1.0 / Rows);
    for (int r = 0; r < Rows; ++r) squares = squares + (distance[r] - mean) * (distance[r] - mean);
    return {x[0] + mean, squares};
  }

  template <class In>
  static SUANZI_INLINE Pairs<1> of(const In* in, int64_t n) {
    const double origin = in[0];
    double sum = 0, squares = 0;
    fold_floating<Sum, 1>(&sum, in, n, Distance{origin});
    const double mean = sum / static_cast<double>(n);
    fold_floating<Sum, 1>(&squares, in, n, SquaredDistance{origin, mean});
    return {Vec<double, 1>(origin + mean), Vec<double, 1>(squares)};
  }

  static void finish(double* out, const void* acc, int64_t n, double divisor) {
    const double* pairs = static_cast<const double*>(acc);
    for (int64_t i = 0; i < n; ++i) out[i] = pairs[2 * i + 1] / divisor;
  }
};

struct Exponentials {
  // Returns the number that the kernel subtracts before exp. This number is the maximum if the maximum is finite, and 0
  // otherwise.
  template <int N>
  static SUANZI_INLINE Vec<double, N> shift(Vec<double, N> maximum) {
    return select(math::is_finite(maximum), maximum, 0.0);
  }

  struct Shifted {
    double shift;
    template <int N>
    SUANZI_INLINE Vec<double, N> operator()(Vec<double, N> x) const {
      return math::exp(x - Vec<double, N>(shift));
    }
  };

  // A maximum of -inf has the sum 0, which the factor exp(-inf) leaves unchanged.
  template <int N>
  static SUANZI_INLINE Pairs<N> merge(Pairs<N> a, Pairs<N> b, int64_t, int64_t) {
    const Vec<double, N> maximum = Max::fold(a.re, b.re), offset = shift(maximum);
    return {maximum, a.im * math::exp(a.re - offset) + b.im * math::exp(b.re - offset)};
  }

  template <int Rows, int N>
  static SUANZI_INLINE Pairs<N> of(const Vec<double, N> (&x)[Rows]) {
    Vec<double, N> maximum = x[0];
    for (int r = 1; r < Rows; ++r) maximum = Max::fold(maximum, x[r]);
    const Vec<double, N> offset = shift(maximum);
    Vec<double, N> sum(0.0);
    for (int r = 0; r < Rows; ++r) sum = sum + math::exp(x[r] - offset);
    return {maximum, sum};
  }

  template <class In>
  static SUANZI_INLINE Pairs<1> of(const In* in, int64_t n) {
    double maximum = Max::identity<double>, sum = 0;
    fold_floating<Max, 1>(&maximum, in, n);
    fold_floating<Sum, 1>(&sum, in, n, Shifted{shift(Vec<double, 1>(maximum)).v[0]});
    return {Vec<double, 1>(maximum), Vec<double, 1>(sum)};
  }

  static void finish(double* out, const void* acc, int64_t n, double) {
    constexpr int N = vector_bytes / 8;
    const double* pairs = static_cast<const double*>(acc);
    for (int64_t i = 0; i < n; i += N) {
      const int count = n - i < N ? static_cast<int>(n - i) : N;
      const Pairs<N> pair = count == N ? Pairs<N>::load(pairs + 2 * i) : Pairs<N>::load_first(pairs + 2 * i, count);
      (shift(pair.re) + math::log(pair.im)).store_first(out + i, count);
    }
  }
};

// Calls body(i, pairs) for N accumulators at a time and stores the results. The last call may have fewer than N
// accumulators.
template <class Body>
SUANZI_INLINE void for_pairs(double* acc, int64_t n, Body body) {
  constexpr int N = vector_bytes / 8;
  int64_t i = 0;
  for (; i + N <= n; i += N) body(i, N, Pairs<N>::load(acc + 2 * i)).store(acc + 2 * i);
  const int rest = static_cast<int>(n - i);
  if (rest > 0) body(i, rest, Pairs<N>::load_first(acc + 2 * i, rest)).store_first(acc + 2 * i, rest);
}

template <class Fold>
void merge_pairs(void* acc, const void* other, int64_t n, int64_t before, int64_t more) {
  constexpr int N = vector_bytes / 8;
  const double* source = static_cast<const double*>(other);
  for_pairs(static_cast<double*>(acc), n, [&](int64_t i, int count, Pairs<N> pairs) {
    const Pairs<N> added = count == N ? Pairs<N>::load(source + 2 * i) : Pairs<N>::load_first(source + 2 * i, count);
    return Fold::merge(pairs, added, before, more);
  });
}

template <class Fold, class In>
void pairs_along(void* acc, const void* in, int64_t n, int64_t before) {
  constexpr int64_t block = 2048;
  const In* source = static_cast<const In*>(in);
  double* pair = static_cast<double*>(acc);
  for (int64_t start = 0; start < n; start += block) {
    const int64_t count = n - start < block ? n - start : block;
    const Pairs<1> held = {Vec<double, 1>(pair[0]), Vec<double, 1>(pair[1])};
    const Pairs<1> merged = Fold::merge(held, Fold::of(source + start, count), before + start, count);
    pair[0] = merged.re.v[0];
    pair[1] = merged.im.v[0];
  }
}

template <class Fold, int Rows, class In>
void pairs_across_rows(double* acc, const In* in, int64_t n, int64_t stride, int64_t before) {
  constexpr int N = vector_bytes / 8;
  for_pairs(acc, n, [&](int64_t i, int count, Pairs<N> pairs) {
    Vec<double, N> x[Rows];
    for (int r = 0; r < Rows; ++r) {
      const In* row = in + r * stride + i;
      x[r] = convert<double>(count == N ? Vec<In, N>::load(row) : Vec<In, N>::load_first(row, count));
    }
    return Fold::merge(pairs, Fold::of(x), before, Rows);
  });
}

template <class Fold, class In>
void pairs_across(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before) {
  const int64_t stride = step / static_cast<int64_t>(sizeof(In));
  const In* source = static_cast<const In*>(in);
  double* const pairs = static_cast<double*>(acc);
  for (; rows >= 8; rows -= 8, before += 8, source += 8 * stride)
    pairs_across_rows<Fold, 8>(pairs, source, n, stride, before);
  for (; rows > 0; --rows, ++before, source += stride) pairs_across_rows<Fold, 1>(pairs, source, n, stride, before);
}

template <class Map, Reduction op>
constexpr Map map_of() {
  if constexpr (op == Reduction::squares_of_large) return {1 / square_scale};
  if constexpr (op == Reduction::squares_of_small) return {square_scale};
  return {};
}

template <Reduction op, class Map, class In>
void sum_along(void* acc, const void* in, int64_t n, int64_t) {
  fold_floating<Sum, 1>(static_cast<double*>(acc), static_cast<const In*>(in), n, map_of<Map, op>());
}

template <Reduction op, class Map, class In>
void sum_rows_along(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t before) {
  fold_rows_along<sum_along<op, Map, In>, Sum, double, In>(acc, in, n, rows, step, before, map_of<Map, op>());
}

template <Reduction op, class Map, class In>
void sum_across(void* acc, const void* in, int64_t n, int64_t rows, int64_t step, int64_t) {
  fold_rows_across<Sum, double, In>(static_cast<double*>(acc), in, n, rows, step, map_of<Map, op>());
}

template <Reduction op>
void finish_squares(double* out, const void* acc, int64_t n, double) {
  const double scale = op == Reduction::squares_of_large   ? square_scale
                       : op == Reduction::squares_of_small ? 1 / square_scale
                                                           : 1.0;
  const double* squares = static_cast<const double*>(acc);
  for (int64_t i = 0; i < n; ++i) out[i] = __builtin_sqrt(squares[i]) * scale;
}

template <Reduction op, class Map, class In>
void fill_sum(KernelTable& table) {
  table.reduce[static_cast<int>(op)][static_cast<int>(dtype_of<In>)] = {sum_rows_along<op, Map, In>,
                                                                        sum_across<op, Map, In>};
}

template <Reduction op, class Fold, class In>
void fill_pairs(KernelTable& table) {
  table.reduce[static_cast<int>(op)][static_cast<int>(dtype_of<In>)] = {
      fold_rows_along<pairs_along<Fold, In>, 2 * sizeof(double)>, pairs_across<Fold, In>};
  table.accumulator[static_cast<int>(op)] = {merge_pairs<Fold>, Fold::finish};
}

template <Reduction op>
void fill_squares(KernelTable& table) {
  table.accumulator[static_cast<int>(op)].finish = finish_squares<op>;
}

template <class In>
void fill_type(KernelTable& table) {
  fill_sum<Reduction::magnitudes, Magnitude, In>(table);
  fill_sum<Reduction::squares, Square, In>(table);
  fill_sum<Reduction::squares_of_large, ScaledSquare, In>(table);
  fill_sum<Reduction::squares_of_small, ScaledSquare, In>(table);
  fill_pairs<Reduction::moments, Moments, In>(table);
  fill_pairs<Reduction::exponentials, Exponentials, In>(table);
}

}  // namespace

void fill_statistics(KernelTable& table) {
  fill_type<float>(table);
  fill_type<double>(table);
  fill_squares<Reduction::squares>(table);
  fill_squares<Reduction::squares_of_large>(table);
  fill_squares<Reduction::squares_of_small>(table);
}

}  // namespace suanzi::SUANZI_LEVEL
