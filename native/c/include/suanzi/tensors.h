/* Handles: messages and versions; scalars as operands; what a tensor is made of (chapter 6); reading its elements; the
 * parts of sparse and quantized tensors. The rules are in suanzi.h. */
#ifndef SUANZI_TENSORS_H
#define SUANZI_TENSORS_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* --- the library --- */

/* The SUANZI_C_VERSION that the library was built for. */
SUANZI_API int32_t suanzi_c_version(void);

/* Name and version of the implementation, for reports: "suanzi 0.1.0". Never NULL. */
SUANZI_API const char* suanzi_implementation(void);

/* The message of the last call of this thread that failed: "add: shapes (2, 3) and (2,) do not broadcast", UTF-8;
 * empty if none has. Never NULL; valid until the next call of this thread that fails. Calls that succeed leave it. */
SUANZI_API const char* suanzi_last_message(void);

/* The standard's name of a status, "STATUS_SUCCESS"; of another number "STATUS_UNKNOWN". */
SUANZI_API const char* suanzi_status_name(SuanziStatus status);

/* --- scalars as operands (5.7) --- */

/* A number or a string as an operand: y takes the element type of the tensor beside it within the number's kind, so
 * that a tensor plus a scalar keeps the tensor's type wherever that can hold the kind. Elementwise operators take it
 * for any operand, but not for all of them; scatter for its updates. For all others it is TYPE_MISMATCH; suanzi_full
 * makes a tensor. The bytes of a string are copied.
 * Also: INVALID_ARGUMENT for a string that is no UTF-8. */
SUANZI_API SuanziStatus suanzi_scalar(const SuanziScalar* value, SuanziTensor* y);

/* --- what a tensor is (chapter 6); shape, size and rank are operators, in creation.h --- */

/* One of SUANZI_KIND_... */
SUANZI_API SuanziStatus suanzi_kind(const SuanziTensor x, int32_t* kind);

/* The element type; of a quantized tensor that of its codes; of a sparse one that of its values. */
SUANZI_API SuanziStatus suanzi_dtype(const SuanziTensor x, SuanziDType* dtype);

/* Bytes of an element of a type: 1 to 16. */
SUANZI_API SuanziStatus suanzi_dtype_size(SuanziDType dtype, int64_t* bytes);

/* The sizes in (*dims)[0 .. rank-1] without a copy, for reading alone, as long as the handle lives; not NULL, but not to
 * be read for rank 0. suanzi_shape copies them. */
SUANZI_API SuanziStatus suanzi_dims(const SuanziTensor x, const int64_t** dims);

/* The device (6.5). */
SUANZI_API SuanziStatus suanzi_device(const SuanziTensor x, SuanziDevice* device);

/* The storage format, and the logical order in order[0 .. rank-1], where `count` is the rank.
 * Also: DIMENSIONS_MISMATCH where `count` is not the rank. */
SUANZI_API SuanziStatus suanzi_layout(const SuanziTensor x, int32_t* storage, int64_t* order, int64_t count);

/* The distances, in elements, between neighbours along each dimension, negative or 0 in some views, in strides[0 ..
 * rank-1]. Takes dense tensors, and quantized ones (their codes).
 * Also: DIMENSIONS_MISMATCH where `count` is not the rank. */
SUANZI_API SuanziStatus suanzi_strides(const SuanziTensor x, int64_t* strides, int64_t count);

/* --- extension (6.6) --- */

/* The manager of the memory: "suanzi" (the implementation), or "external" for memory given to suanzi_from_reference.
 * The text lives as long as the library. */
SUANZI_API SuanziStatus suanzi_allocator(const SuanziTensor x, const char** name);

/* Attaches a pointer to the handle, not to its memory; the former one is released first. `release`, which may be NULL,
 * is called with it once, when another is set or the handle is destroyed. Results of operators have none. */
SUANZI_API SuanziStatus suanzi_set_user_data(const SuanziTensor x, void* data, void (*release)(void* data));

/* The pointer that was set last; NULL where none was. */
SUANZI_API SuanziStatus suanzi_user_data(const SuanziTensor x, void** data);

/* --- elements --- */

/* The address of the element at index (0, ..., 0) of a dense tensor, from where strides lead to the others; not NULL,
 * but not to be read where there are no elements. What is written there shows in every tensor on the same memory.
 * Elements of strings are for reading alone. */
SUANZI_API SuanziStatus suanzi_data(const SuanziTensor x, void** data);

/* Copies all elements of a dense tensor, last dimension fastest, to `buffer`, which has room for `bytes` bytes: size
 * times suanzi_dtype_size, exactly. Strings are SuanziStrings, whose bytes live as long as the tensor's memory.
 * Also: DIMENSIONS_MISMATCH where `bytes` is another number. */
SUANZI_API SuanziStatus suanzi_read(const SuanziTensor x, void* buffer, int64_t bytes);

/* --- sparse tensors: of coordinates (COO), or of compressed rows (CSR) of two dimensions --- */

/* The number of elements that are stored, and whether they are compressed rows. Either pointer may be NULL. */
SUANZI_API SuanziStatus suanzi_sparse_info(const SuanziTensor x, int64_t* nnz, bool* is_csr);

/* Coordinates, of shape (nnz, dimensions), or of compressed rows the columns, (nnz,), in the integer type in which they
 * were given; a copy. */
SUANZI_API SuanziStatus suanzi_sparse_indices(const SuanziTensor x, SuanziTensor* y);

/* The start of each of the compressed rows among the elements, and the end; a copy.
 * Also: TYPE_MISMATCH for coordinates. */
SUANZI_API SuanziStatus suanzi_sparse_indptr(const SuanziTensor x, SuanziTensor* y);

/* The stored elements in the order of the indices, (nnz, ...); shares memory. */
SUANZI_API SuanziStatus suanzi_sparse_values(const SuanziTensor x, SuanziTensor* y);

/* The dense tensor of the same elements, zeros included, in the logical order of the layout. Elements with the same
 * coordinates add up. */
SUANZI_API SuanziStatus suanzi_to_dense(const SuanziTensor x, SuanziTensor* y);

/* --- quantized tensors --- */

/* The quantized type, the zero point and the axis of the channels, -1 where there are none. Each pointer may be NULL. */
SUANZI_API SuanziStatus suanzi_quantized_info(const SuanziTensor x, SuanziQuantizedType* type, int64_t* zero_point,
                                              int64_t* axis);

/* The codes, as integers; shares memory. */
SUANZI_API SuanziStatus suanzi_quantized_codes(const SuanziTensor x, SuanziTensor* y);

/* The scale: float32, of shape (), or (channels,); shares memory. */
SUANZI_API SuanziStatus suanzi_quantized_scale(const SuanziTensor x, SuanziTensor* y);

/* The numbers that the codes stand for, scale * (code - zero point), in float32, correctly rounded. */
SUANZI_API SuanziStatus suanzi_dequantize(const SuanziTensor x, SuanziTensor* y);

SUANZI_END

#endif
