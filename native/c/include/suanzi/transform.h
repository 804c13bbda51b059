/* Shapes, joining, padding, gathering, scattering (张量转换, Table 2). The rules are in suanzi.h. Operands are dense
 * tensors of any element type, strings too. sign, clip and where, which work element by element, are in elementwise.h.
 * "A view" shares the memory of x; what is not called so has memory of its own. */
#ifndef SUANZI_TRANSFORM_H
#define SUANZI_TRANSFORM_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 转换数据类型. A copy in another element type, of the layout of x: floating types round to nearest, fractions are cut
 * off on the way to integers, integers keep their low bits, what is not 0 is true.
 * Also: TYPE_MISMATCH between strings and numbers, and from complex to real; INVALID_ARGUMENT for SUANZI_DTYPE_NONE. */
SUANZI_API SuanziStatus suanzi_astype(const SuanziTensor x, SuanziDType dtype, SuanziTensor* y);

/* 改变张量形状. As many elements in the same row-major order; one size may be -1 and follows from the others. A view
 * where strides allow one.
 * Also: DIMENSIONS_MISMATCH. */
SUANZI_API SuanziStatus suanzi_reshape(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y);

/* 扩展维度. Dimensions of size 1 at these axes of y. A view.
 * Also: OUT_OF_RANGE; INVALID_ARGUMENT for an axis that is named twice. */
