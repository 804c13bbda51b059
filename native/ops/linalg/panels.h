// LU and Cholesky factorisations of large matrices by panels. LAPACK factorises a panel of columns on one thread. Our
// own products update the columns after the panel, and each task updates one panel.
#pragma once

#include "ops/linalg/batch.h"
#include "ops/product/gemm.h"

namespace suanzi::linalg {

using products::own_factors;

// Returns true if the functions of this file factorise the matrices of x, each of which takes `operations` operations.
// Panels are for few and large matrices, for which our products are faster than the products of BLAS. Panels are not
// for matrices that are so tall that the factorisation of the panels would be most of the work.
bool by_panels(const Matrices& x, double operations);

// Computes LAPACK's getrf for a matrix stored by columns. The factors replace the matrix, and row exchanges count from
// 1. Returns the number of the first pivot that is 0, where numbers count from 1. If no pivot is 0, the function
// returns 0. The scratch memory is 128 elements for each row.
template <class T>
Int lu_by_panels(Int m, Int n, T* a, Int* pivots);

// The right-hand sides of a system, which are the caller's matrix or the unit matrix.
enum class Sides { given, unit };

// Solves A X = B for a matrix A stored by rows. `factors` and `pivots` are the results of lu_by_panels for the memory
// of A, which lu_by_panels reads as the transpose of A. The result X, stored by rows, replaces B. The scratch memory is
// 128 elements for each row, and at most 256 bytes for each row and thread.
template <class T>
void solve_by_panels(Int n, const T* factors, const Int* pivots, T* b, Int columns, Sides sides);

// Computes the Cholesky factor of a matrix that is stored by rows, like LAPACK's potrf. The factor replaces the lower
// triangle of the matrix, and the function overwrites the part above the diagonal. Returns the number of the first
// pivot that is not positive, where numbers count from 1. If all pivots are positive, the function returns 0.
template <class T>
Int cholesky_by_panels(Int n, T* a);

// Computes LAPACK's getrf by a single call. For a wide matrix, LAPACK factorises only the square part, because the
// threads of OpenBLAS 0.3.31 read outside of their memory if a matrix has 17 rows and 10⁵ columns.
template <class T>
Int lu_by_library(const Routines<T>& routines, Int m, Int n, T* a, Int* pivots);

// Returns the number of threads with which LAPACK factorises a matrix without panels. The number is 1 if our kernels
// factorise larger matrices, so that no bits depend on the number of threads.
inline int factor_threads() { return own_factors() ? 1 : library_threads(); }

// Factorises each matrix, and then calls info = then(routines, scratch, i, getrf's info) in the same way as
// for_each_matrix. Before the call, the LU factors of the matrix, stored by columns, have replaced the matrix.
// scratch.pivots(i) is the memory for the row exchanges, whose row numbers count from 1.
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
  // An empty batch needs no scratch memory, even if its matrices are large.
  if (x.count == 0) return failure;
  auto scratch = make(library().routines<T>());
  for (int64_t i = 0; i < x.count; ++i) {
    const Int info = lu_by_panels(m, n, at(i), scratch.pivots(i));
    // LAPACK uses one thread, because our kernels compute the rest of a large factorisation.
    const Session session(1);
    const Int rest = then(session.routines<T>(), scratch, i, info);
    if (rest != 0 && !failure) failure = {i, rest};
  }
  return failure;
}

}  // namespace suanzi::linalg
