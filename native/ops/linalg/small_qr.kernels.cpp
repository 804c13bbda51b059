// QR factorisations of batches of small matrices by Householder's reflections, with one matrix in each lane. The signs
// of the factors are the signs that LAPACK's routines larfg, geqr2 and org2r return.
#include <complex>

#include "kernels/families.h"
#include "ops/linalg/small_lanes.h"
#include "ops/linalg/small_matrix.kernels.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int largest = static_cast<int>(small_matrix_size);

// Computes the reflection I - tau v v^H whose adjoint maps rows k, k + 1, … of column k of `a` to a multiple of the
// first unit vector. The function writes v, whose first element is 1, below the diagonal, and the first element of the
// multiple on the diagonal. Returns tau, which is 0 if the column is already a multiple of the unit vector.
template <class E>
SUANZI_INLINE typename Lanes<E>::Number make_reflection(Grid<E> a, int rows, int k) {
  using L = Lanes<E>;
  using Number = typename L::Number;
  using Part = typename L::Part;
  Part greatest(0);
  for (int i = k; i < rows; ++i) greatest = max(L::size(a(i, k)), greatest);
  const Part scale = power_below(greatest);
  const Number alpha = L::over(a(k, k), scale);
  Part tail(0);
  for (int i = k + 1; i < rows; ++i) tail = tail + L::squared(L::over(a(i, k), scale));
  const Part real = L::real(alpha);
  const auto trivial = (tail == Part(0)) & (alpha == L::of(real));
  const Part beta = select(trivial, real, -copysign(sqrt(tail + L::squared(alpha)), real));
  const Part divisor = select(trivial, Part(1), beta);
  const Number pivot = select(trivial, L::one(), alpha - L::of(beta));
  for (int i = k + 1; i < rows; ++i) a.set(i, k, select(trivial, L::zero(), L::divide(L::over(a(i, k), scale), pivot)));
  a.set(k, k, L::of(beta * scale));
  return select(trivial, L::zero(), L::over(L::of(beta) - alpha, divisor));
}

// Multiplies rows k, k + 1, … of column j of x by I - factor v v^H, where v is in column k of `a`.
template <class E>
SUANZI_INLINE void reflect(Grid<E> x, int j, Grid<E> a, int rows, int k, typename Lanes<E>::Number factor) {
  using L = Lanes<E>;
  typename L::Number product = x(k, j);
  for (int i = k + 1; i < rows; ++i) product = L::add_product(product, L::conjugate(a(i, k)), x(i, j));
  product = product * factor;
  x.set(k, j, x(k, j) - product);
  for (int i = k + 1; i < rows; ++i) x.set(i, j, L::subtract_product(x(i, j), a(i, k), product));
}

template <class E>
void qr(void* q_out, void* r_out, const void* in, int64_t m, int64_t n, int64_t k, int64_t count) {
  using L = Lanes<E>;
  alignas(64) typename L::Scalar matrix_memory[largest * largest * L::reals];
  alignas(64) typename L::Scalar q_memory[largest * largest * L::reals];
  typename L::Number tau[largest];
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), width = static_cast<int>(k);
  const int reflections = rows < columns ? rows : columns;
  const Grid<E> a{matrix_memory, columns}, q{q_memory, width};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    load<E>(a, 0, in, rows, columns, first, used);
    for (int i = 0; i < reflections; ++i) {
      tau[i] = make_reflection(a, rows, i);
      for (int j = i + 1; j < columns; ++j) reflect(a, j, a, rows, i, L::conjugate(tau[i]));
    }
    fill_unit(q, rows, width);
    for (int i = reflections - 1; i >= 0; --i)
      for (int j = i; j < width; ++j) reflect(q, j, a, rows, i, tau[i]);
    for (int i = 1; i < width; ++i)
      for (int j = 0; j < i && j < columns; ++j) a.set(i, j, L::zero());
    store<E>(q_out, q, 0, rows, width, first, used);
    store<E>(r_out, a, 0, width, columns, first, used);
  }
}

template <class... E>
void fill_types(SmallMatrixKernels* of_type) {
  ((of_type[static_cast<int>(dtype_of<E>)].qr = qr<E>), ...);
}

}  // namespace

void fill_small_qr(SmallMatrixKernels* of_type) {
  fill_types<float, double, std::complex<float>, std::complex<double>>(of_type);
}

}  // namespace suanzi::SUANZI_LEVEL