SUANZI_API SuanziStatus suanzi_expand_dims(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 删除维度. Without these axes, of size 1; NULL: without all such. A view.
 * Also: DIMENSIONS_MISMATCH for another size, OUT_OF_RANGE. */
SUANZI_API SuanziStatus suanzi_squeeze(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 张量转置. Dimension i of y is axes[i] of x; NULL: in reverse order. A view.
 * Also: DIMENSIONS_MISMATCH where `count` is not the rank, OUT_OF_RANGE. */
SUANZI_API SuanziStatus suanzi_transpose(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 张量分拆. Along an axis into `count` parts, parts[0 .. count-1], of these sizes; NULL: of equal size, or, if
 * `uneven`, the first ones longer by one where that does not divide. Views. On failure all parts are NULL.
 * Also: DIMENSIONS_MISMATCH where sizes do not add up or equal ones do not divide; OUT_OF_RANGE for the axis;
 * INVALID_ARGUMENT for a negative size, a `count` below 1 of equal parts, and `uneven` with sizes. */
SUANZI_API SuanziStatus suanzi_split(const SuanziTensor x, const int64_t* sizes, int64_t count, int64_t axis,
                                     bool uneven, SuanziTensor* parts);

/* 张量合并. One after the other along an axis; NULL axis: flattened first. Element types promote.
 * Also: DIMENSIONS_MISMATCH, OUT_OF_RANGE; INVALID_ARGUMENT for no tensors. */
SUANZI_API SuanziStatus suanzi_concat(const SuanziTensor* tensors, int64_t count, const int64_t* axis, SuanziTensor* y);

/* 张量堆叠. Tensors of one shape along a new axis of y.
 * Also: DIMENSIONS_MISMATCH, OUT_OF_RANGE; INVALID_ARGUMENT for no tensors. */
SUANZI_API SuanziStatus suanzi_stack(const SuanziTensor* tensors, int64_t count, int64_t axis, SuanziTensor* y);

/* 张量拆堆. The slices along an axis, without it, in parts[0 .. count-1]; `count` is the size of the axis. Views. On
 * failure all parts are NULL.
 * Also: DIMENSIONS_MISMATCH where `count` is another number, OUT_OF_RANGE. */
SUANZI_API SuanziStatus suanzi_unstack(const SuanziTensor x, int64_t axis, int64_t count, SuanziTensor* parts);

/* 张量切片. x[begin:end:stride] along each of these axes. Bounds count from the end where they are negative; what lies
 * past the tensor is cut off, so that INT64_MAX is the end, and INT64_MIN what is before the start. NULL `stride`: 1;
 * NULL `axes`: the first `count`. A view.
 * Also: DIMENSIONS_MISMATCH for more axes than there are, OUT_OF_RANGE; INVALID_ARGUMENT for a stride of 0. */
SUANZI_API SuanziStatus suanzi_slice(const SuanziTensor x, const int64_t* begin, const int64_t* end,
                                     const int64_t* stride, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 张量重复. The whole tensor so often along each axis; for the last axes where there are fewer numbers than dimensions; where there are more, x gets new axes in front. */
SUANZI_API SuanziStatus suanzi_tile(const SuanziTensor x, const int64_t* repetitions, int64_t count, SuanziTensor* y);

/* 张量补全. before[i] and after[i] elements at the ends of axis i; `count` is the rank. `value` is the constant, NULL:
 * 0.
 * Also: DIMENSIONS_MISMATCH; INVALID_ARGUMENT for negative widths and nothing to repeat; OUT_OF_RANGE for the value.
 *
 * 
 *
 *  */
enum {
  SUANZI_PAD_CONSTANT = 0,
  SUANZI_PAD_EDGE = 1,      /* the outermost elements */
  SUANZI_PAD_REFLECT = 2,   /* mirrored about the outermost elements */
  SUANZI_PAD_SYMMETRIC = 3, /* mirrored about their edge */
  SUANZI_PAD_WRAP = 4       /* from the other end */
};
SUANZI_API SuanziStatus suanzi_pad(const SuanziTensor x, const int64_t* before, const int64_t* after, int64_t count,
                                   int32_t mode, const SuanziScalar* value, SuanziTensor* y);

/* 张量逆序变换. Backwards along these axes, NULL: all; a view. With `lengths` (one axis): of slice i of `batch_axis`
 * the first lengths[i] elements along the axis alone.
 * Also: OUT_OF_RANGE; DIMENSIONS_MISMATCH for a wrong number of lengths or axes. */
SUANZI_API SuanziStatus suanzi_reverse(const SuanziTensor x, const int64_t* axes, int64_t count, const int64_t* lengths,
                                       int64_t length_count, int64_t batch_axis, SuanziTensor* y);

/* 张量循环滚动变换. By shifts[i] along axes[i], what leaves at the end coming back at the start. NULL axes: by one
 * shift (`count` is 1) along the row of all elements.
 * Also: DIMENSIONS_MISMATCH, OUT_OF_RANGE. */
SUANZI_API SuanziStatus suanzi_roll(const SuanziTensor x, const int64_t* shifts, const int64_t* axes, int64_t count,
                                    SuanziTensor* y);

/* 张量形状裁剪. The box of sizes `dims` that begins at `offsets`, for each dimension; a size of -1 reaches to the end.
 * A view.
 * Also: DIMENSIONS_MISMATCH where `count` is not the rank, OUT_OF_RANGE where the box leaves x. */
SUANZI_API SuanziStatus suanzi_crop(const SuanziTensor x, const int64_t* offsets, const int64_t* dims, int64_t count,
                                    SuanziTensor* y);

/* 张量聚集. The slices of x along an axis that the integers of `index` name, negative ones from the end: the shape of x
 * with that axis replaced by the shape of `index`.
 * Also: OUT_OF_RANGE for the axis and for an index. */
SUANZI_API SuanziStatus suanzi_gather(const SuanziTensor x, const SuanziTensor index, int64_t axis, SuanziTensor* y);

/* 张量发散更新. A copy of x in which, for each element of `index` (of the rank of x, no larger along the other axes),
 * the element at that place along the axis takes the update at the same position. Updates broadcast to the index, may
 * be a scalar, and promote to the type of x. Of several updates of one element each is done, in row-major order.
 * Also: OUT_OF_RANGE, DIMENSIONS_MISMATCH. */
enum {
  SUANZI_SCATTER_UPDATE = 0,
  SUANZI_SCATTER_ADD = 1,
  SUANZI_SCATTER_MUL = 2,
  SUANZI_SCATTER_MIN = 3,
  SUANZI_SCATTER_MAX = 4
};
SUANZI_API SuanziStatus suanzi_scatter(const SuanziTensor x, const SuanziTensor index, const SuanziTensor updates,
                                       int64_t axis, int32_t mode, SuanziTensor* y);

/* 扩展张量. Broadcast to a shape; -1 keeps a size. A view, whose strides along repeated dimensions are 0.
 * Also: DIMENSIONS_MISMATCH. */
SUANZI_API SuanziStatus suanzi_expand(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y);

/* 展平张量. One dimension instead of those from start_axis to stop_axis, both included (of all: 0 and -1). A view where
 * strides allow one.
 * Also: OUT_OF_RANGE, DIMENSIONS_MISMATCH. */
SUANZI_API SuanziStatus suanzi_flatten(const SuanziTensor x, int64_t start_axis, int64_t stop_axis, SuanziTensor* y);

/* 张量翻转. Reverses these axes, NULL: all. A view.
 * Also: OUT_OF_RANGE; INVALID_ARGUMENT for an axis that is named twice. */
SUANZI_API SuanziStatus suanzi_flip(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y);

/* 一维张量扩充. The grid of coordinates along `count` axes (vectors): results[i] varies along one axis
 * alone, the i-th, of shape (n0, n1, ...); if `cartesian`, the first two are swapped. Each of the element type of its
 * coordinates. Views. On failure all results are NULL.
 * Also: DIMENSIONS_MISMATCH for tensors of more than one dimension. */
SUANZI_API SuanziStatus suanzi_meshgrid(const SuanziTensor* tensors, int64_t count, bool cartesian,
                                        SuanziTensor* results);

/* 张量选择. suanzi_gather for an index of one or two dimensions.
 * Also: OUT_OF_RANGE, DIMENSIONS_MISMATCH. */
SUANZI_API SuanziStatus suanzi_index_select(const SuanziTensor x, const SuanziTensor index, int64_t axis,
                                            SuanziTensor* y);

SUANZI_END

#endif
