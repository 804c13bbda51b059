/* Creation and destruction of tensors (张量创建与销毁, 7.2.1), and the queries that give no tensor (张量查询与检查).
 * The rules are in suanzi.h.
 *
 * A tensor is described by the sizes of its dimensions, dims[0 .. rank-1] (rank 0: one element), its element type, its
 * device and its layout. A `dtype` of SUANZI_DTYPE_NONE is float32, a `device` of NULL the CPU, a `layout` of NULL the
 * default one. INVALID_ARGUMENT for a negative size, a device that there is not, and a layout that is sparse or whose
 * order is no permutation of the dimensions. */
#ifndef SUANZI_CREATION_H
#define SUANZI_CREATION_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 拷贝已有数据创建稠密张量 (7.2.1.1). A copy of `bytes` bytes at `data`, elements of `dtype` in the order of the memory
 * that the layout describes. Where they are fewer than the tensor has, the rest is 0; what is too long is cut off
 * (Table 3). NULL: the tensor is not initialised, and `bytes` is not looked at. Any byte of bool other than 0 becomes
 * 1; strings are copied with their bytes.
 * Also: INVALID_ARGUMENT for a negative length, for a part of a string, and for strings that are no UTF-8. */
SUANZI_API SuanziStatus suanzi_tensor(const void* data, int64_t bytes, const int64_t* dims, int64_t rank,
                                      SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                                      SuanziTensor* y);

/* 引用已有数据创建稠密张量 (7.2.1.2). On the memory at `data`, which has `bytes` bytes, at least as many as the tensor.
 * It must last until `release`, if that is not NULL, is called with `context`: once, by the thread that destroys the
 * last handle on the memory; not at all on failure. NULL data: not initialised, `release` is not kept.
 * Also: DIMENSIONS_MISMATCH where the memory is too short; INVALID_ARGUMENT where it is not aligned to the element
 * type, and for strings. */
SUANZI_API SuanziStatus suanzi_from_reference(void* data, int64_t bytes, const int64_t* dims, int64_t rank,
                                              SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                                              void (*release)(void* context), void* context, SuanziTensor* y);

/* 创建全零稠密张量 (7.2.1.3). Zeros; false; empty strings. */
SUANZI_API SuanziStatus suanzi_zeros(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                                     const SuanziLayout* layout, SuanziTensor* y);

/* 按指定值创建稠密张量 (7.2.1.4). Every element is `value`; NULL: 0.
 * Also: OUT_OF_RANGE where it does not fit the type, TYPE_MISMATCH for a fraction as an integer and the like. */
SUANZI_API SuanziStatus suanzi_full(const int64_t* dims, int64_t rank, const SuanziScalar* value, SuanziDType dtype,
                                    const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y);

/* 创建未初始化张量 (7.2.1.5). Any legal values. */
SUANZI_API SuanziStatus suanzi_empty(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                                     const SuanziLayout* layout, SuanziTensor* y);

/* 创建连续内存张量 (7.2.1.6). The elements one after the other in the default order: where x is so already, another
 * handle on its memory, else a copy. */
SUANZI_API SuanziStatus suanzi_contiguous(const SuanziTensor x, SuanziTensor* y);

/* 以均匀分布随机数创建稠密张量 (7.2.1.7). Floating: in [low, high); integers and bool: low to high, both included.
 * NULL: the least and the greatest number of the type. Seed 0 draws one from the system; every other gives the same
 * tensor each time.
 * Also: OUT_OF_RANGE for bounds that do not fit, INVALID_ARGUMENT where low is greater than high. */
SUANZI_API SuanziStatus suanzi_uniform(const int64_t* dims, int64_t rank, const SuanziScalar* low,
                                       const SuanziScalar* high, uint64_t seed, SuanziDType dtype,
                                       const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y);

/* 以正态分布随机数创建稠密张量 (7.2.1.8). Floating or complex. NULL: mean 0, deviation 1. The seed as of
 * suanzi_uniform.
 * Also: OUT_OF_RANGE for parameters that do not fit, INVALID_ARGUMENT for a negative deviation. */
SUANZI_API SuanziStatus suanzi_normal(const int64_t* dims, int64_t rank, const SuanziScalar* mean,
                                      const SuanziScalar* std, uint64_t seed, SuanziDType dtype,
                                      const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y);

/* 以伯努利分布创建稠密张量 (7.2.1.9). 1 with the probability that the element of p says, else 0; of the shape and type
 * of p, which is floating.
 * Also: INVALID_ARGUMENT for what is no probability. */
SUANZI_API SuanziStatus suanzi_bernoulli(const SuanziTensor p, uint64_t seed, SuanziTensor* y);

/* 以多项式分布创建稠密张量 (7.2.1.10). `num_samples` draws for each row of weights along the last axis of p: how often
 * each class was drawn, of the shape and type of p; or, with `indices`, the classes in the order of the draws, int64 of
 * shape (..., num_samples).
 * Also: DIMENSIONS_MISMATCH for rank 0; INVALID_ARGUMENT for weights that are negative or not finite, rows without a
 * positive one, and more draws than that without replacement; OUT_OF_RANGE for counts that the type of p does not hold.
 */
SUANZI_API SuanziStatus suanzi_multinomial(const SuanziTensor p, int64_t num_samples, bool replacement, uint64_t seed,
                                           bool indices, SuanziTensor* y);

