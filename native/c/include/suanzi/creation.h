/* Creation and destruction of tensors (张量创建与销毁, 7.2.1), and the queries that do not return a tensor (张量查询与检查). The
 * rules are in suanzi.h.
 *
 * The description of a tensor consists of the sizes of its dimensions, dims[0 .. rank-1], its element type, its device
 * and its layout. A tensor of rank 0 has one element. A `dtype` of SUANZI_DTYPE_NONE means float32, a `device` of NULL
 * means the CPU, and a `layout` of NULL means the default layout. All functions return INVALID_ARGUMENT for a negative
 * size, for a device that does not exist, and for an order that is not a permutation of the dimensions. All functions
 * except suanzi_sparse_tensor return INVALID_ARGUMENT for a sparse layout. */
#ifndef SUANZI_CREATION_H
#define SUANZI_CREATION_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* 拷贝已有数据创建稠密张量 (7.2.1.1). Copies `bytes` bytes at `data`, which are elements of `dtype` in the memory order of the
 * layout. Missing elements are 0, and surplus bytes are ignored (Table 3). If `data` is NULL, the tensor is not
 * initialised and `bytes` is ignored. Any byte of bool other than 0 becomes 1. The function copies strings with their
 * bytes.
 * Also: INVALID_ARGUMENT for a negative length, for a part of a string, and for strings that are not UTF-8. */
SUANZI_API SuanziStatus suanzi_tensor(const void* data, int64_t bytes, const int64_t* dims, int64_t rank,
                                      SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                                      SuanziTensor* y);

/* 引用已有数据创建稠密张量 (7.2.1.2). Creates a tensor on the memory at `data`, whose `bytes` bytes must suffice for the tensor. If
 * `release` is not NULL, the thread that destroys the last handle on the memory calls `release` once with `context`.
 * The memory must last until the call of `release`. After a failure, the library never calls `release`. If `data` is
 * NULL, the tensor is not initialised and `release` is ignored.
 * Also: DIMENSIONS_MISMATCH if the memory is too short; INVALID_ARGUMENT if the memory is not aligned to the element
 * type, and for strings. */
SUANZI_API SuanziStatus suanzi_from_reference(void* data, int64_t bytes, const int64_t* dims, int64_t rank,
                                              SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                                              void (*release)(void* context), void* context, SuanziTensor* y);

/* 创建全零稠密张量 (7.2.1.3). Creates a tensor of zeros, of false, or of empty strings. */
SUANZI_API SuanziStatus suanzi_zeros(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                                     const SuanziLayout* layout, SuanziTensor* y);

/* 按指定值创建稠密张量 (7.2.1.4). Creates a tensor whose elements all are `value`. A `value` of NULL means 0.
 * Also: OUT_OF_RANGE if the value does not fit the type; TYPE_MISMATCH for a fraction as an integer, for a complex
 * number as a real number, and between strings and numbers. */
SUANZI_API SuanziStatus suanzi_full(const int64_t* dims, int64_t rank, const SuanziScalar* value, SuanziDType dtype,
                                    const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y);

/* 创建未初始化张量 (7.2.1.5). Creates a tensor whose elements may have any legal values. */
SUANZI_API SuanziStatus suanzi_empty(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                                     const SuanziLayout* layout, SuanziTensor* y);

/* 创建连续内存张量 (7.2.1.6). Returns a tensor whose elements are contiguous in the default order. If x is contiguous, the
 * result is another handle on the memory of x. Otherwise, the result is a copy. */
SUANZI_API SuanziStatus suanzi_contiguous(const SuanziTensor x, SuanziTensor* y);

/* 以均匀分布随机数创建稠密张量 (7.2.1.7). Draws floating numbers from [low, high). Draws integers and bool from low to high,
 * including both bounds. A bound of NULL is the least or the greatest number of the type. Seed 0 draws a seed from the
 * system. Every other seed always returns the same tensor.
 * Also: OUT_OF_RANGE for bounds that do not fit the type, INVALID_ARGUMENT if low is greater than high. */
