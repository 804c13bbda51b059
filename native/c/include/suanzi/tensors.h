/* Some functions of this header return messages and versions, or make scalars as operands. The other functions return
 * the properties of a tensor (chapter 6), read a tensor's elements, or return the parts of sparse and quantized
 * tensors. The rules are in suanzi.h. */
#ifndef SUANZI_TENSORS_H
#define SUANZI_TENSORS_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* --- the library --- */

/* Returns the SUANZI_C_VERSION for which the library was built. */
SUANZI_API int32_t suanzi_c_version(void);

/* Returns the name and version of the implementation, for reports, such as "suanzi 0.1.0". The pointer is never
 * NULL. */
SUANZI_API const char* suanzi_implementation(void);

/* Returns the message of the last call of this thread that failed, such as "add: shapes (2, 3) and (2,) do not
 * broadcast", in UTF-8. The text is empty if no call has failed. The pointer is never NULL, and is valid until the next
 * failing call of this thread. Successful calls do not change the message. */
SUANZI_API const char* suanzi_last_message(void);

/* Returns the standard's name of a status, such as "STATUS_SUCCESS", or "STATUS_UNKNOWN" for any other number. */
SUANZI_API const char* suanzi_status_name(SuanziStatus status);

/* --- scalars as operands (5.7) --- */

/* Makes an operand of a number or a string. Within the number's kind, the operand has the element type of the tensor
 * beside the operand. A tensor plus a scalar therefore keeps the tensor's type if this type can represent the kind.
 * Elementwise operators accept scalars for any operand, but not for all operands. scatter accepts a scalar for its
 * updates. All other functions return TYPE_MISMATCH for a scalar. suanzi_full creates a tensor from a scalar.
 * suanzi_scalar copies the bytes of a string.
 * Also: INVALID_ARGUMENT for a string that is not UTF-8. */
SUANZI_API SuanziStatus suanzi_scalar(const SuanziScalar* value, SuanziTensor* y);

/* --- properties of a tensor (chapter 6), except the operators shape, size and rank in creation.h --- */

/* Returns the kind of a tensor. The kind is one of SUANZI_KIND_... */
SUANZI_API SuanziStatus suanzi_kind(const SuanziTensor x, int32_t* kind);

/* Returns the element type. The element type of a quantized tensor is the type of its codes, and the element type of a
 * sparse tensor is the type of its values. */
SUANZI_API SuanziStatus suanzi_dtype(const SuanziTensor x, SuanziDType* dtype);

/* Returns the number of bytes in an element of a type. This number is from 1 to 16. */
SUANZI_API SuanziStatus suanzi_dtype_size(SuanziDType dtype, int64_t* bytes);

/* Returns a pointer to the sizes (*dims)[0 .. rank-1], which are read-only and valid as long as the handle lives. For
 * rank 0 the pointer is not NULL, but must not be read. suanzi_shape copies the sizes. */
SUANZI_API SuanziStatus suanzi_dims(const SuanziTensor x, const int64_t** dims);

/* Returns the device (6.5). */
SUANZI_API SuanziStatus suanzi_device(const SuanziTensor x, SuanziDevice* device);

/* Returns the storage format, and writes the logical order to order[0 .. rank-1]. `count` must be the rank.
 * Also: DIMENSIONS_MISMATCH if `count` is not the rank. */
SUANZI_API SuanziStatus suanzi_layout(const SuanziTensor x, int32_t* storage, int64_t* order, int64_t count);

/* Writes the distances, in elements, between neighbours along each dimension to strides[0 .. rank-1]. Distances are
 * negative or 0 in some views. Accepts dense tensors, and quantized tensors (the strides of their codes).
 * Also: DIMENSIONS_MISMATCH if `count` is not the rank. */
SUANZI_API SuanziStatus suanzi_strides(const SuanziTensor x, int64_t* strides, int64_t count);

/* --- extension (6.6) --- */

/* Returns the name of the manager of the memory. The name is "suanzi" (the implementation), or "external" for memory
 * that a caller has passed to suanzi_from_reference. The text lives as long as the library. */
