// The copies of a block of columns from memory to planes and back. The columns have one of three forms:
// - The columns are side by side, and their rows are contiguous.
// - Each column is contiguous, and the code transposes squares of lanes.
// - The columns have any strides.
#pragma once

#include "kernels/loops.h"
#include "ops/fft/fft.kernels.h"
#include "simd/complex.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {

template <class T>
inline constexpr int fft_lanes = vector_bytes / static_cast<int>(sizeof(T));

// Loads N complex numbers whose parts alternate in memory. If fewer numbers exist, the function loads only these
// numbers.
template <int N, class T, class Access>
SUANZI_INLINE ComplexVec<T, N> load_pairs(const T* p, Access access) {
  const Vec<T, N> low = access.template load<N>(p), high = access.template load<N>(p, N);
  return {alternate<0>(low, high), alternate<1>(low, high)};
}
template <int N, class T>
SUANZI_INLINE ComplexVec<T, N> load_pairs(const T* p, First numbers) {
  const First parts{2 * numbers.count};
  const Vec<T, N> low = parts.load<N>(p), high = parts.load<N>(p, N);
  return {alternate<0>(low, high), alternate<1>(low, high)};
}
template <class T, int N>
SUANZI_INLINE void store_pairs(ComplexVec<T, N> z, T* p, Whole) {
  interleave<0>(z.re, z.im).store(p);
  interleave<1>(z.re, z.im).store(p + N);
}
template <class T, int N>
SUANZI_INLINE void store_pairs(ComplexVec<T, N> z, T* p, First numbers) {
  First{2 * numbers.count}.store(interleave<0>(z.re, z.im), p);
  if (2 * numbers.count > N) First{2 * numbers.count - N}.store(interleave<1>(z.re, z.im), p + N);
}

template <class T>
SUANZI_INLINE const T* element(const FftColumns& columns, int64_t column, int64_t row) {
  return reinterpret_cast<const T*>(columns.first[column] + row * columns.row_step);
}
template <class T>
SUANZI_INLINE T* place(const FftColumns& columns, int64_t column, int64_t row) {
  return reinterpret_cast<T*>(columns.first[column] + row * columns.row_step);
}

SUANZI_INLINE bool side_by_side(const FftColumns& columns, int64_t bytes) {
  for (int64_t q = 1; q < columns.count; ++q)
    if (columns.first[q] - columns.first[q - 1] != bytes) return false;
  return true;
}

// Calls body(q, access) for the columns q to q + N - 1 of a block of block_columns columns, for each multiple q of N.
// `access` excludes columns that do not exist.
template <class T, class Body>
SUANZI_INLINE void each_column_vector(const FftColumns& columns, Body body) {
  constexpr int N = fft_lanes<T>;
  for (int64_t q = 0; q < block_columns<T>; q += N) {
    if (q + N <= columns.count) {
      body(q, Whole{});
    } else {
      body(q, First{columns.count > q ? columns.count - q : 0});
    }
  }
}

// Calls body(q, i, used) for each square of N columns and N / 2 rows of a block. The first column is q, and the first
// row is i. A vector holds complex numbers of two columns. Only the first `used` rows of the square exist.
template <class T, class Body>
SUANZI_INLINE void each_square(int64_t rows, Body body) {
  constexpr int N = fft_lanes<T>, height = N / 2;
  for (int64_t q = 0; q < block_columns<T>; q += N)
    for (int64_t i = 0; i < rows; i += height) body(q, i, rows - i < height ? static_cast<int>(rows - i) : height);
}

template <class T>
void load_block(Planes<T> rows, const FftColumns& columns, int64_t count) {
  constexpr int N = fft_lanes<T>;
  constexpr int64_t width = block_columns<T>, bytes = 2 * sizeof(T);
  if (side_by_side(columns, bytes) && columns.count > 1) {
    each_column_vector<T>(columns, [&](int64_t q, auto access) __attribute__((always_inline)) {
      for (int64_t i = 0; i < count; ++i) {
        const ComplexVec<T, N> z = load_pairs<N>(element<T>(columns, 0, i) + 2 * q, access);
        z.re.store(rows.re + i * width + q);
        z.im.store(rows.im + i * width + q);
      }
    });
  } else if (columns.row_step == bytes) {
    each_square<T>(count, [&](int64_t q, int64_t i, int used) __attribute__((always_inline)) {
      constexpr int height = N / 2;
      Vec<T, N> low[height], high[height];
      const auto numbers = [&](int64_t column) __attribute__((always_inline)) {
        const T* const p = element<T>(columns, column < columns.count ? column : columns.count - 1, i);
        return used == height ? Vec<T, N>::load(p) : Vec<T, N>::load_first(p, 2 * used);
      };
      for (int r = 0; r < height; ++r) {
        low[r] = numbers(q + r);
        high[r] = numbers(q + height + r);
      }
      interleave_all<2>(low);
      interleave_all<2>(high);
      for (int r = 0; r < used; ++r) {
        alternate<0>(low[r], high[r]).store(rows.re + (i + r) * width + q);
        alternate<1>(low[r], high[r]).store(rows.im + (i + r) * width + q);
      }
    });
  } else {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t q = 0; q < width; ++q) {
        T z[2] = {T(1), T(1)};
        if (q < columns.count) __builtin_memcpy(z, element<T>(columns, q, i), bytes);
        rows.re[i * width + q] = z[0];
        rows.im[i * width + q] = z[1];
      }
    }
  }
}

