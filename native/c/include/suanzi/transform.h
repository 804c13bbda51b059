/* Shapes, joining, padding, gathering, scattering (张量转换, Table 2). The rules are in suanzi.h. Operands are dense
 * tensors of any element type, including strings. sign, clip and where, which work element by element, are in
 * elementwise.h. A view shares the memory of x. All other results have their own memory. */
#ifndef SUANZI_TRANSFORM_H
#define SUANZI_TRANSFORM_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 转换数据类型. Copies x to another element type, with the layout of x. Conversions to a floating type round to nearest.
 * Floating numbers are truncated to integers. Conversions between integer types keep the low bits. In a conversion to
 * bool, every number except 0 becomes true.
 * Also: TYPE_MISMATCH between strings and numbers, and from complex to real; INVALID_ARGUMENT for SUANZI_DTYPE_NONE. */
SUANZI_API SuanziStatus suanzi_astype(const SuanziTensor x, SuanziDType dtype, SuanziTensor* y);

/* 改变张量形状. Returns the elements in the same row-major order with other dimensions. One size may be -1, and the function
 * computes this size from the other sizes. Returns a view if the strides allow a view.
 * Also: DIMENSIONS_MISMATCH if the numbers of elements differ; INVALID_ARGUMENT for a second -1 or another negative
 * size. */
SUANZI_API SuanziStatus suanzi_reshape(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y);

/* 扩展维度. Returns a view with dimensions of size 1 at the given axes of y.
 * Also: OUT_OF_RANGE for an axis; INVALID_ARGUMENT for an axis that is named twice. */
