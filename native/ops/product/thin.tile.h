// The kernels multiply a few rows of A and an unpacked matrix. The kernels read this matrix once.
#pragma once

#include <algorithm>
#include <iterator>

#include "ops/product/gemv.kernels.h"
#include "ops/product/product_sums.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr bool many_sums = Arch::vector_registers >= 32;

// --- contiguous columns of B: inner products ---

// The rows and columns of a tile. The sums of a tile, a vector of each column and a vector of A fill the registers.
inline constexpr int tile_rows = 4, tile_columns = many_sums ? 6 : 3;
// The number of terms that the kernel sums for all columns before the kernel sums the next terms. The part of A with
// these terms stays in the L1 cache during these sums.
inline constexpr int64_t thin_depth = 1024;

template <class T, class In, int Rows, int Columns>
SUANZI_INLINE void thin_tile(const T* a, int64_t a_row, const Stored<In>* b, int64_t b_step, int64_t next,
                             int64_t terms, T (&totals)[Rows][Columns]) {
  constexpr int N = lanes<T>;
  using Line = Vec<Stored<In>, N>;
  Numbers<T> sums[Rows][Columns];
  const auto multiply = [&](auto columns, auto rows) __attribute__((always_inline)) {
    Vec<T, N> elements[Columns];
    for (int j = 0; j < Columns; ++j) elements[j] = widen<In>(columns(j));
    for (int r = 0; r < Rows; ++r) {
      const Vec<T, N> row = rows(r);
      for (int j = 0; j < Columns; ++j) sums[r][j].multiply(row, elements[j]);
    }
  };
  int64_t i = 0;
  for (; i + N <= terms; i += N) {
    if constexpr (Rows > 1)
      for (int j = 0; j < Columns; ++j) __builtin_prefetch(b + next + j * b_step + i, 0, 2);
    multiply([&](int j) __attribute__((always_inline)) { return Line::load(b + j * b_step + i); },
             [&](int r) __attribute__((always_inline)) { return Vec<T, N>::load(a + r * a_row + i); });
  }
  if (i < terms) {
    const int left = static_cast<int>(terms - i);
    multiply([&](int j) __attribute__((always_inline)) { return Line::load_first(b + j * b_step + i, left, 0); },
             [&](int r)
                 __attribute__((always_inline)) { return Vec<T, N>::load_first(a + r * a_row + i, left, T(0)); });
  }
  for (int r = 0; r < Rows; ++r)
    for (int j = 0; j < Columns; ++j) totals[r][j] = fold_all_lanes<typename Numbers<T>::Plus>(sums[r][j].sum);
}

template <class T, class In>
void thin_along(const ThinBlock& g) {
  const T* const start = reinterpret_cast<const T*>(g.start);
  for (int64_t term = 0; term < g.terms; term += thin_depth) {
    const int64_t terms = std::min(thin_depth, g.terms - term);
    // The columns that remain at the end are few compared with all columns. The code therefore multiplies these columns
    // in smaller and smaller runs, which need few copies of the loop. The rows are few, so the code has a copy of the
    // loop for each number of rows.
    for_runs<tile_columns, Rest::in_halves>(g.columns, [&]<int Columns>(int64_t column) {
      const auto* const b = reinterpret_cast<const Stored<In>*>(g.b) + column * g.b_step + term;
      const int64_t next = column + Columns + tile_columns <= g.columns ? Columns * g.b_step : 0;
      for_runs<tile_rows, Rest::at_once>(g.rows, [&]<int Rows>(int64_t row) {
        T totals[Rows][Columns];
        thin_tile<T, In, Rows, Columns>(reinterpret_cast<const T*>(g.a) + row * g.a_row + term, g.a_row, b, g.b_step,
                                        next, terms, totals);
        for (int r = 0; r < Rows; ++r) {
          T* const c = reinterpret_cast<T*>(g.c) + (row + r) * g.c_row + column;
          for (int j = 0; j < Columns; ++j) c[j] = totals[r][j] + (term > 0 ? c[j] : start ? start[column + j] : T(0));
        }
      });
    });
  }
}

// --- contiguous lines of B: the sum of the lines, each times an element of A ---

