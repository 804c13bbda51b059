/* A library of 18 operators on float32, as an example of another implementation of suanzi.h. The library has a part
 * of suanzi.h, so that `suanzi conformance --provider ./libtiny.so` can check the library. The library does not use
 * libsuanzi.
 *
 * The library lacks:
 * - element types other than float32 (TYPE_MISMATCH), except bool for the results of comparisons;
 * - devices other than the CPU;
 * - more than 8 dimensions;
 * - the other 116 operators, such as expand and sparse_tensor, with which some checks make operands;
 * - views: every result has its own memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suanzi.h"

enum { MOST = 8 }; /* the greatest number of dimensions */

struct SuanziTensorObject {
  SuanziDType dtype;
  int64_t rank, size;
  int64_t dims[MOST], strides[MOST], order[MOST]; /* strides in elements, order as in clause 6.4 */
  unsigned char* data;
};

/* --- errors --- */

static _Thread_local char message[200];

static SuanziStatus fail(SuanziStatus status, const char* what) {
  snprintf(message, sizeof message, "%s", what);
  return status;
}

const char* suanzi_last_message(void) { return message; }
int32_t suanzi_c_version(void) { return SUANZI_C_VERSION; }
const char* suanzi_implementation(void) { return "tiny 1.0"; }

/* Returns the status of a failed call to the caller. */
#define TRY(call)                                         \
  do {                                                    \
    const SuanziStatus status_ = (call);                  \
    if (status_ != SUANZI_STATUS_SUCCESS) return status_; \
  } while (0)

static SuanziStatus live(const SuanziTensor x) {
  return x ? SUANZI_STATUS_SUCCESS : fail(SUANZI_STATUS_UNINITIALIZED_OBJECT, "an operand was destroyed");
}

/* Fails if the place to which a function writes a result is NULL. */
static SuanziStatus somewhere(const void* place) {
  return place ? SUANZI_STATUS_SUCCESS : fail(SUANZI_STATUS_INVALID_ARGUMENT, "NULL where a result goes");
}

/* Sets a result to NULL. The result stays NULL if the function fails. */
static SuanziStatus begin(SuanziTensor* y) {
  TRY(somewhere(y));
  *y = NULL;
  return SUANZI_STATUS_SUCCESS;
}

/* --- making tensors --- */

static int64_t width(SuanziDType dtype) { return dtype == SUANZI_BOOL ? 1 : 4; }

/* Makes a tensor of zeros in a logical order. If the order is NULL, the last dimension varies fastest. */
static SuanziStatus make(const int64_t* dims, int64_t rank, SuanziDType dtype, const int64_t* order, SuanziTensor* y) {
  TRY(begin(y));
  if (rank < 0 || rank > MOST || (rank && !dims)) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "not 0 to 8 dimensions");
  SuanziTensor x = calloc(1, sizeof *x);
  if (!x) return fail(SUANZI_STATUS_ALLOC_FAILED, "no memory");
  x->dtype = dtype, x->rank = rank, x->size = 1;
  bool counted = true, seen[MOST] = {false};
  int64_t stride = 1;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t axis = order ? order[i] : rank - 1 - i;
    if (axis < 0 || axis >= rank || seen[axis] || dims[axis] < 0) {
      free(x);
      return fail(SUANZI_STATUS_INVALID_ARGUMENT, "a negative size, or an order that is no permutation");
    }
    seen[axis] = true, x->order[i] = axis, x->dims[axis] = dims[axis], x->strides[axis] = stride;
    counted = counted && (dims[axis] == 0 || stride <= INT64_MAX / 8 / dims[axis]);
    stride *= counted && dims[axis] ? dims[axis] : 1;
    x->size *= dims[axis] ? (counted ? dims[axis] : 1) : 0;
  }
  if (counted || x->size == 0) x->data = calloc((size_t)x->size + 1, (size_t)width(dtype));
  if (!x->data) {
    free(x);
    return fail(SUANZI_STATUS_ALLOC_FAILED, "no memory for the elements");
  }
  *y = x;
  return SUANZI_STATUS_SUCCESS;
}

