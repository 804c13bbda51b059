/* With suanzi/aitisa.h, programs that were written for aitisa_api, the C library of the standard's authors, run on
 * libsuanzi.
 *
 * Include this header instead of the headers of aitisa_api. Names, types and status numbers are the same as in
 * aitisa_api (github.com/pku-hpc/aitisa_api at b72133a: src/core, src/basic, src/math and src/nn/tanh.h). The names
 * have no prefix, so suanzi.h does not include this header. The functions are static inline.
 *
 * As in aitisa_api:
 *   - Tensors are contiguous, the last dimension varies fastest, and no two tensors share memory.
 *   - A result has the element type of its operands. Functions return STATUS_TYPE_MISMATCH for different types.
 *   - aitisa_create becomes the owner of `data`, which must come from malloc. aitisa_destroy frees this memory.
 * Different from aitisa_api:
 *   - Shapes broadcast (5.4). Functions return STATUS_DIMENSIONS_MISMATCH for shapes that do not fit.
 *   - An integer divided by 0 is 0.
 *   - aitisa_cast to the same type makes a copy.
 *   - aitisa_slice keeps empty dimensions.
 *   - aitisa_full returns STATUS_OUT_OF_RANGE for a value outside the range of the element type, as 1e300 for float.
 *   - suanzi_last_message() returns the reason of a failure, except for arguments that this header checks itself, such
 *     as operands of two element types.
 * The header supports only the functions of aitisa_api that T/AI 137.1 also defines. Storage, allocators, and the
 * operators of src/nn except tanh are missing. */
#ifndef SUANZI_AITISA_H
#define SUANZI_AITISA_H

#include <stdlib.h>
#include <string.h>

#include "suanzi.h"

SUANZI_BEGIN

/* --- types --- */

typedef enum {
  STATUS_SUCCESS,
  STATUS_TYPE_MISMATCH,
  STATUS_DIMENSIONS_MISMATCH,
  STATUS_INVALID_ARGUMENT,
  STATUS_NOT_SUPPORTED,
  STATUS_ALLOC_FAILED,
  STATUS_OUT_OF_RANGE,
  STATUS_INTERNAL_ERROR,
  STATUS_MATH_ERROR
} Status;

#ifndef CHECK_STATUS
#define CHECK_STATUS(status)                       \
  do {                                             \
    const Status status_ = (status);               \
    if (status_ != STATUS_SUCCESS) return status_; \
  } while (0)
#endif

typedef enum {
  TYPE_INT8,
  TYPE_UINT8,
  TYPE_INT16,
  TYPE_UINT16,
  TYPE_INT32,
  TYPE_UINT32,
  TYPE_INT64,
  TYPE_UINT64,
  TYPE_FLOAT,
  TYPE_DOUBLE,
  TYPE_NTYPES
} TypeCode;
typedef struct {
  TypeCode code;
  uint8_t size; /* the bytes of an element */
} DataType;
static const DataType kInt8 = {TYPE_INT8, 1}, kUint8 = {TYPE_UINT8, 1}, kInt16 = {TYPE_INT16, 2},
                      kUint16 = {TYPE_UINT16, 2}, kInt32 = {TYPE_INT32, 4}, kUint32 = {TYPE_UINT32, 4},
                      kInt64 = {TYPE_INT64, 8}, kUint64 = {TYPE_UINT64, 8}, kFloat = {TYPE_FLOAT, 4},
                      kDouble = {TYPE_DOUBLE, 8};

typedef enum { DEVICE_CPU, DEVICE_CUDA } DeviceType;
typedef struct {
  DeviceType type;
  int id;
} Device;

typedef enum { LAYOUT_DENSE, LAYOUT_SPARSE } LayoutType;
typedef struct {
  LayoutType type;
  int64_t* min2maj; /* the read-only logical order, beginning with the dimension that varies fastest */
} Layout;
typedef struct {
  int64_t ndim;
  int64_t* dims; /* the read-only sizes, which are valid as long as the tensor lives */
  Layout layout;
} Shape;

typedef SuanziTensor Tensor;

/* --- conversion of numbers between the two libraries --- */

static inline Status aitisa_status(SuanziStatus status) {
  static const Status theirs[] = {STATUS_SUCCESS,          STATUS_TYPE_MISMATCH,    STATUS_DIMENSIONS_MISMATCH,
                                  STATUS_INVALID_ARGUMENT, STATUS_INVALID_ARGUMENT, STATUS_ALLOC_FAILED,
                                  STATUS_OUT_OF_RANGE,     STATUS_INTERNAL_ERROR};
  return status >= 0 && status < 8 ? theirs[status] : STATUS_INTERNAL_ERROR;
}

