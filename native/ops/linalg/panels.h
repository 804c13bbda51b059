// LU and Cholesky factors of large matrices by panels: the library factorises a panel of columns on one thread, our own
// products bring the columns behind it up to date, a panel for each task.
#pragma once

#include "ops/linalg/batch.h"
#include "ops/product/gemm.h"

namespace suanzi::linalg {

using products::own_factors;

// True if matrices with so many operations each are factorised by panels: few and large ones, where our products outdo
// the library's, and not so tall that the panels alone are most of the work.
bool by_panels(const Matrices& x, double operations);

// LAPACK's getrf for a matrix stored by columns: its factors in place, row exchanges counted from 1, and the first
// pivot that is 0, counted from 1, or 0. Scratch memory: 128 elements for each row.
template <class T>
Int lu_by_panels(Int m, Int n, T* a, Int* pivots);

// The right-hand sides of a system: given, or the unit matrix.
enum class Sides { given, unit };

// X with A X = B for a matrix stored by rows, which lu_by_panels took for its transpose, factorised in place. X takes
// the place of B, by rows. Scratch memory: 128 elements for each row, and 256 bytes for each row and thread.
template <class T>
void solve_by_panels(Int n, const T* factors, const Int* pivots, T* b, Int columns, Sides sides);

// The lower triangle of a matrix stored by rows becomes its Cholesky factor, as by LAPACK's potrf; the part above it is
// lost. Gives the first pivot that is not positive, counted from 1, or 0.
template <class T>
Int cholesky_by_panels(Int n, T* a);

// LAPACK's getrf by one call of it. It takes the square part alone of a wide matrix: OpenBLAS's threads (0.3.31) read
// outside of their memory where a matrix has 17 rows and 10⁵ columns.
template <class T>
Int lu_by_library(const Routines<T>& routines, Int m, Int n, T* a, Int* pivots);

// The library's threads for a matrix that has no panels. Where those of larger ones are ours, one, so that no bits
// depend on the number of threads.
inline int factor_threads() { return own_factors() ? 1 : library_threads(); }

// for_each_matrix with factors, made in place of matrices stored by columns: info = then(routines, scratch, i, getrf's
// info). Where row exchanges go, counted from 1, is for the scratch to say: scratch.pivots(i).
template <class T, class Make, class Then>
Failure for_each_lu(const Matrices& x, const Tensor& columns, double operations, Make make, Then then) {
  const Int m = x.rows, n = x.columns;
  const auto at = [&](int64_t i) { return columns.as<T>() + i * m * n; };
  if (!by_panels(x, operations))
    return for_each_matrix<T>(
        x, x.count, operations, make,
        [&](const auto& routines, auto& scratch, int64_t i) -> Int {
          return then(routines, scratch, i, lu_by_library(routines, m, n, at(i), scratch.pivots(i)));
        },
        factor_threads());
  Failure failure;
  if (x.count == 0) return failure;  // before scratch for matrices that may be of any size
  auto scratch = make(library().routines<T>());
  for (int64_t i = 0; i < x.count; ++i) {
    const Int info = lu_by_panels(m, n, at(i), scratch.pivots(i));
    const Session session(1);  // the remaining large work is ours
    const Int rest = then(session.routines<T>(), scratch, i, info);
    if (rest != 0 && !failure) failure = {i, rest};
  }
  return failure;
}

}  // namespace suanzi::linalg