SUANZI_API SuanziStatus suanzi_allocator(const SuanziTensor x, const char** name);

/* Attaches a pointer to the handle (not to the handle's memory), after the function has released the previous pointer.
 * When a caller sets another pointer or destroys the handle, the library calls `release`, which may be NULL, once with
 * the pointer. Results of operators have no pointer. */
SUANZI_API SuanziStatus suanzi_set_user_data(const SuanziTensor x, void* data, void (*release)(void* data));

/* Returns the pointer of the last suanzi_set_user_data call, or NULL if the handle has no pointer. */
SUANZI_API SuanziStatus suanzi_user_data(const SuanziTensor x, void** data);

/* --- elements --- */

/* Returns the address of the element at index (0, ..., 0) of a dense tensor. The strides lead from this address to the
 * other elements. The address is not NULL, but the caller must not read from the address if the tensor has no elements.
 * All tensors on the same memory have the elements that a caller writes to this address. Elements of string tensors are
 * read-only. */
SUANZI_API SuanziStatus suanzi_data(const SuanziTensor x, void** data);

/* Copies all elements of a dense tensor to `buffer`. The last dimension varies fastest. `bytes` must be exactly the
 * size times suanzi_dtype_size. Strings are SuanziStrings, whose bytes live as long as the tensor's memory.
 * Also: DIMENSIONS_MISMATCH if `bytes` is another number. */
SUANZI_API SuanziStatus suanzi_read(const SuanziTensor x, void* buffer, int64_t bytes);

/* --- sparse tensors of coordinates (COO), or of compressed rows (CSR) with two dimensions --- */

/* Returns the number of stored elements, and true if the tensor has compressed rows. Either pointer may be NULL. */
SUANZI_API SuanziStatus suanzi_sparse_info(const SuanziTensor x, int64_t* nnz, bool* is_csr);

/* Returns a copy of the coordinates, (nnz, dimensions), or of the columns of compressed rows, (nnz,). If the caller
 * passed int16 or int32, the copy has this type, or a wider type if the sizes need a wider type. Otherwise, the copy
 * has the type int64. */
SUANZI_API SuanziStatus suanzi_sparse_indices(const SuanziTensor x, SuanziTensor* y);

/* Returns a copy of the positions at which compressed rows start among the elements, and of the end of the last row.
 * Also: TYPE_MISMATCH for coordinates. */
SUANZI_API SuanziStatus suanzi_sparse_indptr(const SuanziTensor x, SuanziTensor* y);

/* Returns the stored elements in the order of the indices, of shape (nnz, ...). The result shares memory with x. */
SUANZI_API SuanziStatus suanzi_sparse_values(const SuanziTensor x, SuanziTensor* y);

/* Returns the dense tensor of the same elements, including zeros, in the logical order of the layout. The function adds
 * elements with the same coordinates. */
SUANZI_API SuanziStatus suanzi_to_dense(const SuanziTensor x, SuanziTensor* y);

/* --- quantized tensors --- */

/* Returns the quantized type, the zero point and the axis of the channels. The axis is -1 for a tensor without
 * channels. Each pointer may be NULL. */
SUANZI_API SuanziStatus suanzi_quantized_info(const SuanziTensor x, SuanziQuantizedType* type, int64_t* zero_point,
                                              int64_t* axis);

/* Returns the codes as integers. The result shares memory with x. */
SUANZI_API SuanziStatus suanzi_quantized_codes(const SuanziTensor x, SuanziTensor* y);

/* Returns a copy of the scale, which is float32 and has the shape () or (channels,). */
SUANZI_API SuanziStatus suanzi_quantized_scale(const SuanziTensor x, SuanziTensor* y);

/* Returns the numbers that the codes represent, scale * (code - zero point), as correctly rounded float32. */
SUANZI_API SuanziStatus suanzi_dequantize(const SuanziTensor x, SuanziTensor* y);

SUANZI_END

#endif