SUANZI_API SuanziStatus suanzi_uniform(const int64_t* dims, int64_t rank, const SuanziScalar* low,
                                       const SuanziScalar* high, uint64_t seed, SuanziDType dtype,
                                       const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y);

/* 以正态分布随机数创建稠密张量 (7.2.1.8). Draws floating or complex numbers. A `mean` of NULL means 0, and a `std` of NULL means 1.
 * The seed works as in suanzi_uniform.
 * Also: OUT_OF_RANGE for parameters that do not fit the type, INVALID_ARGUMENT for a negative deviation. */
SUANZI_API SuanziStatus suanzi_normal(const int64_t* dims, int64_t rank, const SuanziScalar* mean,
                                      const SuanziScalar* std, uint64_t seed, SuanziDType dtype,
                                      const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y);

/* 以伯努利分布创建稠密张量 (7.2.1.9). Draws 1 with the probability in the element of p, and 0 otherwise. The result has the shape
 * and type of p, which is floating. The seed works as in suanzi_uniform.
 * Also: INVALID_ARGUMENT for an element that is not a probability. */
SUANZI_API SuanziStatus suanzi_bernoulli(const SuanziTensor p, uint64_t seed, SuanziTensor* y);

/* 以多项式分布创建稠密张量 (7.2.1.10). Draws `num_samples` times for each row of weights along the last axis of p. Returns the
 * number of draws of each class, with the shape and type of p. If `indices` is true, the function returns the classes
 * in the order of the draws, as int64 of shape (..., num_samples). The seed works as in suanzi_uniform.
 * Also: DIMENSIONS_MISMATCH for rank 0; INVALID_ARGUMENT for a negative `num_samples`, for weights that are negative or
 * not finite, for rows without a positive weight, and for more draws than positive weights without replacement;
 * OUT_OF_RANGE for counts that the type of p cannot represent. */
SUANZI_API SuanziStatus suanzi_multinomial(const SuanziTensor p, int64_t num_samples, bool replacement, uint64_t seed,
                                           bool indices, SuanziTensor* y);

/* 创建随机排列的一维稠密张量 (7.2.1.11). Returns 0, 1, ..., n-1 in random order, of shape (n,). The seed works as in
 * suanzi_uniform.
 * Also: INVALID_ARGUMENT for an n below 1, OUT_OF_RANGE if the type cannot represent n-1. */
SUANZI_API SuanziStatus suanzi_randperm(int64_t n, SuanziDType dtype, uint64_t seed, const SuanziDevice* device,
                                        SuanziTensor* y);

/* 以数字序列创建稠密张量 (7.2.1.12). Returns start, start + step, ... up to stop, which is excluded. A start of NULL means 0, and
 * a step of NULL means 1.
 * Also: INVALID_ARGUMENT for a step of 0, OUT_OF_RANGE for numbers beyond the limits of the type. */
SUANZI_API SuanziStatus suanzi_arange(const SuanziScalar* start, const SuanziScalar* stop, const SuanziScalar* step,
                                      SuanziDType dtype, const SuanziDevice* device, SuanziTensor* y);

/* 创建线性空间均匀分布稠密张量 (7.2.1.13). Returns `num` evenly spaced floating or complex numbers from start to stop, both included.
 * Also: INVALID_ARGUMENT for a negative `num`, and for a start or stop that is not finite in the type. */
SUANZI_API SuanziStatus suanzi_linspace(const SuanziScalar* start, const SuanziScalar* stop, int64_t num,
                                        SuanziDType dtype, const SuanziDevice* device, SuanziTensor* y);

/* 创建稀疏张量 (7.2.1.14). Copies the arguments into a sparse tensor. If `indptr` is NULL, `indices` holds the coordinates,
 * which are integers of shape (nnz, rank). Otherwise, `indices` of shape (nnz,) holds the columns row by row, and
 * `indptr` of shape (rows + 1,) holds the start of each row and the end of the last row. `values` has the shape (nnz,),
 * or (nnz, ...) with further dimensions. For an nnz of -1, the indices determine the number of elements. The layout
 * must be sparse, and its order is the order of suanzi_to_dense. A `dtype` of SUANZI_DTYPE_NONE means the type of the
 * values. Any other type must be able to represent each value.
 * Also: DIMENSIONS_MISMATCH for shapes that do not fit; OUT_OF_RANGE for indices outside the dimensions and for values
 * beyond the limits of the type; TYPE_MISMATCH for strings, for a fraction as an integer and for a complex number as a
 * real number. */