SUANZI_API SuanziStatus suanzi_expand_dims(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 删除维度. Returns a view without the given axes, whose sizes must be 1. An `axes` of NULL means all axes of size 1.
 * Also: DIMENSIONS_MISMATCH for another size; OUT_OF_RANGE for an axis; INVALID_ARGUMENT for an axis that is named
 * twice. */
SUANZI_API SuanziStatus suanzi_squeeze(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 张量转置. Returns a view whose dimension i is dimension axes[i] of x. An `axes` of NULL reverses the order of the
 * dimensions.
 * Also: DIMENSIONS_MISMATCH if `count` is not the rank; OUT_OF_RANGE for an axis; INVALID_ARGUMENT for an axis that is
 * named twice. */
SUANZI_API SuanziStatus suanzi_transpose(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 张量分拆. Splits x along an axis into views parts[0 .. count-1] of the given sizes. If `sizes` is NULL, the parts have
 * equal sizes. If `uneven` is true and the division of the axis's size by `count` leaves a remainder r, each of the
 * first r parts has one more position. On failure, all parts are NULL.
 * Also: DIMENSIONS_MISMATCH if sizes do not add up or equal parts do not divide the axis; OUT_OF_RANGE for the axis;
 * INVALID_ARGUMENT for a negative size, a `count` of equal parts below 1, and `uneven` with sizes. */
SUANZI_API SuanziStatus suanzi_split(const SuanziTensor x, const int64_t* sizes, int64_t count, int64_t axis,
                                     bool uneven, SuanziTensor* parts);

/* 张量合并. Joins tensors along an axis. If the axis is NULL, the function first flattens the tensors. Element types
 * promote.
 * Also: DIMENSIONS_MISMATCH for shapes that do not fit, OUT_OF_RANGE for the axis; INVALID_ARGUMENT for an empty
 * list. */
SUANZI_API SuanziStatus suanzi_concat(const SuanziTensor* tensors, int64_t count, const int64_t* axis, SuanziTensor* y);

/* 张量堆叠. Joins tensors of one shape along a new axis of y.
 * Also: DIMENSIONS_MISMATCH for other shapes, OUT_OF_RANGE for the axis; INVALID_ARGUMENT for an empty list. */
SUANZI_API SuanziStatus suanzi_stack(const SuanziTensor* tensors, int64_t count, int64_t axis, SuanziTensor* y);

/* 张量拆堆. Writes the slices along an axis, without this axis, as views to parts[0 .. count-1]. `count` must be the size
 * of the axis. On failure, all parts are NULL.
 * Also: DIMENSIONS_MISMATCH if `count` is not the size, OUT_OF_RANGE for the axis. */
SUANZI_API SuanziStatus suanzi_unstack(const SuanziTensor x, int64_t axis, int64_t count, SuanziTensor* parts);

/* 张量切片. Returns the view x[begin:end:stride] along each of the given axes. Negative bounds count from the end.
 * The function moves bounds outside the tensor to the tensor's ends, so INT64_MAX is the end, and INT64_MIN is the
 * position before the start. A `stride` of NULL means 1. An `axes` of NULL means the first `count` axes.
 * Also: DIMENSIONS_MISMATCH for more axes than dimensions; OUT_OF_RANGE for an axis; INVALID_ARGUMENT for an axis that
 * is named twice, and for a stride of 0. */
SUANZI_API SuanziStatus suanzi_slice(const SuanziTensor x, const int64_t* begin, const int64_t* end,
                                     const int64_t* stride, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 张量重复. Repeats the whole tensor along each axis by the given number. If `count` is less than the rank, the numbers
 * apply to the last axes. If `count` is greater than the rank, the function adds new axes in front of the axes of x.
 * Also: INVALID_ARGUMENT for a negative number. */
SUANZI_API SuanziStatus suanzi_tile(const SuanziTensor x, const int64_t* repetitions, int64_t count, SuanziTensor* y);

/* 张量补全. Adds before[i] and after[i] elements at the ends of axis i. `count` must be the rank. `value` is the constant
 * of SUANZI_PAD_CONSTANT, and NULL means 0.
 * Also: DIMENSIONS_MISMATCH; INVALID_ARGUMENT for negative widths, and if x has no element to repeat; OUT_OF_RANGE for
 * the value. */
enum {
  SUANZI_PAD_CONSTANT = 0,
  SUANZI_PAD_EDGE = 1,      /* repeats the outermost elements */
  SUANZI_PAD_REFLECT = 2,   /* mirrors about the outermost elements */
  SUANZI_PAD_SYMMETRIC = 3, /* mirrors about the edge of the outermost elements */
  SUANZI_PAD_WRAP = 4       /* continues from the other end */
};
SUANZI_API SuanziStatus suanzi_pad(const SuanziTensor x, const int64_t* before, const int64_t* after, int64_t count,
                                   int32_t mode, const SuanziScalar* value, SuanziTensor* y);

/* 张量逆序变换. Returns a view that is reversed along the given axes. An `axes` of NULL means all axes. If `lengths` is not
 * NULL, `axes` names one axis, and the function returns a copy of x, in which only the first lengths[i] elements along
 * this axis are reversed in slice i of `batch_axis`.
 * Also: OUT_OF_RANGE for an axis and for a length; DIMENSIONS_MISMATCH for a wrong number of lengths or axes;
 * INVALID_ARGUMENT for an axis that is named twice or is also the batch axis. */
SUANZI_API SuanziStatus suanzi_reverse(const SuanziTensor x, const int64_t* axes, int64_t count, const int64_t* lengths,
                                       int64_t length_count, int64_t batch_axis, SuanziTensor* y);

/* 张量循环滚动变换. Rolls elements by shifts[i] along axes[i]. Elements that leave at the end return at the start. If `axes` is
 * NULL, the function rolls all elements in row-major order by one shift (`count` is 1).
 * Also: DIMENSIONS_MISMATCH for a wrong `count`, OUT_OF_RANGE for an axis. */
SUANZI_API SuanziStatus suanzi_roll(const SuanziTensor x, const int64_t* shifts, const int64_t* axes, int64_t count,
                                    SuanziTensor* y);

/* 张量形状裁剪. Returns a view of the box that begins at `offsets` and has the sizes `dims`. A size of -1 means that the box
 * ends at the end of the axis.
 * Also: DIMENSIONS_MISMATCH if `count` is not the rank; OUT_OF_RANGE if the box is not inside x; INVALID_ARGUMENT for
 * another negative size. */
SUANZI_API SuanziStatus suanzi_crop(const SuanziTensor x, const int64_t* offsets, const int64_t* dims, int64_t count,
                                    SuanziTensor* y);

/* 张量聚集. Returns the slices of x that the integers of `index` name along an axis. Negative integers count from the end.
 * The result has the shape of x, in which the shape of `index` replaces the size of the axis.
 * Also: OUT_OF_RANGE for the axis and for an index. */
SUANZI_API SuanziStatus suanzi_gather(const SuanziTensor x, const SuanziTensor index, int64_t axis, SuanziTensor* y);

/* 张量发散更新. Returns a copy of x with updates. `index` has the rank of x and is no larger than x along the other axes.
 * Each element of `index` names a position along the axis, and the element of x at this position receives the update at
 * the same place as the index. Updates broadcast to the shape of the index, may be a scalar, and promote to the type of
 * x. Several updates of one element are applied one by one, in row-major order.
 * Also: OUT_OF_RANGE for the axis and for an index, DIMENSIONS_MISMATCH for shapes that do not fit. */
enum {
  SUANZI_SCATTER_UPDATE = 0,
  SUANZI_SCATTER_ADD = 1,
  SUANZI_SCATTER_MUL = 2,
  SUANZI_SCATTER_MIN = 3,
  SUANZI_SCATTER_MAX = 4
};
SUANZI_API SuanziStatus suanzi_scatter(const SuanziTensor x, const SuanziTensor index, const SuanziTensor updates,
                                       int64_t axis, int32_t mode, SuanziTensor* y);

/* 扩展张量. Returns a view that is broadcast to a shape. A size of -1 keeps the size of x. Strides along repeated
 * dimensions are 0.
 * Also: DIMENSIONS_MISMATCH if x does not broadcast to the shape; INVALID_ARGUMENT for another negative size, and for a
 * -1 in place of a dimension that x lacks. */
SUANZI_API SuanziStatus suanzi_expand(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y);

/* 展平张量. Joins the dimensions from start_axis to stop_axis, both included, to one dimension. A start_axis of 0 and a
 * stop_axis of -1 join all dimensions. Returns a view if the strides allow a view.
 * Also: OUT_OF_RANGE for an axis, DIMENSIONS_MISMATCH if start_axis is after stop_axis. */
SUANZI_API SuanziStatus suanzi_flatten(const SuanziTensor x, int64_t start_axis, int64_t stop_axis, SuanziTensor* y);

/* 张量翻转. Returns a view that is reversed along the given axes. An `axes` of NULL means all axes.
 * Also: OUT_OF_RANGE for an axis; INVALID_ARGUMENT for an axis that is named twice. */
SUANZI_API SuanziStatus suanzi_flip(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 一维张量扩充. Returns the grid of coordinates along `count` axes (vectors). results[i], of shape (n0, n1, ...), varies only
 * along axis i. If `cartesian` is true, the function swaps the first two axes. Each result is a view with the element
 * type of its coordinates. On failure, all results are NULL.
 * Also: DIMENSIONS_MISMATCH for tensors of more than one dimension. */
SUANZI_API SuanziStatus suanzi_meshgrid(const SuanziTensor* tensors, int64_t count, bool cartesian,
                                        SuanziTensor* results);

/* 张量选择. Returns the result of suanzi_gather for an index of one or two dimensions.
 * Also: OUT_OF_RANGE for the axis and for an index, DIMENSIONS_MISMATCH for an index of another rank. */
SUANZI_API SuanziStatus suanzi_index_select(const SuanziTensor x, const SuanziTensor index, int64_t axis,
                                            SuanziTensor* y);

SUANZI_END

#endif
