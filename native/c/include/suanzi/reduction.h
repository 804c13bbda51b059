/* Reduction (规约操作), index operations (索引操作), Fourier transforms (信号处理) and interpolation (插值操作). The
 * rules are in suanzi.h. Operands are dense; results have memory of their own. Letters say what is taken, as in
 * elementwise.h. */
#ifndef SUANZI_REDUCTION_H
#define SUANZI_REDUCTION_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 规约. Over these axes, NULL: all (and a list of none that is not NULL: over none). `keepdims` keeps them with size 1.
 * sum, prod (BIFC; integers give 64 bits), mean (BIFC), max, min (BIFS; NaN where one is), all, any (BIFC, to bool),
 * var, std (BIFC, divided by the number of elements), norm1, norm2, logsumexp: of integers float32, of complex numbers,
 * where it is real, the real type. `dtype` is the type of the result, SUANZI_DTYPE_NONE: what has been said.
 * Also: OUT_OF_RANGE for an axis, INVALID_ARGUMENT for one that is named twice and for max and min of nothing. */
enum {
  SUANZI_REDUCE_SUM = 0,
  SUANZI_REDUCE_PROD = 1,
  SUANZI_REDUCE_MEAN = 2,
  SUANZI_REDUCE_MAX = 3,
  SUANZI_REDUCE_MIN = 4,
  SUANZI_REDUCE_ALL = 5,
  SUANZI_REDUCE_ANY = 6,
  SUANZI_REDUCE_VAR = 7,
  SUANZI_REDUCE_STD = 8,
  SUANZI_REDUCE_NORM1 = 9,
  SUANZI_REDUCE_NORM2 = 10,
  SUANZI_REDUCE_LOGSUMEXP = 11
};
SUANZI_API SuanziStatus suanzi_reduce(const SuanziTensor x, int32_t op, const int64_t* axes, int64_t count,
                                      bool keepdims, SuanziDType dtype, SuanziTensor* y);

/* 前缀和. The sums of all elements along an axis up to each, this one included, or not if `exclusive`; from the end if
 * `reverse`; with a 0 before them, and one element more, if `include_initial`. A NULL axis makes x, and so y, one
 * line. BIFC; integers give 64 bits unless `dtype` says otherwise.
 * Also: OUT_OF_RANGE for the axis; INVALID_ARGUMENT for `exclusive` with `include_initial`. */
SUANZI_API SuanziStatus suanzi_cumulative_sum(const SuanziTensor x, const int64_t* axis, SuanziDType dtype,
                                              bool include_initial, bool exclusive, bool reverse, SuanziTensor* y);

/* 最大索引, 最小索引. Where the greatest or the least element along an axis is, NULL: among all, in row-major order;
 * int64. The first of equals, a NaN before any number. BIFS.
 * Also: OUT_OF_RANGE for the axis, INVALID_ARGUMENT for nothing to choose from. */
SUANZI_API SuanziStatus suanzi_argmax(const SuanziTensor x, const int64_t* axis, bool keepdims, SuanziTensor* y);
SUANZI_API SuanziStatus suanzi_argmin(const SuanziTensor x, const int64_t* axis, bool keepdims, SuanziTensor* y);

/* 排序索引. The indices (int64) that put the elements along an axis in ascending order, NaN last, or in the reverse.
 * Equal elements keep their order. BIFCS.
 * Also: OUT_OF_RANGE. */
SUANZI_API SuanziStatus suanzi_argsort(const SuanziTensor x, int64_t axis, bool descending, SuanziTensor* y);

/* Top K索引. The k greatest (or least) elements along an axis and their indices (int64), in order if `sorted`, else in
 * that of their indices. BIFCS.
 * Also: OUT_OF_RANGE for the axis and for a k that the axis does not have. */
SUANZI_API SuanziStatus suanzi_topk(const SuanziTensor x, int64_t k, int64_t axis, bool largest, bool sorted,
                                    SuanziTensor* values, SuanziTensor* indices);

/* 非零索引. The coordinates of the elements that are not 0, in row-major order: int64 of shape (count, rank). BIFCS.
 * Also: DIMENSIONS_MISMATCH for rank 0. */
SUANZI_API SuanziStatus suanzi_nonzero(const SuanziTensor x, SuanziTensor* y);

/* 快速傅里叶变换, 快速逆傅里叶变换. Along an axis, to complex numbers; `n` cuts the axis off or fills it with 0, NULL:
 * its size. `norm` says which way is divided: the inverse by n, both by its root, or the forward one by n. BIFC;
 * complex128 for float64 and complex128, else complex64.
 * Also: OUT_OF_RANGE; INVALID_ARGUMENT for an n below 1. */
enum { SUANZI_FFT_BACKWARD = 0, SUANZI_FFT_ORTHO = 1, SUANZI_FFT_FORWARD = 2 };
SUANZI_API SuanziStatus suanzi_fft(const SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm, SuanziTensor* y);
SUANZI_API SuanziStatus suanzi_ifft(const SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm,
                                    SuanziTensor* y);

/* 插值操作. x, of shape (N, C, d1 ...) with `count` spatial dimensions, on another grid: of these sizes, or of those
 * that the factors give; the other pointer is NULL. With factors, positions follow from them, or, if `recompute`, from
 * the sizes. nearest and nearest-exact take any type, the others F and uint8; linear, bilinear (bicubic) and trilinear
 * have one, two and three spatial dimensions.
 * Also: DIMENSIONS_MISMATCH; INVALID_ARGUMENT for sizes and factors that are not positive, and options that do not go
 * together. */
enum {
  SUANZI_INTERPOLATE_NEAREST = 0,
  SUANZI_INTERPOLATE_NEAREST_EXACT = 1,
  SUANZI_INTERPOLATE_LINEAR = 2,
  SUANZI_INTERPOLATE_BILINEAR = 3,
  SUANZI_INTERPOLATE_BICUBIC = 4,
  SUANZI_INTERPOLATE_TRILINEAR = 5,
  SUANZI_INTERPOLATE_AREA = 6
};
SUANZI_API SuanziStatus suanzi_interpolate(const SuanziTensor x, const int64_t* sizes, const double* factors,
                                           int64_t count, int32_t mode, bool align_corners, bool antialias,
                                           bool recompute, SuanziTensor* y);

SUANZI_END

#endif