static const SuanziDType aitisa_dtypes[] = {SUANZI_INT8,   SUANZI_UINT8, SUANZI_INT16,  SUANZI_UINT16,  SUANZI_INT32,
                                            SUANZI_UINT32, SUANZI_INT64, SUANZI_UINT64, SUANZI_FLOAT32, SUANZI_FLOAT64};

static inline SuanziDType aitisa_dtype(DataType dtype) {
  const unsigned code = (unsigned)dtype.code;
  return code < TYPE_NTYPES ? aitisa_dtypes[code] : INT32_MAX; /* INT32_MAX is not an element type */
}

/* --- properties of a tensor --- */

/* A query returns 0 or NULL if the tensor is NULL or does not have the property, as a sparse tensor has no data. The type
 * of elements that aitisa_api does not have is TYPE_NTYPES. */
static inline int64_t aitisa_tensor_ndim(const Tensor t) {
  int64_t rank = 0;
  (void)suanzi_rank(t, &rank);
  return rank;
}
static inline int64_t* aitisa_tensor_dims(const Tensor t) {
  const int64_t* dims = NULL;
  (void)suanzi_dims(t, &dims);
  return (int64_t*)dims;
}
static inline int64_t aitisa_tensor_dim(const Tensor t, int64_t d) { return aitisa_tensor_dims(t)[d]; }
static inline int64_t aitisa_tensor_size(const Tensor t) {
  int64_t size = 0;
  (void)suanzi_size(t, &size);
  return size;
}
static inline LayoutType aitisa_tensor_layout_type(const Tensor t) {
  int32_t kind = SUANZI_KIND_DENSE;
  (void)suanzi_kind(t, &kind);
  return kind == SUANZI_KIND_SPARSE ? LAYOUT_SPARSE : LAYOUT_DENSE;
}
static inline Shape aitisa_tensor_shape(const Tensor t) {
  /* The last n numbers of `falling` are the order n-1 ... 0. */
  static int64_t falling[SUANZI_MAX_RANK] = {63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48,
                                             47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
                                             31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                                             15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0};
  Shape shape = {aitisa_tensor_ndim(t), aitisa_tensor_dims(t), {aitisa_tensor_layout_type(t), NULL}};
  if (shape.ndim > 0) shape.layout.min2maj = falling + SUANZI_MAX_RANK - shape.ndim;
  return shape;
}
static inline DataType aitisa_tensor_data_type(const Tensor t) {
  SuanziDType dtype = SUANZI_DTYPE_NONE;
  DataType found = {TYPE_NTYPES, 0};
  int64_t bytes = 0;
  int i;
  if (suanzi_dtype(t, &dtype) != SUANZI_STATUS_SUCCESS) return found;
  for (i = 0; i < TYPE_NTYPES; ++i)
    if (aitisa_dtypes[i] == dtype && suanzi_dtype_size(dtype, &bytes) == SUANZI_STATUS_SUCCESS) {
      found.code = (TypeCode)i;
      found.size = (uint8_t)bytes;
    }
  return found;
}
static inline void* aitisa_tensor_data(const Tensor t) {
  void* data = NULL;
  (void)suanzi_data(t, &data);
  return data;
}
static inline Device aitisa_tensor_device(const Tensor t) {
  const Device cpu = {DEVICE_CPU, 0};
  (void)t;
  return cpu;
}
static inline void aitisa_tensor_set_item(const Tensor t, int64_t index, void* value) {
  const size_t size = aitisa_tensor_data_type(t).size;
  memcpy((char*)aitisa_tensor_data(t) + (size_t)index * size, value, size);
}

/* --- creation and destruction --- */

