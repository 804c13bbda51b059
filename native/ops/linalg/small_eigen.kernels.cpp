// Eigenvalues and eigenvectors of batches of small Hermitian matrices by Jacobi's rotations, with one matrix in each
// lane. If the columns of a single matrix fit the lanes, another algorithm (ops/linalg/single_jacobi.h) decomposes the
// matrix.
#include <complex>

#include "kernels/families.h"
#include "ops/linalg/single_jacobi.h"
#include "ops/linalg/small_matrix.kernels.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int largest = static_cast<int>(small_matrix_size);

// Computes one sweep over all pairs. Returns true if the sweep rotated columns in any lane. `a` stays Hermitian, and v
// accumulates the product of the rotations.
template <class E>
SUANZI_INLINE bool sweep(Grid<E> a, Grid<E> v, int n, bool vectors, typename Lanes<E>::Part tolerance) {
  using L = Lanes<E>;
  using Part = typename L::Part;
  using Number = typename L::Number;
  bool rotated = false;
  for (int p = 0; p < n; ++p) {
    for (int q = p + 1; q < n; ++q) {
      const Number pivot = a(p, q);
      const Part size = L::length(pivot);
      const auto needed = size > tolerance;
      if (!any(needed)) continue;
      rotated = true;
      const Part first = L::real(a(p, p)), second = L::real(a(q, q));
      const Rotation<E> r = make_rotation<E>(needed, first, second, pivot, size);
      for (int k = 0; k < n; ++k) {
        if (k == p || k == q) continue;
        Number x = a(k, p), y = a(k, q);
        rotate(r, x, y);
        a.set(k, p, x);
        a.set(k, q, y);
        a.set(p, k, L::conjugate(x));
        a.set(q, k, L::conjugate(y));
      }
      a.set(p, p, L::of(first - r.t * size));
      a.set(q, q, L::of(second + r.t * size));
      a.set(p, q, select(needed, L::zero(), pivot));
      a.set(q, p, L::conjugate(a(p, q)));
      if (vectors) rotate_columns(r, v, n, p, q);
    }
  }
  return rotated;
}

// Makes `a` Hermitian from its lower triangle, and divides `a` by the power of two at or below its greatest magnitude,
// so that no square overflows. Returns this power of two.
template <class E>
SUANZI_INLINE typename Lanes<E>::Part make_hermitian(Grid<E> a, int n) {
  using L = Lanes<E>;
  using Part = typename L::Part;
  Part greatest(0);
  for (int i = 0; i < n; ++i) {
    a.set(i, i, L::of(L::real(a(i, i))));
    for (int j = 0; j <= i; ++j) greatest = max(L::size(a(i, j)), greatest);
  }
  const Part scale = power_below(greatest);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      a.set(i, j, L::over(a(i, j), scale));
      a.set(j, i, L::conjugate(a(i, j)));
    }
  }
  return scale;
}

template <class E>
void eigh(void* values, void* vectors, const void* in, int64_t n, int64_t count, int64_t* info) {
  using L = Lanes<E>;
  using T = typename L::Scalar;
  using Part = typename L::Part;
  if (count == 1) {
    *info = 1;
    if constexpr (has_single<E>) {
      const auto size = static_cast<int>(n);
      if (n <= single_columns)
        single_eigh(static_cast<T*>(values), static_cast<T*>(vectors), static_cast<const T*>(in), size, info);
    }
    return;
  }
  alignas(64) T matrix_memory[largest * largest * L::reals];
  alignas(64) T vector_memory[largest * largest * L::reals];
  const int size = static_cast<int>(n);
  const Grid<E> a{matrix_memory, size}, v{vector_memory, size};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    load<E>(a, 0, in, size, size, first, used);
    const Part scale = make_hermitian(a, size);
    fill_unit(v, size, size);
    int sweeps = 0;
    while (sweeps < most_sweeps && sweep(a, v, size, vectors != nullptr, Part(epsilon<T> / 4))) ++sweeps;
    for (int i = 0; i < size; ++i) a.set(i, i, L::of(L::real(a(i, i)) * scale));
    for (int lane = 0; lane < used; ++lane) {
      int order[largest];
      sort_columns(order, size, [&](int i, int j) { return a.at(i, i)[lane] < a.at(j, j)[lane]; });
      info[first + lane] = sweeps == most_sweeps;
      T* const w = static_cast<T*>(values) + (first + lane) * n;
      for (int j = 0; j < size; ++j) w[j] = a.at(order[j], order[j])[lane];
      if (vectors) store_columns<false>(vectors, first + lane, v, size, size, order, lane);
    }
  }
}

template <class... E>
void fill_types(SmallMatrixKernels* of_type) {
  ((of_type[static_cast<int>(dtype_of<E>)].eigh = eigh<E>), ...);
}

}  // namespace

void fill_small_eigen(SmallMatrixKernels* of_type) {
  fill_types<float, double, std::complex<float>, std::complex<double>>(of_type);
}

}  // namespace suanzi::SUANZI_LEVEL