inline constexpr int thin_lines = many_sums ? 8 : 4;
// The size of the sums of a group of rows. The sums stay in the L1 cache during the products with all lines.
inline constexpr int64_t thin_sum_bytes = 16 * 1024;
// For few_thin_rows or fewer rows, the memory limits the speed, and the code computes the columns of one cache line at
// a time. Four rows of 4096 float32 numbers times 4096 lines then take 1.4 ms instead of 2.1 ms (Zen 5).
inline constexpr int64_t few_thin_rows = 4;

// Adds the products of `Lines` lines of a strip and their elements of A to the sums of all rows. The rows of sums are
// `width` apart. `a` holds the elements of each row for these lines.
template <class T, class In, int Lines>
void thin_strip(T* sums, int64_t width, int64_t columns, const T* a, int64_t rows, const Stored<In>* b, int64_t step,
                int64_t next) {
  constexpr int N = lanes<T>, in_cache_line = cache_line / static_cast<int>(sizeof(Stored<In>));
  const auto add_lines = [&]<int Vectors>(int64_t j, auto access) __attribute__((always_inline)) {
    Vec<T, N> line[Lines][Vectors];
    for (int k = 0; k < Lines; ++k) {
      for (int i = 0; i < Vectors * N; i += in_cache_line) __builtin_prefetch(b + next + k * step + j + i, 0, 2);
      for (int v = 0; v < Vectors; ++v) line[k][v] = widen<In>(access.template load<N>(b + k * step + j, v * N));
    }
    T* to = sums + j;
    const T* factor = a;
    for (int64_t r = 0; r < rows; ++r, to += width, factor += Lines) {
      Numbers<T> sum[Vectors];
      for (int v = 0; v < Vectors; ++v) sum[v].start(Vec<T, N>::load(to + v * N));
      for (int k = 0; k < Lines; ++k)
        for (int v = 0; v < Vectors; ++v) sum[v].add(factor + k, line[k][v]);
      for (int v = 0; v < Vectors; ++v) sum[v].finish().store(to + v * N);
    }
  };
  int64_t j = 0;
  if (N < in_cache_line || rows > few_thin_rows)
    for (; j + 2 * N <= columns; j += 2 * N) add_lines.template operator()<2>(j, Whole{});
  for (; j < columns; j += N) add_lines.template operator()<1>(j, First{columns - j});
}

template <class T, class In>
void thin_across(const ThinBlock& g) {
  constexpr int N = lanes<T>;
  alignas(64) T sums[thin_sum_bytes / sizeof(T)];
  const T* const start = reinterpret_cast<const T*>(g.start);
  const int64_t groups = (g.rows + most_thin_rows - 1) / most_thin_rows, most = (g.rows + groups - 1) / groups;
  // Each strip of columns is a whole number of vectors. The last columns may fill only part of a vector.
  const int64_t widest = static_cast<int64_t>(std::size(sums)) / most / (2 * N) * (2 * N);
  for (int64_t column = 0; column < g.columns; column += widest) {
    const int64_t columns = std::min(widest, g.columns - column), width = (columns + N - 1) / N * N;
    // The loop multiplies a group of at most most_thin_rows rows of A at a time. After the first group, the columns of
    // B in this strip are in a cache.
    for (int64_t first = 0; first < g.rows; first += most) {
      const int64_t rows = std::min(most, g.rows - first);
      const T* const a = reinterpret_cast<const T*>(g.a) + first * g.a_row;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t j = 0; j < columns; ++j) sums[r * width + j] = start ? start[column + j] : T(0);
        for (int64_t j = columns; j < width; ++j) sums[r * width + j] = T(0);
      }
      for_runs<thin_lines, Rest::in_halves>(g.terms, [&]<int Lines>(int64_t term) {
        const auto* const b = reinterpret_cast<const Stored<In>*>(g.b) + term * g.b_step + column;
        const int64_t next = term + Lines + thin_lines <= g.terms ? Lines * g.b_step : 0;
        T factors[most_thin_rows * Lines];
        for (int64_t r = 0; r < rows; ++r)
          for (int k = 0; k < Lines; ++k) factors[r * Lines + k] = a[r * g.a_row + term + k];
        thin_strip<T, In, Lines>(sums, width, columns, factors, rows, b, g.b_step, next);
      });
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(reinterpret_cast<T*>(g.c) + (first + r) * g.c_row + column, sums + r * width,
                    static_cast<size_t>(columns) * sizeof(T));
    }
  }
}

}  // namespace suanzi::SUANZI_LEVEL
