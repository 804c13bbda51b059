// Matrix products in registers. The sums of a few rows and a few vectors of columns of C stay in registers for all
// terms. The kernels broadcast each element of A to a vector. The kernels do not pack. ops/product/gemm.cpp packs
// operands if the packed product is faster.
#include "ops/product/gemm.kernels.h"

#include "kernels/families.h"
#include "kernels/loops.h"
#include "ops/product/product_sums.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// The constant is true if the registers hold a block of C that is large enough to keep the multipliers busy.
constexpr bool many_registers = Arch::vector_registers >= 32;

template <class Sum>
constexpr int block_rows = (many_registers ? 8 : 6) / Sum::parts;
// If four vectors of each row of B stay in the L1 cache, tiles have half as many rows and twice as many columns. These
// tiles need eight loads, instead of ten, for sixteen multiplications.
constexpr int wide_rows = 4, wide_vectors = 4;
constexpr int64_t wide_bytes = 24 * 1024;
// The number of cache lines that the kernel prefetches at the beginning of each of the next rows of A. The hardware
// fetches the lines that follow.
constexpr int64_t lines_ahead = 2;
// The hardware does not prefetch the elements of C. If sums have at least long_sum terms, the kernel prefetches the
// elements of C for these sums while the kernel computes the sums. Shorter sums end before the elements arrive, so the
// kernel prefetches the elements of C for the next panel instead. The kernel also prefetches the next panel of an
// unpacked B. On Zen 3, 1x1 convolutions of large images take 0.53 to 0.85 times as long with the two kinds of
// prefetches as without.
constexpr int64_t long_sum = 128;

// Computes `Rows` rows of C in `Vectors` vectors of columns. A full strip has `Strip` rows.
template <class Sum, int Strip, int Rows, int Vectors, class Access>
SUANZI_INLINE void multiply_tile(const GemmBlock& g, int64_t row, int64_t column, Access access) {
  using T = typename Sum::part;
  constexpr int N = lanes<T>;
  const int64_t a_row = g.a_row * Sum::parts, a_column = g.a_column * Sum::parts;
  const int64_t b_row = g.b_row * Sum::parts, c_row = g.c_row * Sum::parts;
  const auto row_of_a = [&](int64_t i) {
    return reinterpret_cast<const T*>(g.a) + i / block_rows<Sum> * g.a_strip * Sum::parts + i % block_rows<Sum> * a_row;
  };
  const T* a = row_of_a(row);
  const T* b = reinterpret_cast<const T*>(g.b) + column;
  T* c = reinterpret_cast<T*>(g.c) + row * c_row + column;
  Sum sums[Rows][Vectors];
  if constexpr (Rows == Strip) {
    const auto* const next = reinterpret_cast<const char*>(row_of_a(row + Strip));
    for (int r = 0; r < Rows; ++r)
      for (int64_t line = 0; line < lines_ahead; ++line)
        __builtin_prefetch(next + r * a_row * static_cast<int64_t>(sizeof(T)) + line * cache_line);
    if (g.k >= long_sum) {
      for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) __builtin_prefetch(c + r * c_row + v * N, 1);
    } else {
      for (int r = 0; r < Rows; ++r) __builtin_prefetch(c + r * c_row + 2 * Vectors * N - 1, 1);
    }
  }
  for (int64_t p = 0; p < g.k; ++p, a += a_column, b += b_row) {
    Vec<T, N> elements[Vectors];
    for (int v = 0; v < Vectors; ++v) elements[v] = access.template load<N>(b, v * N);
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sums[r][v].add(a + r * a_row, elements[v]);
  }
  const int64_t start_row = g.start_row * Sum::parts;
  const T* const start = g.start ? reinterpret_cast<const T*>(g.start) + row * start_row + column : nullptr;
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      const Sum& sum = sums[r][v];
      access.store(start ? sum.finish(access.template load<N>(start + r * start_row, v * N)) : sum.finish(),
                   c + r * c_row + v * N);
    }
  }
}

template <class Sum, int Strip, int Vectors, class Access>
void multiply_columns(const GemmBlock& g, int64_t column, Access access) {
  using T = typename Sum::part;
  constexpr int N = lanes<T>;
  if (g.b_row * Sum::parts > Vectors * N) {
    const T* const next = reinterpret_cast<const T*>(g.b) + column + 2 * Vectors * N - 1;
    for (int64_t p = 0; p < g.k; ++p) __builtin_prefetch(next + p * g.b_row * Sum::parts);
  }
  for_runs<Strip, rest_of_rows<Sum>>(g.m, [&]<int Rows>(int64_t row) __attribute__((always_inline)) {
    multiply_tile<Sum, Strip, Rows, Vectors>(g, row, column, access);
  });
}

