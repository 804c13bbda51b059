/* Reduction (规约操作), index operations (索引操作), Fourier transforms (信号处理) and interpolation (插值操作). The rules are in
 * suanzi.h. Operands are dense. Results have their own memory. The letters after "Types" are the accepted types of
 * operands, as in elementwise.h. */
#ifndef SUANZI_REDUCTION_H
#define SUANZI_REDUCTION_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 规约. Reduces x over the given axes. An `axes` of NULL means all axes. An empty list that is not NULL means no axis. If
 * `keepdims` is true, reduced axes stay with size 1. sum and prod (types BIFC) return 64-bit integers for integers and
 * bool. max and min (types BIFS) return NaN if an element is NaN. all and any (types BIFC) return bool. var and std
 * (types BIFC) divide by the number of elements. mean, norm1 and norm2 accept the types BIFC, and logsumexp accepts the
 * types BIF. mean, var, std, norm1, norm2 and logsumexp return float32 for integers and bool. A real result for complex
 * numbers has the type of the parts. `dtype` is the type of the result.
 * SUANZI_DTYPE_NONE means the type that this comment names, or the type of x if this comment names no type.
 * Also: OUT_OF_RANGE for an axis, INVALID_ARGUMENT for an axis that is named twice and for max and min of no
 * elements. */
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

/* 前缀和. Returns the sums of the elements along an axis up to each position. The sum at a position includes the element
 * at this position unless `exclusive` is true. If `reverse` is true, the sums begin at the end. If `include_initial` is
 * true, a 0 precedes the sums, so y has one element more. An axis of NULL flattens x. Sums of integers have 64 bits
 * unless `dtype` names another type. Types BIFC.
 * Also: OUT_OF_RANGE for the axis; INVALID_ARGUMENT for `exclusive` with `include_initial`. */
SUANZI_API SuanziStatus suanzi_cumulative_sum(const SuanziTensor x, const int64_t* axis, SuanziDType dtype,
                                              bool include_initial, bool exclusive, bool reverse, SuanziTensor* y);

/* 最大索引, 最小索引. Returns the index (int64) of the greatest or the least element along an axis. An axis of NULL means all
 * elements, in row-major order. The function returns the first of equal elements, and prefers NaN to any number. Types
 * BIFS.
 * Also: OUT_OF_RANGE for the axis, INVALID_ARGUMENT if x has no element. */
SUANZI_API SuanziStatus suanzi_argmax(const SuanziTensor x, const int64_t* axis, bool keepdims, SuanziTensor* y);
SUANZI_API SuanziStatus suanzi_argmin(const SuanziTensor x, const int64_t* axis, bool keepdims, SuanziTensor* y);

/* 排序索引. Returns the indices (int64) that put the elements along an axis in ascending order with NaN last, or in the
 * reverse order. Equal elements keep their order. Types BIFCS.
 * Also: OUT_OF_RANGE for the axis. */
SUANZI_API SuanziStatus suanzi_argsort(const SuanziTensor x, int64_t axis, bool descending, SuanziTensor* y);

/* Top K索引. Returns the k greatest (or least) elements along an axis and their indices (int64), in order of size if
 * `sorted` is true, and in order of their indices otherwise. NaN counts as greater than any number. Types BIFCS.
 * Also: OUT_OF_RANGE for the axis, and for a k that is negative or greater than the axis's size. */
SUANZI_API SuanziStatus suanzi_topk(const SuanziTensor x, int64_t k, int64_t axis, bool largest, bool sorted,
                                    SuanziTensor* values, SuanziTensor* indices);

/* 非零索引. Returns the coordinates of the elements that are not 0, in row-major order, as int64 of shape (count, rank).
 * Types BIFCS.
 * Also: DIMENSIONS_MISMATCH for rank 0. */
SUANZI_API SuanziStatus suanzi_nonzero(const SuanziTensor x, SuanziTensor* y);

/* 快速傅里叶变换, 快速逆傅里叶变换. Transforms x along an axis to complex numbers. `n` truncates the axis or pads the axis with 0. An
 * `n` of NULL means the size of the axis. With SUANZI_FFT_BACKWARD, the inverse transform divides by n. With
 * SUANZI_FFT_ORTHO, each transform divides by the square root of n. With SUANZI_FFT_FORWARD, the forward transform
 * divides by n. The result is complex128 for float64 and complex128, and complex64 for other types. Types BIFC.
 * Also: OUT_OF_RANGE for the axis; INVALID_ARGUMENT for an n below 1. */
enum { SUANZI_FFT_BACKWARD = 0, SUANZI_FFT_ORTHO = 1, SUANZI_FFT_FORWARD = 2 };
SUANZI_API SuanziStatus suanzi_fft(const SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm, SuanziTensor* y);
SUANZI_API SuanziStatus suanzi_ifft(const SuanziTensor x, const int64_t* n, int64_t axis, int32_t norm,
                                    SuanziTensor* y);

/* 插值操作. Resizes x, of shape (N, C, d1 ...) with `count` spatial dimensions, to the given sizes, or by the given
 * factors. Exactly one of `sizes` and `factors` must not be NULL. With factors, positions follow from the factors or,
 * if `recompute` is true, from the sizes. nearest and nearest-exact accept any type. The other modes accept F and
 * uint8. linear has one spatial dimension, bilinear and bicubic have two spatial dimensions, and trilinear has three.
 * Also: DIMENSIONS_MISMATCH for shapes that do not fit; INVALID_ARGUMENT for sizes and factors that are not positive,
 * and for options that exclude each other. */
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
