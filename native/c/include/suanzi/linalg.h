/* Linear algebra (线性代数操作, Table 2). The rules are in suanzi.h.
 *
 * Operands are dense tensors of bool, integers, floating or complex numbers. The last two axes are the axes of
 * matrices, and the other axes are a batch. Batches of two operands broadcast. Operators that divide return float32 for
 * integers and bool. All operators compute float16 and bfloat16 in float32. Results have their own memory. All
 * operators may return DIMENSIONS_MISMATCH for shapes that do not fit. Operators may return INTERNAL_ERROR if they need
 * a BLAS and LAPACK library and find no library (suanzi/runtime.h). */
#ifndef SUANZI_LINALG_H
#define SUANZI_LINALG_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 矩阵乘法. Multiplies (..., m, k) by (..., k, n). A vector is a row on the left and a column on the right. Types promote.
 * x1 may also be a sparse matrix of compressed rows. The product of this matrix and a dense vector or matrix is dense,
 * and the product of two sparse matrices is sparse. */
SUANZI_API SuanziStatus suanzi_matmul(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);

/* 向量内积. Sums products over the last axis of x1 and the last but one (or only) axis of x2. If a tensor has no axes, the
 * function multiplies the two tensors. */
SUANZI_API SuanziStatus suanzi_dot(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);

/* LU矩阵分解. Factorises matrices x of shape (m, n) as P L U. P is a permutation (m, m), L is a lower triangle (m, k) with
 * ones on its diagonal, and U is an upper triangle (k, n), where k is the lesser of m and n. */
SUANZI_API SuanziStatus suanzi_lu(const SuanziTensor x, SuanziTensor* p, SuanziTensor* l, SuanziTensor* u);

/* Cholesky矩阵分解. Returns the lower triangle L of x = L Lᴴ, or the upper triangle U of x = Uᴴ U. The function reads only
 * the lower triangle of x, or only the upper triangle if `upper` is true.
 * Also: INVALID_ARGUMENT if x is not positive definite. */
SUANZI_API SuanziStatus suanzi_cholesky(const SuanziTensor x, bool upper, SuanziTensor* y);

/* QR矩阵分解. Factorises matrices x of shape (m, n) as Q R. The shapes of the reduced factors are (m, k) and (k, n), where
 * k is the lesser of m and n. The shapes of the complete factors are (m, m) and (m, n). NaN and infinities spread to
 * the two factors. */
SUANZI_API SuanziStatus suanzi_qr(const SuanziTensor x, bool complete, SuanziTensor* q, SuanziTensor* r);

/* SVD奇异值分解. Factorises matrices x of shape (m, n) as U diag(S) Vᴴ. S is in descending order, and has the shape (k,),
 * where k is the lesser of m and n. If `full_matrices` is true, U has the shape (m, m), and Vᴴ has the shape (n, n).
 * Otherwise, the shapes are (m, k) and (k, n).
 * Also: INVALID_ARGUMENT for numbers that are not finite. */
SUANZI_API SuanziStatus suanzi_svd(const SuanziTensor x, bool full_matrices, SuanziTensor* u, SuanziTensor* s,
                                   SuanziTensor* vh);

/* 线性方程组求解. Returns the solution y of a y = b for a (..., n, n) and b (n,) or (..., n, k).
 * Also: INVALID_ARGUMENT if a is singular. */
SUANZI_API SuanziStatus suanzi_solve(const SuanziTensor a, const SuanziTensor b, SuanziTensor* y);

/* 最小二乘. a has the shape (..., m, n), and b has the shape (m,) or (..., m, k). Returns four results. The first result is
 * the solution of least norm with the least residual. The second result is the sums of squares of the residuals, of
 * shape (...) or (..., k). The third result is the rank (int64), of shape (...). The last result is the singular values
 * of a, of shape (..., min(m, n)). Singular values up to rtol times the greatest singular value count as 0. An `rtol`
 * of NULL means max(m, n) times the epsilon of the type.
 * Also: INVALID_ARGUMENT for numbers that are not finite, OUT_OF_RANGE for an rtol that is negative or NaN. */
SUANZI_API SuanziStatus suanzi_lstsq(const SuanziTensor a, const SuanziTensor b, const double* rtol,
                                     SuanziTensor* solution, SuanziTensor* residuals, SuanziTensor* rank,
                                     SuanziTensor* singular_values);

/* 矩阵求逆. Returns the inverse matrices.
 * Also: INVALID_ARGUMENT if x is singular. */
SUANZI_API SuanziStatus suanzi_inv(const SuanziTensor x, SuanziTensor* y);

/* 求特征值以及特征向量. For x of shape (..., n, n), returns the complex eigenvalues, of shape (..., n), in no particular order.
 * The function also returns eigenvectors of length 1, which are the columns of a tensor of shape (..., n, n).
 * Also: INVALID_ARGUMENT for numbers that are not finite. */
SUANZI_API SuanziStatus suanzi_eig(const SuanziTensor x, SuanziTensor* values, SuanziTensor* vectors);

/* 矩阵范数. Returns real norms of the matrices. If `keepdims` is true, the two axes stay with size 1. */
enum {
  SUANZI_NORM_FROBENIUS = 0,
  SUANZI_NORM_NUCLEAR = 1,       /* the sum of the singular values */
  SUANZI_NORM_ONE = 2,           /* the greatest sum of magnitudes of a column */
  SUANZI_NORM_MINUS_ONE = 3,     /* the least sum of magnitudes of a column */
  SUANZI_NORM_TWO = 4,           /* the greatest singular value */
  SUANZI_NORM_MINUS_TWO = 5,     /* the least singular value */
  SUANZI_NORM_INFINITY = 6,      /* the greatest sum of magnitudes of a row */
  SUANZI_NORM_MINUS_INFINITY = 7 /* the least sum of magnitudes of a row */
};
SUANZI_API SuanziStatus suanzi_matrix_norm(const SuanziTensor x, int32_t order, bool keepdims, SuanziTensor* y);

/* 线性操作. Returns x Wᵀ + bias for x (..., in), weight W (out, in), and bias (out,) or NULL. */
SUANZI_API SuanziStatus suanzi_linear(const SuanziTensor x, const SuanziTensor weight, const SuanziTensor bias,
                                      SuanziTensor* y);

/* 双线性操作. Returns y[..., o] = x1 W[o] x2ᵀ + bias[o] for x1 (..., in1), x2 (..., in2), weight W (out, in1, in2), and bias
 * (out,) or NULL. */
SUANZI_API SuanziStatus suanzi_bilinear(const SuanziTensor x1, const SuanziTensor x2, const SuanziTensor weight,
                                        const SuanziTensor bias, SuanziTensor* y);

SUANZI_END

#endif
