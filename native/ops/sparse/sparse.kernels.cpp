// Products of compressed rows, which sparse.kernels.h describes.
//
// The kernels for products of rows and a vector use SIMD vectors of 16 bytes. The product of a row and a matrix is a
// sum of rows of the matrix. The kernels compute as many columns of this sum at a time as fit in registers.
#include "ops/sparse/sparse.kernels.h"

#include <bit>
#include <complex>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/product/product_sums.h"
#include "ops/reduce/folds.h"
#include "simd/compress.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// Returns index[lane]. Indices of 32 bits, which are not negative, are read two at a time.
template <int lane, class Index>
SUANZI_INLINE uint64_t index_of(const Index* index) {
  if constexpr (sizeof(Index) == 4 && std::endian::native == std::endian::little) {
    uint64_t two;
    std::memcpy(&two, index + lane / 2 * 2, sizeof(two));
    return lane % 2 ? two >> 32 : static_cast<uint32_t>(two);
  } else {
    return static_cast<uint64_t>(index[lane]);
  }
}

// Loads the elements from[index[0]], from[index[1]], … one by one to a vector. Some levels have an instruction for such
// loads, but this instruction is not faster.
template <class V, class T, class Index, int... lane>
SUANZI_INLINE V gather(const T* from, const Index* index, std::integer_sequence<int, lane...>) {
  return typename V::native{from[index_of<lane>(index)]...};
}

// An array of 2 N lanes. All bits are 1 in the last N lanes, and 0 in the other lanes. In a vector that is loaded from
// the address of lane k, all bits are 1 in the last k lanes, and 0 in the other lanes.
template <class T, int N>
struct LastLanes {
  IntFor<T> lanes[2 * N] = {};
  constexpr LastLanes() {
    for (int k = N; k < 2 * N; ++k) lanes[k] = -1;
  }
};
template <class T, int N>
inline constexpr LastLanes<T, N> last_lanes;

// Multiplies rows by a vector. The function adds to two sums alternately, so that an addition does not depend on the
// previous addition. The processor cannot predict the position in a vector at which the row ends. If the row has at
// least as many elements as a vector, the last vector therefore ends with the row, and a mask excludes products that
// are already in a sum.
template <class Sum, class Index>
void times_vector(const RowProducts& rows) {
  using T = typename Sum::part;
  using V = typename Sum::V;
  constexpr int N = V::lanes;
  constexpr std::make_integer_sequence<int, N> all;
  const auto* columns = static_cast<const Index*>(rows.columns);
  const auto* values = static_cast<const T*>(rows.values);
  const auto* dense = static_cast<const T*>(rows.dense);
  auto* out = static_cast<T*>(rows.out);
  const auto multiply = [&](Sum& sum, int64_t i) __attribute__((always_inline)) {
    sum.multiply(V::load(values + i), gather<V>(dense, columns + i, all));
  };
  for (int64_t row = rows.first; row < rows.last; ++row) {
    int64_t i = rows.starts[row];
    const int64_t end = rows.starts[row + 1];
    T total{};
    if (end - i < N) {
      for (; i < end; ++i) total = Sum::combine(total, Sum::product(values[i], dense[columns[i]]));
      out[row] = total;
      continue;
    }
    Sum sums[2], last;
    for (; i + 2 * N <= end; i += 2 * N) {
      multiply(sums[0], i);
      multiply(sums[1], i + N);
    }
    if (i + N <= end) {
      multiply(sums[0], i);
      i += N;
    }
    multiply(last, end - N);
    typename V::mask fresh;
    std::memcpy(&fresh.v, last_lanes<T, N>.lanes + (end - i), sizeof(fresh.v));
    last.start(select(fresh, last.finish(), T(0)));
    sums[1].join(last);
    sums[0].join(sums[1]);
    sums[0].total(&total);
    out[row] = total;
  }
}

