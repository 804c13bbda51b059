// Products of compressed rows: see sparse.h.
//
// A row times a vector sums products in vectors of 16 bytes. A row times a matrix sums rows of the matrix, as many
// columns at a time as fit in registers.
#include "kernels/sparse.h"

#include <complex>

#include "kernels/families.h"
#include "kernels/loops.h"
#include "kernels/product_sums.h"
#include "simd/compress.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// Elements of a vector that lie apart. One by one: where there is an instruction for it, it is no faster.
template <class V, class T, class Index, int... lane>
SUANZI_INLINE V gather(const T* from, const Index* index, std::integer_sequence<int, lane...>) {
  return typename V::native{from[index[lane]]...};
}

// Short vectors, two sums of them, so that neither waits for itself; what is left of a row follows.
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
  for (int64_t row = rows.first; row < rows.last; ++row) {
    Sum sums[2];
    int64_t i = rows.starts[row];
    const int64_t end = rows.starts[row + 1];
    for (; i + 2 * N <= end; i += 2 * N)
      for (int k = 0; k < 2; ++k)
        sums[k].multiply(V::load(values + i + k * N), gather<V>(dense, columns + i + k * N, all));
    if (i + N <= end) {
      sums[0].multiply(V::load(values + i), gather<V>(dense, columns + i, all));
      i += N;
    }
    T total{};
    for (; i < end; ++i) total = Sum::combine(total, Sum::product(values[i], dense[columns[i]]));
    sums[0].join(sums[1]);
    sums[0].total(&total);
    out[row] = total;
  }
}

// The products of the parts are summed apart: see simd/complex.h.
template <class T, class Index>
void times_complex_vector(const RowProducts& rows) {
  const auto* columns = static_cast<const Index*>(rows.columns);
  const auto* values = static_cast<const T*>(rows.values);
  const auto* dense = static_cast<const T*>(rows.dense);
  auto* out = static_cast<T*>(rows.out);
  using V = Vec<T, 16 / sizeof(T)>;  // of which two lanes count
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

// Elements by which the lines of a dense matrix are fetched in advance: which come next no hardware foresees.
constexpr int64_t ahead = 16;

template <int Vectors, class T>
SUANZI_INLINE void prefetch(const T* line) {
  for (int v = 0; v < Vectors; ++v) __builtin_prefetch(line + v * lanes<T>);
}

// Vectors × N columns from `column` on.
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

// Which marks are set nobody can foresee: without branches. An element that is not wanted is the first one, masked.
// Elements need not be aligned to their size.
template <class T>
void spread(void* to, int64_t n, const Spreading& spreading) {
  constexpr auto size = static_cast<int64_t>(sizeof(T));
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(spreading.in);
  const uint8_t* marks = spreading.marks;
  const uint8_t bit = spreading.bit;
  const bool over = spreading.over;
  int64_t from = spreading.from;
  if constexpr (has_avx512 && sizeof(T) >= 4) {
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

// The kernels of a type: `Sum` in whole vectors, `ShortSum` in those of 16 bytes.
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

template <class... T>
void fill_integers(SparseKernels& table, Types<T...>) {
  (fill_numbers<UintFor<T>, T>(table), ...);  // as unsigned ones they wrap
}

SparseKernels build() {
  SparseKernels table;
  fill_one<Truths<>, Truths<16>, bool>(table);
  fill_integers(table, Integers{});
  fill_numbers<float, float>(table);
  fill_numbers<double, double>(table);
  fill_one<ComplexNumbers<float>, void, std::complex<float>>(table);
  fill_one<ComplexNumbers<double>, void, std::complex<double>>(table);
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
