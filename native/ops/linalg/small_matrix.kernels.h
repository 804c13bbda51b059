// The kernels for batches of small matrices. A vector holds the same element of as many matrices as the vector has
// lanes, so no step of a factorisation needs the numbers of another lane.
//
// The matrices are contiguous, by rows, and are stored one after the other. `info` has an entry for each matrix. The
// entry is 0, or the number (from 1) of the pivot that failed.
#pragma once

#include <cstdint>

namespace suanzi {

// The largest size of a matrix, and the largest number of columns of a right-hand side.
inline constexpr int64_t small_matrix_size = 16;

struct SmallMatrixKernels {
  // Computes the factors P L U by partial pivoting. L is below the diagonal of `lu`, and U is on and above the
  // diagonal. Row k was exchanged with row pivots[k]. A pivot of 0 stays in `lu`, and the kernel continues with the
  // next column.
  void (*lu)(void* lu, int64_t* pivots, const void* a, int64_t n, int64_t count) = nullptr;
  // Computes the solution x (n × columns) of a x = b. If b is null, the right-hand side is the unit matrix.
  void (*solve)(void* x, const void* a, const void* b, int64_t n, int64_t columns, int64_t count,
                int64_t* info) = nullptr;
  // Computes L with a = L Lᴴ from the lower triangle, or U with a = Uᴴ U from the upper triangle. The other triangle of
  // the factor is 0.
  void (*cholesky)(void* factor, const void* a, int64_t n, bool upper, int64_t count, int64_t* info) = nullptr;
  // Computes Q (m × k) and R (k × n) with a = Q R for m × n matrices. k is m or the lesser of m and n. The diagonal of
  // R is real.
  void (*qr)(void* q, void* r, const void* a, int64_t m, int64_t n, int64_t k, int64_t count) = nullptr;
  // Computes the eigenvalues of Hermitian matrices, in ascending order. Unless `vectors` is null, the kernel also
  // computes the eigenvectors, stored by columns. The kernel reads the lower triangle, and all elements must be finite.
  // An info of 1 means that the kernel leaves the matrix to LAPACK.
  void (*eigh)(void* values, void* vectors, const void* a, int64_t n, int64_t count, int64_t* info) = nullptr;
  // Computes U (m × k), the k singular values in descending order and Vᴴ (k × n) of m × n matrices of finite elements.
  // k is the lesser of m and n. If u and vh are null, the kernel computes only the singular values. An info of 1 means
  // that the kernel leaves the matrix to LAPACK, for example because the matrix is singular. The result for a matrix
  // with an info of 1 has no meaning.
  void (*svd)(void* u, void* s, void* vh, const void* a, int64_t m, int64_t n, int64_t count, int64_t* info) = nullptr;
};

}  // namespace suanzi
