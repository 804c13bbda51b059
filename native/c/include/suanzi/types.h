/* The types of the interface, which are statuses, element types, scalars, devices and layouts. This header declares no
 * functions of the library. */
#ifndef SUANZI_TYPES_H
#define SUANZI_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define SUANZI_BEGIN extern "C" {
#define SUANZI_END }
#else
#define SUANZI_BEGIN
#define SUANZI_END
#endif

/* Marks functions that a library exports. */
#if defined(_WIN32) && defined(SUANZI_BUILDING)
#define SUANZI_API __declspec(dllexport)
#elif defined(_WIN32)
#define SUANZI_API __declspec(dllimport)
#elif defined(__GNUC__)
#define SUANZI_API __attribute__((visibility("default")))
#else
#define SUANZI_API
#endif

/* A tensor (6.1) is an opaque handle. Functions with a SuanziTensor* for a result create handles, and suanzi_destroy
 * destroys handles. */
typedef struct SuanziTensorObject* SuanziTensor;

/* Statuses, from Table 1 (5.5). */
typedef int32_t SuanziStatus;
enum {
  SUANZI_STATUS_SUCCESS = 0,
  SUANZI_STATUS_TYPE_MISMATCH = 1,
  SUANZI_STATUS_DIMENSIONS_MISMATCH = 2,
  SUANZI_STATUS_UNINITIALIZED_OBJECT = 3,
  SUANZI_STATUS_INVALID_ARGUMENT = 4,
  SUANZI_STATUS_ALLOC_FAILED = 5,
  SUANZI_STATUS_OUT_OF_RANGE = 6,
  SUANZI_STATUS_INTERNAL_ERROR = 7
};

/* Element types (6.2). An element of a string tensor is a SuanziString, and an element of a bool tensor is a byte 0 or
 * 1. An element of a complex tensor is the real part, followed by the imaginary part. */
typedef int32_t SuanziDType;
enum {
  SUANZI_DTYPE_NONE = -1, /* no type (the function's comment names the type that the function then uses) */
  SUANZI_BOOL = 0,
  SUANZI_UINT8 = 1,
  SUANZI_UINT16 = 2,
  SUANZI_UINT32 = 3,
  SUANZI_UINT64 = 4,
  SUANZI_INT8 = 5,
  SUANZI_INT16 = 6,
  SUANZI_INT32 = 7,
  SUANZI_INT64 = 8,
  SUANZI_FLOAT16 = 9,
  SUANZI_BFLOAT16 = 10,
  SUANZI_FLOAT32 = 11,
  SUANZI_FLOAT64 = 12,
  SUANZI_COMPLEX64 = 13,
  SUANZI_COMPLEX128 = 14,
  SUANZI_STRING = 15
};

/* The quantized types of Table 17. A code represents the number scale * (code - zero point). Symmetric types have the
 * zero point 0, and lack the least code, whose negative is not a code. In types per channel, each position along an
 * axis has its own scale. */
typedef int32_t SuanziQuantizedType;
enum {
  SUANZI_QINT8 = 0,
  SUANZI_QINT16 = 1, /* the standard's default */
  SUANZI_QUINT8 = 2,
  SUANZI_QINT8_ASYMMETRIC = 3,
  SUANZI_QUINT16 = 4,
  SUANZI_QINT16_ASYMMETRIC = 5,
  SUANZI_QINT8_PER_CHANNEL = 6,
  SUANZI_QINT16_PER_CHANNEL = 7
};

/* A text of `length` bytes in UTF-8, without a final 0. */
typedef struct SuanziString {
  const char* data;
  int64_t length;
} SuanziString;

/* A generic scalar (5.7) consists of a value and its type. */
enum {
  SUANZI_SCALAR_BOOL = 0,
  SUANZI_SCALAR_INT = 1,
  SUANZI_SCALAR_UINT = 2,
  SUANZI_SCALAR_FLOAT = 3,
  SUANZI_SCALAR_COMPLEX = 4,
  SUANZI_SCALAR_STRING = 5
};
typedef struct SuanziScalar {
  int32_t type; /* one of SUANZI_SCALAR_... */
  union {
    bool boolean;
    int64_t integer;
    uint64_t unsigned_integer;
    double floating;
    double complex_parts[2]; /* the real part and the imaginary part */
    SuanziString string;
  } value;
} SuanziScalar;

static inline SuanziScalar suanzi_scalar_bool(bool value) {
  SuanziScalar scalar = {SUANZI_SCALAR_BOOL, {false}};
  scalar.value.boolean = value;
  return scalar;
}
static inline SuanziScalar suanzi_scalar_int(int64_t value) {
  SuanziScalar scalar = {SUANZI_SCALAR_INT, {false}};
  scalar.value.integer = value;
  return scalar;
}
static inline SuanziScalar suanzi_scalar_float(double value) {
  SuanziScalar scalar = {SUANZI_SCALAR_FLOAT, {false}};
  scalar.value.floating = value;
  return scalar;
}
static inline SuanziScalar suanzi_scalar_complex(double real, double imaginary) {
  SuanziScalar scalar = {SUANZI_SCALAR_COMPLEX, {false}};
  scalar.value.complex_parts[0] = real;
  scalar.value.complex_parts[1] = imaginary;
  return scalar;
}
static inline SuanziScalar suanzi_scalar_string(const char* data, int64_t length) {
  SuanziScalar scalar = {SUANZI_SCALAR_STRING, {false}};
  scalar.value.string.data = data;
  scalar.value.string.length = length;
  return scalar;
}

/* Devices (6.5). A const SuanziDevice* of NULL means the CPU. Functions return INVALID_ARGUMENT for a device that the
 * library does not have. */
enum { SUANZI_CPU = 0, SUANZI_GPU = 1, SUANZI_NPU = 2, SUANZI_FPGA = 3, SUANZI_ASIC = 4 };
typedef struct SuanziDevice {
  int32_t type;
  int32_t index; /* the number among devices of the type, from 0 */
} SuanziDevice;

/* A layout (6.4) is a storage format, and the logical order of `rank` dimensions, beginning with the dimension that
 * varies fastest. A const SuanziLayout* of NULL means dense storage in the order [n-1, ..., 0]. An `order` of NULL also
 * means the order [n-1, ..., 0]. */
enum { SUANZI_DENSE = 0, SUANZI_SPARSE = 1 };
typedef struct SuanziLayout {
  int32_t storage;
  const int64_t* order;
  int64_t rank;
} SuanziLayout;

/* The kinds of tensor that a handle may hold. */
enum {
  SUANZI_KIND_DENSE = 0,
  SUANZI_KIND_SPARSE = 1,
  SUANZI_KIND_QUANTIZED = 2,
  SUANZI_KIND_SCALAR = 3 /* a number or a string as an operand (see suanzi_scalar) */
};

/* The greatest number of dimensions that a tensor may have. */
#define SUANZI_MAX_RANK 64

#endif