template <class T>
void store_block(const FftColumns& columns, Planes<const T> rows, int64_t count, FftScale<T> scale) {
  constexpr int N = fft_lanes<T>;
  using V = Vec<T, N>;
  constexpr int64_t width = block_columns<T>, bytes = 2 * sizeof(T);
  const V re_scale(scale.re), im_scale(scale.im);
  if (side_by_side(columns, bytes) && columns.count > 1) {
    each_column_vector<T>(columns, [&](int64_t q, auto access) __attribute__((always_inline)) {
      if (q >= columns.count) return;
      for (int64_t i = 0; i < count; ++i) {
        const ComplexVec<T, N> z{V::load(rows.re + i * width + q) * re_scale,
                                 V::load(rows.im + i * width + q) * im_scale};
        store_pairs(z, place<T>(columns, 0, i) + 2 * q, access);
      }
    });
  } else if (columns.row_step == bytes) {
    each_square<T>(count, [&](int64_t q, int64_t i, int used) __attribute__((always_inline)) {
      constexpr int height = N / 2;
      V low[height], high[height];
      for (int r = 0; r < height; ++r) {
        const int64_t row = r < used ? i + r : i;
        const V re = V::load(rows.re + row * width + q) * re_scale, im = V::load(rows.im + row * width + q) * im_scale;
        low[r] = interleave<0>(re, im);
        high[r] = interleave<1>(re, im);
      }
      interleave_all<2>(low);
      interleave_all<2>(high);
      const auto put = [&](V numbers, int64_t column) __attribute__((always_inline)) {
        if (column >= columns.count) return;
        if (used == height) {
          numbers.store(place<T>(columns, column, i));
        } else {
          numbers.store_first(place<T>(columns, column, i), 2 * used);
        }
      };
      for (int r = 0; r < height; ++r) {
        put(low[r], q + r);
        put(high[r], q + height + r);
      }
    });
  } else {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t q = 0; q < columns.count; ++q) {
        const T z[2] = {rows.re[i * width + q] * scale.re, rows.im[i * width + q] * scale.im};
        __builtin_memcpy(place<T>(columns, q, i), z, bytes);
      }
    }
  }
}

template <class T>
void load_real_block(T* rows, const FftColumns& columns, int64_t count) {
  constexpr int N = fft_lanes<T>;
  constexpr int64_t width = block_columns<T>;
  if (side_by_side(columns, sizeof(T))) {
    each_column_vector<T>(columns, [&](int64_t q, auto access) __attribute__((always_inline)) {
      for (int64_t i = 0; i < count; ++i)
        access.template load<N>(element<T>(columns, 0, i) + q).store(rows + i * width + q);
    });
  } else {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t q = 0; q < width; ++q) {
        T x = T(1);
        if (q < columns.count) __builtin_memcpy(&x, element<T>(columns, q, i), sizeof(T));
        rows[i * width + q] = x;
      }
    }
  }
}

template <class T>
void store_real_block(const FftColumns& columns, const T* rows, int64_t count, T scale) {
  constexpr int N = fft_lanes<T>;
  using V = Vec<T, N>;
  constexpr int64_t width = block_columns<T>;
  if (side_by_side(columns, sizeof(T))) {
    each_column_vector<T>(columns, [&](int64_t q, auto access) __attribute__((always_inline)) {
      if (q >= columns.count) return;
      for (int64_t i = 0; i < count; ++i)
        access.store(V::load(rows + i * width + q) * V(scale), place<T>(columns, 0, i) + q);
    });
  } else {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t q = 0; q < columns.count; ++q) {
        const T x = rows[i * width + q] * scale;
        __builtin_memcpy(place<T>(columns, q, i), &x, sizeof(T));
      }
    }
  }
}

}  // namespace suanzi::SUANZI_LEVEL