/* Makes a tensor from the description that creation functions accept. */
static SuanziStatus describe(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                             const SuanziLayout* layout, SuanziTensor* y) {
  TRY(begin(y));
  if (dtype != SUANZI_FLOAT32 && dtype != SUANZI_DTYPE_NONE) return fail(SUANZI_STATUS_TYPE_MISMATCH, "not float32");
  if (device && device->type != SUANZI_CPU) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "not the CPU");
  if (layout && (layout->storage != SUANZI_DENSE || (layout->order && layout->rank != rank)))
    return fail(SUANZI_STATUS_INVALID_ARGUMENT, "not a layout of a dense tensor");
  return make(dims, rank, SUANZI_FLOAT32, layout ? layout->order : NULL, y);
}

SuanziStatus suanzi_zeros(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                          const SuanziLayout* layout, SuanziTensor* y) {
  return describe(dims, rank, dtype, device, layout, y);
}

SuanziStatus suanzi_tensor(const void* data, int64_t bytes, const int64_t* dims, int64_t rank, SuanziDType dtype,
                           const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y) {
  TRY(begin(y));
  if (data && (bytes < 0 || bytes % 4)) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "not whole elements");
  TRY(describe(dims, rank, dtype, device, layout, y));
  const int64_t room = (*y)->size * 4;
  if (data) memcpy((*y)->data, data, (size_t)(bytes < room ? bytes : room));
  return SUANZI_STATUS_SUCCESS;
}

SuanziStatus suanzi_full(const int64_t* dims, int64_t rank, const SuanziScalar* value, SuanziDType dtype,
                         const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y) {
  TRY(begin(y));
  double number = 0;
  if (value) switch (value->type) {
      case SUANZI_SCALAR_BOOL:
        number = value->value.boolean;
        break;
      case SUANZI_SCALAR_INT:
        number = (double)value->value.integer;
        break;
      case SUANZI_SCALAR_UINT:
        number = (double)value->value.unsigned_integer;
        break;
      case SUANZI_SCALAR_FLOAT:
        number = value->value.floating;
        break;
      default:
        return fail(SUANZI_STATUS_TYPE_MISMATCH, "not a real number");
    }
  if (isfinite(number) && isinf((float)number)) return fail(SUANZI_STATUS_OUT_OF_RANGE, "beyond float32");
  TRY(describe(dims, rank, dtype, device, layout, y));
  for (int64_t i = 0; i < (*y)->size; ++i) ((float*)(*y)->data)[i] = (float)number;
  return SUANZI_STATUS_SUCCESS;
}

SuanziStatus suanzi_scalar(const SuanziScalar* value, SuanziTensor* y) {
  return suanzi_full(NULL, 0, value, SUANZI_FLOAT32, NULL, NULL, y);
}

SuanziStatus suanzi_destroy(SuanziTensor* x) {
  if (!x) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "no handle");
  TRY(live(*x));
  free((*x)->data);
  free(*x);
  *x = NULL;
  return SUANZI_STATUS_SUCCESS;
}

/* --- attributes of tensors --- */

SuanziStatus suanzi_dtype(const SuanziTensor x, SuanziDType* dtype) {
  TRY(live(x));
  TRY(somewhere(dtype));
  *dtype = x->dtype;
  return SUANZI_STATUS_SUCCESS;
}

SuanziStatus suanzi_rank(const SuanziTensor x, int64_t* rank) {
  TRY(live(x));
  TRY(somewhere(rank));
  *rank = x->rank;
  return SUANZI_STATUS_SUCCESS;
}

SuanziStatus suanzi_size(const SuanziTensor x, int64_t* size) {
  TRY(live(x));
  TRY(somewhere(size));
  *size = x->size;
  return SUANZI_STATUS_SUCCESS;
}