static inline Status aitisa_create(DataType dtype, Device device, int64_t* dims, int64_t ndim, void* data,
                                   unsigned int len, Tensor* output) {
  const SuanziDType type = aitisa_dtype(dtype);
  Status status;
  if (device.type != DEVICE_CPU) return STATUS_NOT_SUPPORTED;
  if (!data) return aitisa_status(suanzi_empty(dims, ndim, type, NULL, NULL, output));
  status = aitisa_status(suanzi_from_reference(data, len, dims, ndim, type, NULL, NULL, NULL, NULL, output));
  if (status == STATUS_DIMENSIONS_MISMATCH) return STATUS_INVALID_ARGUMENT;
  CHECK_STATUS(status);
  if ((int64_t)(len / aitisa_tensor_data_type(*output).size) != aitisa_tensor_size(*output)) {
    (void)suanzi_destroy(output);
    return STATUS_INVALID_ARGUMENT;
  }
  (void)suanzi_destroy(output);
  return aitisa_status(suanzi_from_reference(data, len, dims, ndim, type, NULL, NULL, free, data, output));
}
static inline Status aitisa_destroy(Tensor* input) {
  return input && !*input ? STATUS_SUCCESS : aitisa_status(suanzi_destroy(input));
}
static inline Status aitisa_resolve(Tensor input, DataType* dtype, Device* device, int64_t** dims, int64_t* ndim,
                                    void** data, unsigned int* len) {
  CHECK_STATUS(aitisa_status(suanzi_data(input, data)));
  *dtype = aitisa_tensor_data_type(input);
  *device = aitisa_tensor_device(input);
  *dims = aitisa_tensor_dims(input);
  *ndim = aitisa_tensor_ndim(input);
  *len = (unsigned int)aitisa_tensor_size(input) * dtype->size;
  return STATUS_SUCCESS;
}
/* Creates a tensor whose elements are `value`. For an integer type, the function truncates `value`. */
static inline Status aitisa_full(DataType dtype, Device device, int64_t* dims, int64_t ndim, double value,
                                 Tensor* output) {
  SuanziScalar scalar;
  if (device.type != DEVICE_CPU) return STATUS_NOT_SUPPORTED;
  if (dtype.code < TYPE_FLOAT && value > -9e18 && value < 9e18) value = (double)(int64_t)value;
  scalar = suanzi_scalar_float(value);
  return aitisa_status(suanzi_full(dims, ndim, &scalar, aitisa_dtype(dtype), NULL, NULL, output));
}

/* --- operators --- */

/* Destroys a tensor. For NULL, the function does nothing, so that suanzi_last_message() keeps its text. */
static inline void aitisa_drop(SuanziTensor* tensor) {
  if (*tensor) (void)suanzi_destroy(tensor);
}
/* Copies `made` to a new tensor with the element type of x, and destroys `made`. */
static inline Status aitisa_finish(SuanziStatus status, SuanziTensor made, const Tensor x, Tensor* output) {
  if (status == SUANZI_STATUS_SUCCESS)
    status = suanzi_astype(made, aitisa_dtype(aitisa_tensor_data_type(x)), output);
  else if (output)
    *output = NULL;
  aitisa_drop(&made);
  return aitisa_status(status);
}
static inline Status aitisa_same_type(const Tensor a, const Tensor b) {
  return aitisa_tensor_data_type(a).code == aitisa_tensor_data_type(b).code ? STATUS_SUCCESS : STATUS_TYPE_MISMATCH;
}

static inline Status aitisa_cast(const Tensor input, DataType dtype, Tensor* output) {
  return aitisa_status(suanzi_astype(input, aitisa_dtype(dtype), output));
}
static inline Status aitisa_duplicate(const Tensor input, Tensor* output) {
  return aitisa_status(suanzi_clone(input, output));
}
static inline Status aitisa_reshape(const Tensor input, int64_t* dims, int64_t ndim, Tensor* output) {
  SuanziTensor view = NULL;
  const SuanziStatus status = suanzi_reshape(input, dims, ndim, &view);
  return aitisa_finish(status, view, input, output);
}
/* Removes all dimensions of size 1, or only the dimensions of size 1 that `axis` names. */
static inline Status aitisa_squeeze(const Tensor input, int64_t* axis, int64_t num_axis, Tensor* output) {
  const int64_t ndim = aitisa_tensor_ndim(input);
  int64_t *const dims = aitisa_tensor_dims(input), kept[SUANZI_MAX_RANK], count = 0, i, j;
  if (!dims || num_axis < 0) return STATUS_INVALID_ARGUMENT;
  for (j = 0; j < num_axis; ++j)
    if (axis[j] < 0 || axis[j] >= ndim) return STATUS_INVALID_ARGUMENT;
  for (i = 0; i < ndim; ++i) {
    bool named = num_axis == 0;
    for (j = 0; j < num_axis; ++j) named = named || axis[j] == i;
    if (!named || dims[i] != 1) kept[count++] = dims[i];
  }
  return aitisa_reshape(input, kept, count, output);
}
/* Selects every `step`th of the `size` positions that begin at `begin`, along each dimension. */
static inline Status aitisa_slice(const Tensor input, int* begin, int* size, int* step, Tensor* output) {
  const int64_t ndim = aitisa_tensor_ndim(input);
  int64_t *const dims = aitisa_tensor_dims(input), from[SUANZI_MAX_RANK], to[SUANZI_MAX_RANK], by[SUANZI_MAX_RANK], i;
  SuanziTensor view = NULL;
  SuanziStatus status;
  if (!dims) return STATUS_INVALID_ARGUMENT;
  for (i = 0; i < ndim; ++i) {
    from[i] = begin[i];
    to[i] = from[i] + size[i];
    by[i] = step[i];
    if (from[i] < 0 || from[i] >= dims[i] || size[i] < 0 || to[i] > dims[i] || by[i] < 1)
      return STATUS_INVALID_ARGUMENT;
  }
  status = suanzi_slice(input, from, to, by, NULL, ndim, &view);
  return aitisa_finish(status, view, input, output);
}