template <class Sum>
void multiply_block(const GemmBlock& g) {
  constexpr int N = lanes<typename Sum::part>;
  const int64_t columns = g.n * Sum::parts;
  int64_t column = 0;
  if constexpr (brief) {
    for (; column < columns; column += N) multiply_columns<Sum, block_rows<Sum>, 1>(g, column, First{columns - column});
    return;
  }
  if constexpr (many_registers && Sum::parts == 1) {
    if (g.k * wide_vectors * vector_bytes <= wide_bytes) {
      for (; column + wide_vectors * N <= columns; column += wide_vectors * N)
        multiply_columns<Sum, wide_rows, wide_vectors>(g, column, Whole{});
    }
  }
  for (; column + 2 * N <= columns; column += 2 * N) multiply_columns<Sum, block_rows<Sum>, 2>(g, column, Whole{});
  for (; column + N <= columns; column += N) multiply_columns<Sum, block_rows<Sum>, 1>(g, column, Whole{});
  if (column < columns) multiply_columns<Sum, block_rows<Sum>, 1>(g, column, First{columns - column});
}

// Computes a row of C from `Panels` packed panels of B, the first of which is panel number `panel`.
template <class Sum, int Panels>
SUANZI_INLINE void multiply_row_tile(const GemmBlock& g, int64_t panel) {
  using T = typename Sum::part;
  constexpr int N = lanes<T>;
  const T* a = reinterpret_cast<const T*>(g.a);
  const T* b = reinterpret_cast<const T*>(g.b) + panel * g.b_panel;
  const int64_t column = panel * 2 * N;
  Sum sums[2 * Panels];
  for (int64_t p = 0; p < g.k; ++p, a += g.a_column, b += g.b_row)
    for (int v = 0; v < 2 * Panels; ++v) sums[v].add(a, Vec<T, N>::load(b + v / 2 * g.b_panel + v % 2 * N));
  T* c = reinterpret_cast<T*>(g.c) + column;
  const T* start = reinterpret_cast<const T*>(g.start) + (g.start ? column : 0);
  for (int v = 0; v < 2 * Panels && column + v * N < g.n; ++v) {
    const First access{g.n - column - v * N};
    access.store(g.start ? sums[v].finish(access.load<N>(start + v * N)) : sums[v].finish(), c + v * N);
  }
}

// The sums of a row and a single panel are too few to keep the multipliers busy. Each run therefore covers several
// panels.
template <class Sum>
void multiply_row(const GemmBlock& g) {
  constexpr int N = lanes<typename Sum::part>;
  const int64_t count = (g.n + 2 * N - 1) / (2 * N);
  for_runs<row_panels, Rest::in_halves>(count, [&]<int Panels>(int64_t panel) __attribute__((always_inline)) {
    multiply_row_tile<Sum, Panels>(g, panel);
  });
}

// Computes `Rows` rows of X in `Vectors` vectors of columns. The function first subtracts the products with the rows
// above these rows, and then the products of these rows with one another.
template <class Sum, int Rows, int Vectors, class Access>
SUANZI_INLINE void substitute_rows(const TriangleBlock& s, int64_t row, int64_t column, Access access) {
  using T = typename Sum::part;
  constexpr int N = lanes<T>;
  const int64_t t_row = s.triangle_row * Sum::parts, x_row = s.x_row * Sum::parts;
  const T* t = reinterpret_cast<const T*>(s.triangle) + row * t_row;
  T* x = reinterpret_cast<T*>(s.x) + column;
  Sum sums[Rows][Vectors];
  for (int64_t p = 0; p < row; ++p, t += Sum::parts, x += x_row) {
    for (int v = 0; v < Vectors; ++v) {
      const auto element = access.template load<N>(x, v * N);
      for (int r = 0; r < Rows; ++r) sums[r][v].add(t + r * t_row, element);
    }
  }
  for (int r = 0; r < Rows; ++r, t += Sum::parts, x += x_row) {
    for (int v = 0; v < Vectors; ++v) {
      Sum product;
      product.add(t + r * t_row, sums[r][v].finish(access.template load<N>(x, v * N)));
      const auto element = product.finish();
      access.store(element, x + v * N);
      for (int q = r + 1; q < Rows; ++q) sums[q][v].add(t + q * t_row, element);
    }
  }
}