SuanziStatus suanzi_shape(const SuanziTensor x, int64_t* dims, int64_t count) {
  TRY(live(x));
  if (count != x->rank) return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "not the rank");
  if (count) TRY(somewhere(dims));
  if (count) memcpy(dims, x->dims, (size_t)count * sizeof *dims);
  return SUANZI_STATUS_SUCCESS;
}

SuanziStatus suanzi_layout(const SuanziTensor x, int32_t* storage, int64_t* order, int64_t count) {
  TRY(live(x));
  if (count != x->rank) return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "not the rank");
  TRY(somewhere(storage));
  if (count) TRY(somewhere(order));
  *storage = SUANZI_DENSE;
  if (count) memcpy(order, x->order, (size_t)count * sizeof *order);
  return SUANZI_STATUS_SUCCESS;
}

/* Returns the place in x of element i (last dimension fastest) of a tensor of these sizes, to which x broadcasts. */
static int64_t place(const SuanziTensor x, const int64_t* dims, int64_t rank, int64_t i) {
  int64_t at = 0;
  for (int64_t axis = rank - 1; axis >= 0; --axis) {
    const int64_t own = axis - (rank - x->rank), position = i % dims[axis];
    if (own >= 0 && x->dims[own] != 1) at += position * x->strides[own];
    i /= dims[axis];
  }
  return at;
}

SuanziStatus suanzi_read(const SuanziTensor x, void* buffer, int64_t bytes) {
  TRY(live(x));
  const int64_t each = width(x->dtype);
  if (bytes != x->size * each) return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "not the bytes of the elements");
  if (bytes) TRY(somewhere(buffer));
  for (int64_t i = 0; i < x->size; ++i)
    memcpy((char*)buffer + i * each, x->data + place(x, x->dims, x->rank, i) * each, (size_t)each);
  return SUANZI_STATUS_SUCCESS;
}

static float at(const SuanziTensor x, const int64_t* dims, int64_t rank, int64_t i) {
  return ((const float*)x->data)[place(x, dims, rank, i)];
}

/* --- operators, element by element --- */

static SuanziStatus taken(const SuanziTensor x) {
  TRY(live(x));
  return x->dtype == SUANZI_FLOAT32 ? SUANZI_STATUS_SUCCESS : fail(SUANZI_STATUS_TYPE_MISMATCH, "not float32");
}

static SuanziStatus map(const SuanziTensor x, float (*function)(float), SuanziTensor* y) {
  TRY(begin(y));
  TRY(taken(x));
  TRY(make(x->dims, x->rank, SUANZI_FLOAT32, x->order, y));
  for (int64_t i = 0; i < x->size; ++i) ((float*)(*y)->data)[i] = function(((const float*)x->data)[i]);
  return SUANZI_STATUS_SUCCESS;
}

/* Writes the shape to which two shapes broadcast (clause 5.4) to dims, and returns the rank of this shape, or -1. */
static int64_t broadcast(const SuanziTensor x1, const SuanziTensor x2, int64_t* dims) {
  const int64_t rank = x1->rank > x2->rank ? x1->rank : x2->rank;
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t own1 = axis - (rank - x1->rank), own2 = axis - (rank - x2->rank);
    const int64_t a = own1 < 0 ? 1 : x1->dims[own1], b = own2 < 0 ? 1 : x2->dims[own2];
    if (a != b && a != 1 && b != 1) return -1;
    dims[axis] = a == 1 ? b : a;
  }
  return rank;
}

static SuanziStatus zip(const SuanziTensor x1, const SuanziTensor x2, float (*function)(float, float),
                        SuanziDType dtype, SuanziTensor* y) {
  int64_t dims[MOST];
  TRY(begin(y));
  TRY(taken(x1));
  TRY(taken(x2));
  const int64_t rank = broadcast(x1, x2, dims);
  if (rank < 0) return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "the shapes do not broadcast");
  TRY(make(dims, rank, dtype, NULL, y));
  for (int64_t i = 0; i < (*y)->size; ++i) {
    const float value = function(at(x1, dims, rank, i), at(x2, dims, rank, i));
    if (dtype == SUANZI_BOOL)
      (*y)->data[i] = value != 0;
    else
      ((float*)(*y)->data)[i] = value;
  }
  return SUANZI_STATUS_SUCCESS;
}

