// Factorisations and solutions of batches of small matrices, with one matrix in each lane
// (ops/linalg/small_matrix.kernels.h).
#include "ops/linalg/small_matrix.kernels.h"

#include <complex>

#include "kernels/families.h"
#include "ops/linalg/small_lanes.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int largest = static_cast<int>(small_matrix_size);

// Eliminates the first n columns of `a`, which has n rows, by Gaussian elimination with partial pivoting. The columns
// after the first n columns are right-hand sides. If `Keep` is true, the factors of the elimination replace the
// elements below the diagonal. For each row k, the function calls pivots(k, row), where the lanes of `row` are the rows
// with which row k was exchanged. Returns `info` for each lane (ops/linalg/small_matrix.kernels.h).
template <bool Keep, class E, class Pivots>
SUANZI_INLINE typename Lanes<E>::Index eliminate(Grid<E> a, int n, Pivots pivots) {
  using L = Lanes<E>;
  using Index = typename L::Index;
  using Number = typename L::Number;
  Index info(0);
  for (int k = 0; k < n; ++k) {
    const int first = Keep ? 0 : k;
    auto best = L::size(a(k, k));
    Index row(k);
    for (int i = k + 1; i < n; ++i) {
      const auto size = L::size(a(i, k));
      const auto greater = size > best;
      best = select(greater, size, best);
      row = select(convert_mask<typename L::Integer>(greater), Index(i), row);
    }
    pivots(k, row);
    const auto singular = best == typename L::Part(0);
    info = select(singular & (info == Index(0)), Index(k + 1), info);
    for (int i = k + 1; i < n; ++i) {
      const auto here = row == Index(i);
      if (!any(here)) continue;
      for (int j = first; j < a.columns; ++j) {
        const Number upper = a(k, j), lower = a(i, j);
        a.set(k, j, select(here, lower, upper));
        a.set(i, j, select(here, upper, lower));
      }
    }
    const Number pivot = select(singular, L::one(), a(k, k));
    for (int i = k + 1; i < n; ++i) {
      const Number factor = L::divide(a(i, k), pivot);
      if constexpr (Keep) a.set(i, k, factor);
      for (int j = k + 1; j < a.columns; ++j) a.set(i, j, L::subtract_product(a(i, j), factor, a(k, j)));
    }
  }
  return info;
}

template <class E>
void lu(void* out, int64_t* pivots, const void* in, int64_t n, int64_t count) {
  using L = Lanes<E>;
  alignas(64) typename L::Scalar memory[largest * largest * L::reals];
  const int size = static_cast<int>(n);
  const Grid<E> a{memory, size};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    load<E>(a, 0, in, size, size, first, used);
    eliminate<true>(a, size, [&](int k, typename L::Index row) {
      for (int lane = 0; lane < used; ++lane) pivots[(first + lane) * n + k] = row.v[lane];
    });
    store<E>(out, a, 0, size, size, first, used);
  }
}

template <class E>
void solve(void* out, const void* in, const void* right, int64_t n, int64_t columns, int64_t count, int64_t* info) {
  using L = Lanes<E>;
  using Number = typename L::Number;
  alignas(64) typename L::Scalar memory[largest * 2 * largest * L::reals];
  const int size = static_cast<int>(n), width = static_cast<int>(columns);
  const Grid<E> a{memory, size + width};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    load<E>(a, 0, in, size, size, first, used);
    if (right) {
      load<E>(a, size, right, size, width, first, used);
    } else {
      fill_unit(Grid<E>{a.at(0, size), a.columns}, size, size);
    }
    const auto failed = eliminate<false>(a, size, [](int, typename L::Index) {});
    for (int i = size - 1; i >= 0; --i) {
      const Number pivot = a(i, i);
      for (int j = size; j < a.columns; ++j) {
        Number x = a(i, j);
        for (int k = i + 1; k < size; ++k) x = L::subtract_product(x, a(i, k), a(k, j));
        a.set(i, j, L::divide(x, pivot));
      }
    }
    store<E>(out, a, size, size, width, first, used);
    for (int lane = 0; lane < used; ++lane) info[first + lane] = failed.v[lane];
  }
}

template <class E>
void cholesky(void* out, const void* in, int64_t n, bool upper, int64_t count, int64_t* info) {
  using L = Lanes<E>;
  using Index = typename L::Index;
  using Number = typename L::Number;
  using Part = typename L::Part;
  alignas(64) typename L::Scalar memory[largest * largest * L::reals];
  const int size = static_cast<int>(n);
  const Grid<E> a{memory, size};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    load<E>(a, 0, in, size, size, first, used);
    Index failed(0);
    for (int j = 0; j < size; ++j) {
      // Like LAPACK, the code reads only the real part of the diagonal.
      Part square = L::real(a(j, j));
      for (int k = 0; k < j; ++k) square = square - L::squared(a(j, k));
      const auto positive = square > Part(0);
      failed = select(~positive & (failed == Index(0)), Index(j + 1), failed);
      const Part root = sqrt(select(positive, square, Part(1)));
      a.set(j, j, L::of(root));
      for (int i = j + 1; i < size; ++i) {
        Number x = upper ? L::conjugate(a(j, i)) : a(i, j);
        for (int k = 0; k < j; ++k) x = L::subtract_product(x, a(i, k), L::conjugate(a(j, k)));
        a.set(i, j, L::over(x, root));
      }
    }
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < i; ++j) {
        a.set(j, i, upper ? L::conjugate(a(i, j)) : L::zero());
        if (upper) a.set(i, j, L::zero());
      }
    }
    store<E>(out, a, 0, size, size, first, used);
    for (int lane = 0; lane < used; ++lane) info[first + lane] = failed.v[lane];
  }
}

template <class E>
void fill_type(SmallMatrixKernels& kernels) {
  kernels.lu = lu<E>;
  kernels.solve = solve<E>;
  kernels.cholesky = cholesky<E>;
}
template <class... E>
void fill_types(SmallMatrixKernels* of_type) {
  (fill_type<E>(of_type[static_cast<int>(dtype_of<E>)]), ...);
}

}  // namespace

void fill_small_matrix(SmallMatrixKernels* of_type) {
  fill_types<float, double, std::complex<float>, std::complex<double>>(of_type);
}

}  // namespace suanzi::SUANZI_LEVEL