template <class Sum, int Vectors, class Access>
void substitute_columns(const TriangleBlock& s, int64_t column, Access access) {
  for_runs<block_rows<Sum>, rest_of_rows<Sum>>(s.rows, [&]<int Rows>(int64_t row) __attribute__((always_inline)) {
    substitute_rows<Sum, Rows, Vectors>(s, row, column, access);
  });
}

template <class Sum>
void substitute(const TriangleBlock& s) {
  constexpr int N = lanes<typename Sum::part>;
  const int64_t columns = s.columns * Sum::parts;
  int64_t column = 0;
  if constexpr (brief) {
    for (; column < columns; column += N) substitute_columns<Sum, 1>(s, column, First{columns - column});
    return;
  }
  for (; column + 2 * N <= columns; column += 2 * N) substitute_columns<Sum, 2>(s, column, Whole{});
  for (; column + N <= columns; column += N) substitute_columns<Sum, 1>(s, column, Whole{});
  if (column < columns) substitute_columns<Sum, 1>(s, column, First{columns - column});
}

template <class Sum, bool Conjugate, class In = typename Sum::part>
void inner_product(void* out, const void* a_elements, const void* b_elements, int64_t n) {
  using T = typename Sum::part;
  constexpr int N = lanes<T>, chains = 4;
  using Elements = Vec<Stored<In>, N>;
  const auto* const a = static_cast<const Stored<In>*>(a_elements);
  const auto* const b = static_cast<const Stored<In>*>(b_elements);
  const int64_t count = n * Sum::parts;
  Sum sums[chains];
  int64_t i = 0;
  for (; i + chains * N <= count; i += chains * N)
    for (int k = 0; k < chains; ++k)
      sums[k].multiply(widen<In>(Elements::load(a + i + k * N)), widen<In>(Elements::load(b + i + k * N)));
  for (int k = 0; i < count; i += N, ++k) {
    const int left = count - i < N ? static_cast<int>(count - i) : N;
    sums[k].multiply(widen<In>(Elements::load_first(a + i, left, 0)), widen<In>(Elements::load_first(b + i, left, 0)));
  }
  T result[Sum::parts] = {};
  sums[0].join(sums[1]);
  sums[2].join(sums[3]);
  sums[0].join(sums[2]);
  sums[0].template total<Conjugate>(result);
  for (int part = 0; part < Sum::parts; ++part) static_cast<T*>(out)[part] = result[part];
}

template <class Sum>
constexpr GemmKernel row_kernel() {
  if constexpr (std::is_floating_point_v<typename Sum::part> && Sum::parts == 1) {
    return multiply_row<Sum>;
  } else {
    return nullptr;
  }
}

template <class Sum>
constexpr TriangleKernel substitute_kernel() {
  if constexpr (std::is_floating_point_v<typename Sum::part>) {
    return substitute<Sum>;
  } else {
    return nullptr;
  }
}

template <class Sum, class T>
void fill_one(GemmKernels* of_type) {
  of_type[static_cast<int>(dtype_of<T>)] = {multiply_block<Sum>,
                                            inner_product<Sum, false>,
                                            inner_product<Sum, (Sum::parts == 2)>,  // conjugates only complex numbers
                                            row_kernel<Sum>(),
                                            substitute_kernel<Sum>(),
                                            block_rows<Sum>,
                                            2 * lanes<typename Sum::part> / Sum::parts,
                                            many_registers};
}

// Fills in the kernel for inner products of a 16-bit floating type. The table has no other kernels for these types.
// Other products convert the operands to float32, or use the kernels for vectors, for few rows or for bfloat16.
template <class T>
void fill_half(GemmKernels* of_type) {
  of_type[static_cast<int>(dtype_of<T>)].dot = inner_product<Numbers<float>, false, T>;
}

}  // namespace

void fill_gemm(GemmKernels* of_type) {
  for_all_products([&]<class Sum, class T>() { fill_one<Sum, T>(of_type); });
  fill_half<Float16>(of_type);
  fill_half<BFloat16>(of_type);
}

}  // namespace suanzi::SUANZI_LEVEL
