// Singular values and vectors of batches of small matrices, with one matrix in each lane. Rotations make all columns
// orthogonal (one-sided Jacobi, Golub & Van Loan, Matrix Computations, 4th edition, section 8.6.3). If the columns of a
// single matrix fit the lanes, another algorithm (ops/linalg/single_jacobi.h) decomposes the matrix.
#include <complex>

#include "kernels/families.h"
#include "ops/linalg/single_jacobi.h"
#include "ops/linalg/small_matrix.kernels.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int largest = static_cast<int>(small_matrix_size);

// Computes one sweep over all pairs of columns of w. Returns true if the sweep rotated columns in any lane. v
// accumulates the product of the rotations.
template <class E>
SUANZI_INLINE bool sweep(Grid<E> w, Grid<E> v, int rows, int columns, bool vectors) {
  using L = Lanes<E>;
  using Part = typename L::Part;
  using Number = typename L::Number;
  const Part tolerance(4 * epsilon<typename L::Scalar>);
  bool rotated = false;
  for (int p = 0; p < columns; ++p) {
    for (int q = p + 1; q < columns; ++q) {
      Part first(0), second(0);
      Number product = L::zero();
      for (int k = 0; k < rows; ++k) {
        const Number x = w(k, p), y = w(k, q);
        first = first + L::squared(x);
        second = second + L::squared(y);
        product = L::add_product(product, L::conjugate(x), y);
      }
      const Part size = L::length(product);
      const auto needed = size > tolerance * (sqrt(first) * sqrt(second));
      if (!any(needed)) continue;
      rotated = true;
      const Rotation<E> r = make_rotation<E>(needed, first, second, product, size);
      rotate_columns(r, w, rows, p, q);
      if (vectors) rotate_columns(r, v, columns, p, q);
    }
  }
  return rotated;
}

// Loads matrices, or the adjoints of wide matrices, and divides each matrix by a power of two, so that no square
// overflows. Returns these powers of two.
template <class E>
SUANZI_INLINE typename Lanes<E>::Part load_tall(Grid<E> w, Grid<E> space, const void* in, int m, int n, int64_t first,
                                                int used) {
  using L = Lanes<E>;
  typename L::Part greatest(0);
  const Grid<E> a = m < n ? Grid<E>{space.data, n} : w;
  load<E>(a, 0, in, m, n, first, used);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) greatest = max(L::size(a(i, j)), greatest);
  const auto scale = power_below(greatest);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto x = L::over(a(i, j), scale);
      m < n ? w.set(j, i, L::conjugate(x)) : w.set(i, j, x);
    }
  }
  return scale;
}

// Decomposes one matrix by the algorithm for a single matrix, if the matrix is small enough.
template <class E>
void svd_of_one(void* u, void* s, void* vh, const void* in, int m, int n, int64_t* info) {
  *info = 1;
  if constexpr (has_single<E>) {
    const auto run = [&]<int rows>(std::integral_constant<int, rows>) {
      single_svd<rows>(static_cast<E*>(u), static_cast<E*>(s), static_cast<E*>(vh), static_cast<const E*>(in), m, n,
                       info);
    };
    if (m <= single_columns && n <= single_columns) {
      run(std::integral_constant<int, single_columns>{});
    } else if (m <= single_columns || n <= single_columns) {
      run(std::integral_constant<int, largest>{});
    }
  }
}

template <class E>
void svd(void* u, void* s, void* vh, const void* in, int64_t m, int64_t n, int64_t count, int64_t* info) {
  using L = Lanes<E>;
  using T = typename L::Scalar;
  using Part = typename L::Part;
  if (count == 1) return svd_of_one<E>(u, s, vh, in, static_cast<int>(m), static_cast<int>(n), info);
  // Squares below `least` are not accurate.
  constexpr T least = (sizeof(T) == 8 ? T(0x1p-1022) : T(0x1p-126)) / epsilon<T>;
  alignas(64) T w_memory[largest * largest * L::reals];
  alignas(64) T v_memory[largest * largest * L::reals];
  alignas(64) T value_memory[largest * L::lanes];
  const bool wide = m < n;
  const int rows = static_cast<int>(wide ? n : m), columns = static_cast<int>(wide ? m : n);
  const Grid<E> w{w_memory, columns}, v{v_memory, columns};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    const Part scale = load_tall<E>(w, v, in, static_cast<int>(m), static_cast<int>(n), first, used);
    fill_unit(v, columns, columns);
    int sweeps = 0;
    while (sweeps < most_sweeps && sweep(w, v, rows, columns, u != nullptr)) ++sweeps;
    auto unfit = Part(static_cast<T>(sweeps)) == Part(static_cast<T>(most_sweeps));
    for (int j = 0; j < columns; ++j) {
      Part square(0);
      for (int i = 0; i < rows; ++i) square = square + L::squared(w(i, j));
      unfit = unfit | ~(square > Part(least));
      const Part length = sqrt(square);
      (length * scale).store(value_memory + j * L::lanes);
      for (int i = 0; i < rows; ++i) w.set(i, j, L::over(w(i, j), length));
    }
    const Part flags = select(unfit, Part(1), Part(0));
    for (int lane = 0; lane < used; ++lane) {
      const auto value = [&](int j) { return value_memory[j * L::lanes + lane]; };
      int order[largest];
      sort_columns(order, columns, [&](int i, int j) { return value(i) > value(j); });
      info[first + lane] = flags.v[lane] != 0;
      for (int j = 0; j < columns; ++j) static_cast<T*>(s)[(first + lane) * columns + j] = value(order[j]);
      if (!u) continue;
      store_columns<false>(u, first + lane, wide ? v : w, static_cast<int>(m), columns, order, lane);
      store_columns<true>(vh, first + lane, wide ? w : v, static_cast<int>(n), columns, order, lane);
    }
  }
}

template <class... E>
void fill_types(SmallMatrixKernels* of_type) {
  ((of_type[static_cast<int>(dtype_of<E>)].svd = svd<E>), ...);
}

}  // namespace

void fill_small_svd(SmallMatrixKernels* of_type) {
  fill_types<float, double, std::complex<float>, std::complex<double>>(of_type);
}

}  // namespace suanzi::SUANZI_LEVEL