#define SUANZI_AITISA_BINARY(name, call)                                                           \
  static inline Status aitisa_##name(const Tensor tensor1, const Tensor tensor2, Tensor* output) { \
    CHECK_STATUS(aitisa_same_type(tensor1, tensor2));                                              \
    {                                                                                              \
      SuanziTensor made = NULL;                                                                    \
      const SuanziStatus status = call;                                                            \
      return aitisa_finish(status, made, tensor1, output);                                         \
    }                                                                                              \
  }
SUANZI_AITISA_BINARY(add, suanzi_add(tensor1, tensor2, &made))
SUANZI_AITISA_BINARY(sub, suanzi_subtract(tensor1, tensor2, &made))
SUANZI_AITISA_BINARY(mul, suanzi_multiply(tensor1, tensor2, &made))
/* Division of integers rounds towards zero, as in C. */
SUANZI_AITISA_BINARY(div, aitisa_tensor_data_type(tensor1).code < TYPE_FLOAT
                              ? suanzi_divide(tensor1, tensor2, SUANZI_DIVIDE_TRUNC, &made)
                              : suanzi_true_divide(tensor1, tensor2, &made))
SUANZI_AITISA_BINARY(matrix_product, suanzi_matmul(tensor1, tensor2, &made))
SUANZI_AITISA_BINARY(inner_product, suanzi_dot(tensor1, tensor2, &made))
#undef SUANZI_AITISA_BINARY

/* Sets the shape of the product of two vectors to (1). */
static inline Status aitisa_with_axis(Status status, Tensor* output) {
  int64_t one = 1;
  if (status == STATUS_SUCCESS && aitisa_tensor_ndim(*output) == 0) {
    SuanziTensor scalar = *output;
    status = aitisa_reshape(scalar, &one, 1, output);
    (void)suanzi_destroy(&scalar);
  }
  return status;
}
static inline Status aitisa_matmul(const Tensor tensor1, const Tensor tensor2, Tensor* output) {
  return aitisa_with_axis(aitisa_matrix_product(tensor1, tensor2, output), output);
}
static inline Status aitisa_dot(const Tensor tensor1, const Tensor tensor2, Tensor* output) {
  return aitisa_with_axis(aitisa_inner_product(tensor1, tensor2, output), output);
}

/* Returns the square root, for integers the truncated float64 root. For a negative number, the function returns
   STATUS_MATH_ERROR. */
static inline Status aitisa_sqrt(const Tensor input, Tensor* output) {
  const SuanziScalar number = suanzi_scalar_int(0);
  SuanziTensor zero = NULL, less = NULL, any = NULL, wide = NULL, root = NULL;
  bool negative = false;
  SuanziStatus status = suanzi_scalar(&number, &zero);
  if (status == SUANZI_STATUS_SUCCESS) status = suanzi_less(input, zero, &less);
  if (status == SUANZI_STATUS_SUCCESS)
    status = suanzi_reduce(less, SUANZI_REDUCE_ANY, NULL, 0, false, SUANZI_DTYPE_NONE, &any);
  if (status == SUANZI_STATUS_SUCCESS) status = suanzi_read(any, &negative, 1);
  if (status == SUANZI_STATUS_SUCCESS && !negative) {
    const bool whole = aitisa_tensor_data_type(input).code < TYPE_FLOAT;
    if (whole) status = suanzi_astype(input, SUANZI_FLOAT64, &wide);
    if (status == SUANZI_STATUS_SUCCESS) status = suanzi_sqrt(whole ? wide : input, &root);
  }
  aitisa_drop(&zero);
  aitisa_drop(&less);
  aitisa_drop(&any);
  aitisa_drop(&wide);
  if (negative) {
    *output = NULL;
    return STATUS_MATH_ERROR;
  }
  return aitisa_finish(status, root, input, output);
}
static inline Status aitisa_tanh(const Tensor input, Tensor* output) {
  if (aitisa_tensor_data_type(input).code < TYPE_FLOAT) return STATUS_NOT_SUPPORTED;
  return aitisa_status(suanzi_tanh(input, output));
}

SUANZI_END

#endif