/* 创建随机排列的一维稠密张量 (7.2.1.11). 0, 1, ..., n-1 in random order, of shape (n,).
 * Also: INVALID_ARGUMENT for an n below 1, OUT_OF_RANGE where the type does not hold n-1. */
SUANZI_API SuanziStatus suanzi_randperm(int64_t n, SuanziDType dtype, uint64_t seed, const SuanziDevice* device,
                                        SuanziTensor* y);

/* 以数字序列创建稠密张量 (7.2.1.12). start, start + step, ... as far as stop, which is left out. NULL start: 0; NULL
 * step: 1.
 * Also: INVALID_ARGUMENT for a step of 0, OUT_OF_RANGE for numbers past the type. */
SUANZI_API SuanziStatus suanzi_arange(const SuanziScalar* start, const SuanziScalar* stop, const SuanziScalar* step,
                                      SuanziDType dtype, const SuanziDevice* device, SuanziTensor* y);

/* 创建线性空间均匀分布稠密张量 (7.2.1.13). `num` numbers from start to stop, both included; floating or complex.
 * Also: INVALID_ARGUMENT for a negative number of them, and ends that are not finite in the type. */
SUANZI_API SuanziStatus suanzi_linspace(const SuanziScalar* start, const SuanziScalar* stop, int64_t num,
                                        SuanziDType dtype, const SuanziDevice* device, SuanziTensor* y);

/* 创建稀疏张量 (7.2.1.14). Everything is copied. `indices`: integers of shape (nnz, rank), the coordinates; with
 * `indptr`, which may be NULL, (nnz,) columns, row by row, and indptr (rows + 1,) says where each row starts and the
 * end. `values`: (nnz,), or (nnz, ...), which gives further dimensions. nnz of -1 follows from the indices. A layout
 * must be sparse; its order is that of suanzi_to_dense. A `dtype` of SUANZI_DTYPE_NONE is the type of the values; another
 * one must hold each of them.
 * Also: DIMENSIONS_MISMATCH for shapes that do not fit, OUT_OF_RANGE for indices outside the dimensions and for values
 * past the type, TYPE_MISMATCH for a fraction as an integer, a complex number as a real one and strings. */
SUANZI_API SuanziStatus suanzi_sparse_tensor(const int64_t* dims, int64_t rank, const SuanziTensor indices,
                                             const SuanziTensor values, int64_t nnz, const SuanziTensor indptr,
                                             SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                                             SuanziTensor* y);

/* 创建量化张量 (7.2.1.15). `data`: floating numbers, which are rounded to the nearest code (half to even, saturating);
 * or integers, which are codes; NULL: zeros. It has the shape dims, or one dimension or none, and then fills the memory
 * from the start; the rest is 0. `scale`: NULL, or real numbers of shape (), or (channels,) for types per channel,
 * rounded to float32; NULL scale and zero point: of numbers the finest that cover them, of codes 1 and 0. `axis` of the
 * channels, NULL: 0.
 * Also: DIMENSIONS_MISMATCH for shapes that do not fit; OUT_OF_RANGE for codes past the type and scales that are not
 * positive and finite; INVALID_ARGUMENT for NaN, a zero point of a symmetric type, or one without a scale. */
SUANZI_API SuanziStatus suanzi_quantized_tensor(const int64_t* dims, int64_t rank, const SuanziTensor data,
                                                const SuanziTensor scale, const int64_t* zero_point,
                                                const int64_t* axis, SuanziQuantizedType type,
                                                const SuanziDevice* device, const SuanziLayout* layout,
                                                SuanziTensor* y);

/* 复制张量. In memory of its own, of the layout of x. Any kind but scalars. */
SUANZI_API SuanziStatus suanzi_clone(const SuanziTensor x, SuanziTensor* y);

/* 复制对角线元素创建张量. Of a matrix diagonal `offset` (above the main one where it is positive), a vector;
 * of a vector the matrix that has it on that diagonal, zeros elsewhere.
 * Also: DIMENSIONS_MISMATCH for other ranks. */
SUANZI_API SuanziStatus suanzi_diag(const SuanziTensor x, int64_t offset, SuanziTensor* y);

/* 销毁张量. Ends the handle and makes *x NULL; the memory is freed with the last handle on it. Any kind. A
 * *x that is NULL is UNINITIALIZED_OBJECT and does nothing, so that what may not have been made can be destroyed as
 * well. Copies of the handle that somebody kept must not be used any more. */
SUANZI_API SuanziStatus suanzi_destroy(SuanziTensor* x);

/* --- queries (Table 2, 张量查询与检查): of any kind but scalars; isfinite, isinf and isnan are in elementwise.h --- */

/* 形状查询. The sizes in dims[0 .. rank-1], where `count` is the rank.
 * Also: DIMENSIONS_MISMATCH where `count` is not the rank. */
SUANZI_API SuanziStatus suanzi_shape(const SuanziTensor x, int64_t* dims, int64_t count);

/* 元素个数检查. The product of the sizes, stored or not; OUT_OF_RANGE for a sparse tensor where it is past 64 bits. */
SUANZI_API SuanziStatus suanzi_size(const SuanziTensor x, int64_t* size);

/* 秩查询. The number of dimensions. */
SUANZI_API SuanziStatus suanzi_rank(const SuanziTensor x, int64_t* rank);

/* 连续内存检查. True if the elements of a dense tensor are contiguous in the default order. */
SUANZI_API SuanziStatus suanzi_is_contiguous(const SuanziTensor x, bool* contiguous);

SUANZI_END

#endif
