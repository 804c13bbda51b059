// Eigenvalues and eigenvectors of batches of small Hermitian matrices, one matrix in each lane, by Jacobi's rotations
// (Golub & Van Loan, Matrix Computations, 4th edition, section 8.5): a lane that needs no rotation gets the identity.
#include <complex>

#include "kernels/families.h"
#include "kernels/small_lanes.h"
#include "kernels/small_matrix.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int largest = static_cast<int>(small_matrix_size);
constexpr int most_sweeps = 30;  // ten are usual for the largest

template <class T>
constexpr T epsilon = sizeof(T) == 8 ? T(0x1p-52) : T(0x1p-23);

// The real rotation (c, s) by which, after the phase d has made the element (p, q) real, it becomes 0.
template <class E>
struct Rotation {
  typename Lanes<E>::Part c, s;
  typename Lanes<E>::Number d;
};

// x and y by the rotation's columns.
template <class E>
SUANZI_INLINE void rotate(const Rotation<E>& r, typename Lanes<E>::Number& x, typename Lanes<E>::Number& y) {
  const auto turned = y * r.d;
  y = x * r.s + turned * r.c;
  x = x * r.c - turned * r.s;
}

// One sweep over all pairs; whether some lane had something to rotate. `a` stays Hermitian, v takes the product.
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
      const Part safe = select(needed, size, Part(1));
      const Part first = L::real(a(p, p)), second = L::real(a(q, q));
      const Part tau = (second - first) / (safe + safe);
      const Part tangent = copysign(Part(1), tau) / (abs(tau) + sqrt(tau * tau + Part(1)));
      const Part t = select(needed, tangent, Part(0));
      const Part c = Part(1) / sqrt(t * t + Part(1));
      const Rotation<E> r{c, t * c, select(needed, L::conjugate(L::over(pivot, safe)), L::one())};
      for (int k = 0; k < n; ++k) {
        if (k == p || k == q) continue;
        Number x = a(k, p), y = a(k, q);
        rotate(r, x, y);
        a.set(k, p, x);
        a.set(k, q, y);
        a.set(p, k, L::conjugate(x));
        a.set(q, k, L::conjugate(y));
      }
      a.set(p, p, L::of(first - t * size));
      a.set(q, q, L::of(second + t * size));
      a.set(p, q, select(needed, L::zero(), pivot));
      a.set(q, p, L::conjugate(a(p, q)));
      for (int k = 0; vectors && k < n; ++k) {
        Number x = v(k, p), y = v(k, q);
        rotate(r, x, y);
        v.set(k, p, x);
        v.set(k, q, y);
      }
    }
  }
  return rotated;
}

// From the lower triangle, divided by its greatest element, which is returned: no square overflows or vanishes.
template <class E>
SUANZI_INLINE typename Lanes<E>::Part make_hermitian(Grid<E> a, int n) {
  using L = Lanes<E>;
  using Part = typename L::Part;
  Part greatest(0);
  for (int i = 0; i < n; ++i) {
    a.set(i, i, L::of(L::real(a(i, i))));
    for (int j = 0; j <= i; ++j) greatest = max(L::size(a(i, j)), greatest);
  }
  const Part scale = select(greatest > Part(0), greatest, Part(1));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      a.set(i, j, L::over(a(i, j), scale));
      a.set(j, i, L::conjugate(a(i, j)));
    }
  }
  return scale;
}

// The columns of one lane in the order of their eigenvalues.
template <class E>
SUANZI_INLINE void sort_columns(int* order, Grid<E> a, int n, int lane) {
  const auto value = [&](int i) { return a.at(i, i)[lane]; };
  for (int i = 0; i < n; ++i) {
    int at = i;
    for (; at > 0 && value(order[at - 1]) > value(i); --at) order[at] = order[at - 1];
    order[at] = i;
  }
}

template <class E>
void eigh(void* values, void* vectors, const void* in, int64_t n, int64_t count, int64_t* info) {
  using L = Lanes<E>;
  using T = typename L::Scalar;
  using Part = typename L::Part;
  constexpr int parts = L::reals / L::lanes;
  alignas(64) T matrix_memory[largest * largest * L::reals];
  alignas(64) T vector_memory[largest * largest * L::reals];
  const int size = static_cast<int>(n);
  const Grid<E> a{matrix_memory, size}, v{vector_memory, size};
  for (int64_t first = 0; first < count; first += L::lanes) {
    const int used = used_lanes<E>(first, count);
    load<E>(a, 0, in, size, size, first, used);
    const Part scale = make_hermitian(a, size);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) v.set(i, j, i == j ? L::one() : L::zero());
    int sweeps = 0;
    while (sweeps < most_sweeps && sweep(a, v, size, vectors != nullptr, Part(epsilon<T> / 4))) ++sweeps;
    for (int i = 0; i < size; ++i) a.set(i, i, L::of(L::real(a(i, i)) * scale));
    for (int lane = 0; lane < used; ++lane) {
      int order[largest];
      sort_columns(order, a, size, lane);
      info[first + lane] = sweeps == most_sweeps;
      T* const w = static_cast<T*>(values) + (first + lane) * n;
      for (int j = 0; j < size; ++j) w[j] = a.at(order[j], order[j])[lane];
      if (!vectors) continue;
      T* to = static_cast<T*>(vectors) + (first + lane) * n * n * parts;
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j)
          for (int part = 0; part < parts; ++part) *to++ = v.at(i, order[j])[part * L::lanes + lane];
    }
  }
}

template <class... E>
void fill_types(KernelTable& table) {
  ((table.small_matrix[static_cast<int>(dtype_of<E>)].eigh = eigh<E>), ...);
}

}  // namespace

void fill_small_eigen(KernelTable& table) {
  fill_types<float, double, std::complex<float>, std::complex<double>>(table);
}

}  // namespace suanzi::SUANZI_LEVEL
