// Factorisations, solutions, eigenvalues and norms of batches of matrices. ops/linalg/linalg.binding.cpp binds these
// functions.
//
// The last two dimensions of an operand are the rows and columns of matrices. The dimensions before these two
// dimensions are a batch. Results for integers and bool are computed in float64 and rounded to float32. Results for
// float16 and bfloat16 are computed in float32 and rounded.
#pragma once

#include "tensor/tensor.h"

namespace suanzi::linalg {

// --- defined in factor.cpp ---
struct LU {
  Tensor p, l, u;
};
LU lu(const Tensor& x);
struct PackedLU {
  Tensor factors, pivots;
};
PackedLU packed_lu(const Tensor& x);
Tensor cholesky(const Tensor& x, bool upper);
struct QR {
  Tensor q, r;
};
QR qr(const Tensor& x, bool complete);

// --- defined in power.cpp ---

// Returns the nth power of each matrix of x. For a negative n, the result is a power of the inverse. For other n, the
// result has the type of x, also for integers and bool.
Tensor matrix_power(const Tensor& x, int64_t n);

// --- defined in solve.cpp ---
Tensor solve(const Tensor& a, const Tensor& b);
Tensor inv(const char* op, const Tensor& x);
// Returns the inverse of each matrix. All elements of the result for a singular matrix are infinite.
Tensor inverse_or_infinity(const char* op, const Tensor& x);
Tensor det(const Tensor& x);
struct SignedLog {
  Tensor sign, logabsdet;
};
SignedLog slogdet(const Tensor& x);

// --- defined in svd.cpp ---
struct SVD {
  Tensor u, s, vh;
};
SVD svd(const Tensor& x, bool full);
Tensor svdvals(const char* op, const Tensor& x);
// Singular values of at most rtol times the greatest singular value count as 0. If rtol is null, the functions use
// max(m, n) times the type's epsilon. The shape of rtol broadcasts with the shape of the batch. For lstsq, the shape of
// rtol must broadcast to the shape of the batch.
Tensor pinv(const Tensor& x, const Tensor* rtol);
Tensor matrix_rank(const Tensor& x, const Tensor* rtol);
struct LeastSquares {
  Tensor solution, residuals, rank, singular_values;
};
LeastSquares lstsq(const Tensor& a, const Tensor& b, const Tensor* rtol);

// --- defined in eigen.cpp ---
struct Eigen {
  Tensor values, vectors;
};
Eigen eigh(const Tensor& x);
Tensor eigvalsh(const Tensor& x);
Eigen eig(const Tensor& x);
Tensor eigvals(const Tensor& x);

// --- defined in norms.cpp ---
enum class MatrixNorm { frobenius, nuclear, one, minus_one, two, minus_two, infinity, minus_infinity };
Tensor vector_norm(const Tensor& x, uint64_t axes, bool keepdims, double order);
// Returns the norm of each matrix in the last two dimensions.
Tensor matrix_norm(const char* op, const Tensor& x, MatrixNorm order, bool keepdims);
Tensor cond(const Tensor& x, MatrixNorm order);

}  // namespace suanzi::linalg