// Multiplies rows of complex numbers by a vector. The function sums the products of the parts separately.
// simd/complex.h states the reason.
template <class T, class Index>
void times_complex_vector(const RowProducts& rows) {
  const auto* columns = static_cast<const Index*>(rows.columns);
  const auto* values = static_cast<const T*>(rows.values);
  const auto* dense = static_cast<const T*>(rows.dense);
  auto* out = static_cast<T*>(rows.out);
  // The code uses only the first two lanes of a vector of this type.
  using V = Vec<T, 16 / sizeof(T)>;
  for (int64_t row = rows.first; row < rows.last; ++row) {
    V by_real(T(0)), by_imaginary(T(0));
    for (int64_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
      const V x = V::load_first(dense + 2 * static_cast<int64_t>(columns[i]), 2, T(0));
      by_real = by_real + V(values[2 * i]) * x;
      by_imaginary = by_imaginary + V(values[2 * i + 1]) * x;
    }
    T real[V::lanes], imaginary[V::lanes];
    by_real.store(real);
    by_imaginary.store(imaginary);
    out[2 * row] = real[0] - imaginary[1];
    out[2 * row + 1] = real[1] + imaginary[0];
  }
}

// The kernel prefetches the line of the dense matrix for the element that is `ahead` elements further, because the
// processor cannot predict the lines.
constexpr int64_t ahead = 16;

template <int Vectors, class T>
SUANZI_INLINE void prefetch(const T* line) {
  for (int v = 0; v < Vectors; ++v) __builtin_prefetch(line + v * lanes<T>);
}

// Computes `Vectors` vectors of columns of the product. The vectors begin with column `column`.
template <class Sum, int Vectors, class Index, class Access>
SUANZI_INLINE void times_columns(const RowProducts& rows, int64_t width, int64_t column, Access access) {
  using T = typename Sum::part;
  constexpr int N = lanes<T>;
  const auto* columns = static_cast<const Index*>(rows.columns);
  const auto* values = static_cast<const T*>(rows.values);
  const auto* dense = static_cast<const T*>(rows.dense) + column;
  auto* out = static_cast<T*>(rows.out) + column;
  const int64_t end = rows.starts[rows.last];
  for (int64_t row = rows.first; row < rows.last; ++row) {
    Sum sums[Vectors];
    for (int64_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i) {
      prefetch<Vectors>(dense + static_cast<int64_t>(columns[i + ahead < end ? i + ahead : i]) * width);
      const T* line = dense + static_cast<int64_t>(columns[i]) * width;
      for (int v = 0; v < Vectors; ++v) sums[v].add(values + i * Sum::parts, access.template load<N>(line, v * N));
    }
    for (int v = 0; v < Vectors; ++v) access.store(sums[v].finish(), out + row * width + v * N);
  }
}

template <class Sum, class Index>
void times_matrix(const RowProducts& rows) {
  constexpr int N = lanes<typename Sum::part>;
  const int64_t width = rows.width * Sum::parts;
  int64_t column = 0;
  for (; column + 4 * N <= width; column += 4 * N) times_columns<Sum, 4, Index>(rows, width, column, Whole{});
  for (; column + N <= width; column += N) times_columns<Sum, 1, Index>(rows, width, column, Whole{});
  if (column < width) times_columns<Sum, 1, Index>(rows, width, column, First{width - column});
}

// Writes elements to their places. The processor cannot predict which marks are set, so the loop has no branches. In
// place of an unwanted element, the loop reads the first element and masks this element. Elements need not be aligned
// to their size.
template <class T>
void spread(void* to, int64_t n, const Spreading& spreading) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(spreading.in);
  const uint8_t* marks = spreading.marks;
  const uint8_t bit = spreading.bit;
  const bool over = spreading.over;
  int64_t from = spreading.from;
  if constexpr (Arch::expands<T, lanes<T>>) {
    using V = Vec<T, lanes<T>>;
    for (; n >= V::lanes; n -= V::lanes, out += sizeof(V), marks += V::lanes) {
      auto* const target = reinterpret_cast<T*>(out);
      const uint32_t bits = test_bytes<V::lanes>(marks, bit);
      expand_load(reinterpret_cast<const T*>(in + from * size), bits, over ? V::load(target) : V(T(0))).store(target);
      from += __builtin_popcount(bits);
    }
  }
  for (int64_t k = 0; k < n; ++k, out += size) {
    const bool wanted = marks[k] & bit;
    T next, kept = 0;
    std::memcpy(&next, in + (from & -int64_t{wanted}) * size, sizeof(T));
    if (over) std::memcpy(&kept, out, sizeof(T));
    const T mask = static_cast<T>(-static_cast<T>(wanted));
    const T result = static_cast<T>((next & mask) | (kept & ~mask));
    std::memcpy(out, &result, sizeof(T));
    from += wanted;
  }
}