SUANZI_API SuanziStatus suanzi_sparse_tensor(const int64_t* dims, int64_t rank, const SuanziTensor indices,
                                             const SuanziTensor values, int64_t nnz, const SuanziTensor indptr,
                                             SuanziDType dtype, const SuanziDevice* device, const SuanziLayout* layout,
                                             SuanziTensor* y);

/* 创建量化张量 (7.2.1.15). `data` holds floating numbers or integers, and NULL means zeros. Floating numbers are rounded to
 * the nearest code (half to even, saturating), and integers are codes. `data` has the shape dims, or at most one
 * dimension. Data of another shape than dims fill the memory from the start, and zeros follow. `scale` is NULL, or
 * holds real numbers, which the function rounds to float32. The shape of the scale is (), or (channels,) for types per
 * channel. If the scale and the zero point are NULL, the function chooses the finest scale and zero point that cover
 * the floating numbers, or the scale 1 and the zero point 0 for codes. `axis` is the axis of the channels, and NULL
 * means 0.
 * Also: DIMENSIONS_MISMATCH for shapes that do not fit; OUT_OF_RANGE for codes beyond the limits of the type and for
 * scales that are not positive and finite; INVALID_ARGUMENT for NaN, for a zero point of a symmetric type, and for a
 * zero point without a scale. */
SUANZI_API SuanziStatus suanzi_quantized_tensor(const int64_t* dims, int64_t rank, const SuanziTensor data,
                                                const SuanziTensor scale, const int64_t* zero_point,
                                                const int64_t* axis, SuanziQuantizedType type,
                                                const SuanziDevice* device, const SuanziLayout* layout,
                                                SuanziTensor* y);

/* 复制张量. Copies a tensor of any kind except scalars to new memory with the layout of x. */
SUANZI_API SuanziStatus suanzi_clone(const SuanziTensor x, SuanziTensor* y);

/* 复制对角线元素创建张量. Returns diagonal `offset` of a matrix (above the main diagonal if positive) as a vector. For a vector,
 * the function returns a matrix with the vector on this diagonal and zeros elsewhere.
 * Also: DIMENSIONS_MISMATCH for other ranks. */
SUANZI_API SuanziStatus suanzi_diag(const SuanziTensor x, int64_t offset, SuanziTensor* y);

/* 销毁张量. Destroys a handle of any kind and sets *x to NULL. The destruction of the last handle on the memory frees the
 * memory. For an *x of NULL, the call returns UNINITIALIZED_OBJECT and does nothing, so a program may destroy handles
 * that it may not have created. After the call, no code may use copies of the handle. */
SUANZI_API SuanziStatus suanzi_destroy(SuanziTensor* x);

/* --- queries (Table 2, 张量查询与检查) of tensors of any kind except scalars (isfinite, isinf and isnan are in elementwise.h)
 * --- */

/* 形状查询. Writes the sizes to dims[0 .. rank-1]. `count` must be the rank.
 * Also: DIMENSIONS_MISMATCH if `count` is not the rank. */
SUANZI_API SuanziStatus suanzi_shape(const SuanziTensor x, int64_t* dims, int64_t count);

/* 元素个数检查. Returns the product of the sizes. For a sparse tensor, the product also counts the elements that are not
 * stored.
 * Also: OUT_OF_RANGE if the product for a sparse tensor exceeds 64 bits. */
SUANZI_API SuanziStatus suanzi_size(const SuanziTensor x, int64_t* size);

/* 秩查询. Returns the number of dimensions. */
SUANZI_API SuanziStatus suanzi_rank(const SuanziTensor x, int64_t* rank);

/* 连续内存检查. Returns true if the elements of a dense tensor are contiguous in the default order. */
SUANZI_API SuanziStatus suanzi_is_contiguous(const SuanziTensor x, bool* contiguous);

SUANZI_END

#endif