static float sum_of(float a, float b) { return a + b; }
static float difference(float a, float b) { return a - b; }
static float product(float a, float b) { return a * b; }
static float greater_of(float a, float b) {
  if (isnan(a) || isnan(b)) return NAN;
  return a > b || (a == b && !signbit(a)) ? a : b;
}
static float equals(float a, float b) { return a == b; }
static float is_less(float a, float b) { return a < b; }
static float squared(float x) { return x * x; }

#define UNARY(name, function) \
  SuanziStatus suanzi_##name(const SuanziTensor x, SuanziTensor* y) { return map(x, function, y); }
#define BINARY(name, function, dtype)                                                         \
  SuanziStatus suanzi_##name(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y) { \
    return zip(x1, x2, function, dtype, y);                                                   \
  }
UNARY(abs, fabsf)
UNARY(sqrt, sqrtf)
UNARY(square, squared)
BINARY(add, sum_of, SUANZI_FLOAT32)
BINARY(subtract, difference, SUANZI_FLOAT32)
BINARY(multiply, product, SUANZI_FLOAT32)
BINARY(maximum, greater_of, SUANZI_FLOAT32)
BINARY(equal, equals, SUANZI_BOOL)
BINARY(less, is_less, SUANZI_BOOL)

/* --- shapes --- */

SuanziStatus suanzi_reshape(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y) {
  TRY(begin(y));
  TRY(taken(x));
  int64_t sizes[MOST], known = 1, unknown = -1;
  if (rank < 0 || rank > MOST || (rank && !dims)) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "not 0 to 8 dimensions");
  for (int64_t axis = 0; axis < rank; ++axis) {
    sizes[axis] = dims[axis];
    if (dims[axis] < -1 || (dims[axis] == -1 && unknown >= 0))
      return fail(SUANZI_STATUS_INVALID_ARGUMENT, "a negative size, or two that follow from the others");
    if (dims[axis] == -1)
      unknown = axis;
    else if (dims[axis] && known > x->size / dims[axis])
      known = x->size + 1; /* a count above the size, without overflow */
    else
      known *= dims[axis];
  }
  if (unknown >= 0) {
    if (known == 0 || x->size % known) return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "no size follows");
    sizes[unknown] = x->size / known;
  } else if (known != x->size) {
    return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "another number of elements");
  }
  TRY(make(sizes, rank, SUANZI_FLOAT32, NULL, y));
  return suanzi_read(x, (*y)->data, x->size * 4);
}

SuanziStatus suanzi_transpose(const SuanziTensor x, const int64_t* axes, int64_t count, SuanziTensor* y) {
  TRY(begin(y));
  TRY(taken(x));
  if (count < 0) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "a negative number of axes");
  if (axes && count != x->rank) return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "not as many axes as dimensions");
  int64_t dims[MOST], order[MOST], to[MOST];
  bool seen[MOST] = {false};
  for (int64_t i = 0; i < x->rank; ++i) {
    const int64_t given = axes ? axes[i] : x->rank - 1 - i, axis = given < 0 ? given + x->rank : given;
    if (axis < 0 || axis >= x->rank) return fail(SUANZI_STATUS_OUT_OF_RANGE, "no such axis");
    if (seen[axis]) return fail(SUANZI_STATUS_INVALID_ARGUMENT, "an axis twice");
    seen[axis] = true, dims[i] = x->dims[axis], to[axis] = i;
  }
  for (int64_t i = 0; i < x->rank; ++i) order[i] = to[x->order[i]]; /* the memory stays unchanged */
  TRY(make(dims, x->rank, SUANZI_FLOAT32, order, y));
  memcpy((*y)->data, x->data, (size_t)x->size * 4);
  return SUANZI_STATUS_SUCCESS;
}