// Folds each row to one element. Most rows are short, so elements that do not fill a vector are read with a mask
// instead of one by one.
template <class Op, class T, int parts>
void fold_rows(const RowProducts& rows) {
  using V = Vec<T, lanes<T>>;
  constexpr T identity = Op::template identity<T>;
  const auto* values = static_cast<const T*>(rows.values);
  auto* out = static_cast<T*>(rows.out);
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const T *at = values + rows.starts[row] * parts, *const end = values + rows.starts[row + 1] * parts;
    V folded[2] = {V(identity), V(identity)};
    for (; end - at >= 2 * V::lanes; at += 2 * V::lanes)
      for (int k = 0; k < 2; ++k) folded[k] = Op::fold(folded[k], V::load(at + k * V::lanes));
    if (end - at >= V::lanes) {
      folded[1] = Op::fold(folded[1], V::load(at));
      at += V::lanes;
    }
    folded[0] = Op::fold(folded[0], V::load_first(at, static_cast<int>(end - at), identity));
    fold_lanes<Op, parts>(Op::fold(folded[0], folded[1])).store(out + row * parts);
  }
}

// Sets the kernels of a type. `Sum` uses whole vectors, and `ShortSum` uses vectors of 16 bytes.
template <class Sum, class ShortSum, class T>
void fill_one(SparseKernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  if constexpr (Sum::parts == 1) {
    table.vector[0][type] = times_vector<ShortSum, int32_t>;
    table.vector[1][type] = times_vector<ShortSum, int64_t>;
  } else {
    table.vector[0][type] = times_complex_vector<typename Sum::part, int32_t>;
    table.vector[1][type] = times_complex_vector<typename Sum::part, int64_t>;
  }
  table.matrix[0][type] = times_matrix<Sum, int32_t>;
  table.matrix[1][type] = times_matrix<Sum, int64_t>;
}

template <class Part, class T>
void fill_numbers(SparseKernels& table) {
  fill_one<Numbers<Part>, Numbers<Part, 16 / sizeof(Part)>, T>(table);
}

// Sets the folds of a type. `T` orders elements, and `Word` adds and multiplies elements so that the results wrap.
template <class T, class Word = T, int parts = 1>
void fill_folds(SparseKernels& table, DType t) {
  const auto kernel = [&](Reduction op) -> RowProductsKernel& {
    return table.fold[static_cast<int>(op)][static_cast<int>(t)];
  };
  kernel(Reduction::sum) = fold_rows<Sum, Word, parts>;
  if constexpr (parts == 1) {
    kernel(Reduction::prod) = fold_rows<Product, Word, 1>;
    kernel(Reduction::max) = fold_rows<Max, T, 1>;
    kernel(Reduction::min) = fold_rows<Min, T, 1>;
  }
}

template <class... T>
void fill_integers(SparseKernels& table, Types<T...>) {
  // The code uses unsigned numbers, because unsigned numbers wrap.
  (fill_numbers<UintFor<T>, T>(table), ...);
  (fill_folds<T, UintFor<T>>(table, dtype_of<T>), ...);
}

SparseKernels build() {
  SparseKernels table;
  fill_one<Truths<>, Truths<16>, bool>(table);
  fill_integers(table, Integers{});
  fill_numbers<float, float>(table);
  fill_numbers<double, double>(table);
  fill_one<ComplexNumbers<float>, void, std::complex<float>>(table);
  fill_one<ComplexNumbers<double>, void, std::complex<double>>(table);
  fill_folds<uint8_t>(table, DType::boolean);
  fill_folds<float>(table, DType::float32);
  fill_folds<double>(table, DType::float64);
  fill_folds<float, float, 2>(table, DType::complex64);
  fill_folds<double, double, 2>(table, DType::complex128);
  table.spread[0] = spread<uint8_t>;
  table.spread[1] = spread<uint16_t>;
  table.spread[2] = spread<uint32_t>;
  table.spread[3] = spread<uint64_t>;
  return table;
}

}  // namespace

void fill_sparse(KernelTable& table) {
  static const SparseKernels kernels = build();
  table.sparse = &kernels;
}

}  // namespace suanzi::SUANZI_LEVEL
