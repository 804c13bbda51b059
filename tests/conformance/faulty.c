/* libsuanzi with one fault, which the environment variable FAULT names. With each fault, a function breaks a rule of
 * suanzi.h.
 *
 * This library is linked to libsuanzi, which has all other functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suanzi.h"

static bool is(const char* fault) {
  const char* chosen = getenv("FAULT");
  return chosen && strcmp(chosen, fault) == 0;
}

static void* right(const char* name) {
  static void* library;
  if (!library) library = dlopen(LIBSUANZI, RTLD_NOW);
  return dlsym(library, name);
}
#define RIGHT(name) ((__typeof__(&suanzi_##name))right("suanzi_" #name))

static void damage(const SuanziTensor x) {
  void* data = NULL;
  int64_t size = 0;
  if (RIGHT(data)(x, &data) == 0 && RIGHT(size)(x, &size) == 0 && size) ((float*)data)[0] += 1;
}

/* --- results and operands --- */

SuanziStatus suanzi_add(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y) {
  if (is("a result without a place is written")) *y = NULL;
  if (is("a result without a place is forgotten") && !y) return SUANZI_STATUS_SUCCESS;
  if (is("an operand that is NULL is read")) *(volatile char*)x1;
  if (is("an operand that is NULL is another status") && !x1) {
    RIGHT(add)(x1, x2, y);
    return SUANZI_STATUS_INVALID_ARGUMENT;
  }
  const SuanziStatus status = RIGHT(add)(x1, x2, y);
  if (is("a failure leaves its result") && status && y) *y = x2;
  return status;
}

SuanziStatus suanzi_topk(const SuanziTensor x, int64_t k, int64_t axis, bool largest, bool sorted, SuanziTensor* values,
                         SuanziTensor* indices) {
  if (is("the second result is not NULL") && !x) {
    *values = NULL;
    *indices = (SuanziTensor)values;
    return RIGHT(rank)(x, &k);
  }
  if (is("the second place is not looked at") && !indices) {
    SuanziTensor unused = NULL;
    const SuanziStatus status = RIGHT(topk)(x, k, axis, largest, sorted, values, &unused);
    RIGHT(destroy)(&unused);
    return status;
  }
  return RIGHT(topk)(x, k, axis, largest, sorted, values, indices);
}

SuanziStatus suanzi_exp(const SuanziTensor x, SuanziTensor* y) {
  static int busy;
  if (is("calls in two threads meet")) {
    if (busy) return RIGHT(rank)(NULL, NULL) ? SUANZI_STATUS_INTERNAL_ERROR : 0;
    busy = 1, usleep(200);
  }
  const SuanziStatus status = RIGHT(exp)(x, y);
  busy = 0;
  if (is("an operand is changed") && status == 0) damage(x);
  if (is("a copy of the operand is left over") && status == 0) {
    SuanziTensor copy = NULL;
    RIGHT(clone)(x, &copy);
  }
  return status;
}

SuanziStatus suanzi_clone(const SuanziTensor x, SuanziTensor* y) {
  return is("a clone is a view") ? RIGHT(contiguous)(x, y) : RIGHT(clone)(x, y);
}

SuanziStatus suanzi_square(const SuanziTensor x, SuanziTensor* y) {
  if (!is("a result lies in memory of the operand") || !x) return RIGHT(square)(x, y);
  void* data = NULL;
  int64_t dims[8], rank = 0, size = 0;
  SuanziTensor result = NULL;
  const SuanziStatus status = RIGHT(square)(x, &result);
  if (status || !y) return y ? (*y = NULL, status) : SUANZI_STATUS_INVALID_ARGUMENT;
  static float kept[1 << 16];
  RIGHT(rank)(x, &rank), RIGHT(size)(x, &size), RIGHT(shape)(x, dims, rank);
  RIGHT(read)(result, kept, size * 4), RIGHT(destroy)(&result);
  (void)data;
  return RIGHT(from_reference)(kept, sizeof kept, dims, rank, SUANZI_FLOAT32, NULL, NULL, NULL, NULL, y);
}

/* --- counts and lists --- */

SuanziStatus suanzi_zeros(const int64_t* dims, int64_t rank, SuanziDType dtype, const SuanziDevice* device,
                          const SuanziLayout* layout, SuanziTensor* y) {
  if (is("a rank below 0 is 0") && rank < 0) rank = 0;
  if (is("a rank above 64 is cut off") && rank > 64) rank = 2;
  if (is("a missing list is empty") && !dims) rank = 0;
  return RIGHT(zeros)(dims, rank, dtype, device, layout, y);
}

SuanziStatus suanzi_reshape(const SuanziTensor x, const int64_t* dims, int64_t rank, SuanziTensor* y) {
  if (is("a missing list is read") && rank) *(volatile const int64_t*)dims;
  return RIGHT(reshape)(x, dims, rank, y);
}

SuanziStatus suanzi_shape(const SuanziTensor x, int64_t* dims, int64_t count) {
  int64_t rank = 0;
  if (is("a count is not looked at") && RIGHT(rank)(x, &rank) == 0) count = rank;
  return RIGHT(shape)(x, dims, count);
}

SuanziStatus suanzi_read(const SuanziTensor x, void* buffer, int64_t bytes) {
  int64_t size = 0;
  SuanziDType dtype = 0;
  if (is("bytes are not looked at") && buffer && RIGHT(size)(x, &size) == 0 && RIGHT(dtype)(x, &dtype) == 0) {
    int64_t each = 0;
    RIGHT(dtype_size)(dtype, &each);
    bytes = size * each;
  }
  return RIGHT(read)(x, buffer, bytes);
}

SuanziStatus suanzi_dtype(const SuanziTensor x, SuanziDType* dtype) {
  if (is("a place of a type is not looked at")) *dtype = SUANZI_FLOAT32;
  return RIGHT(dtype)(x, dtype);
}

/* --- memory --- */

SuanziStatus suanzi_destroy(SuanziTensor* x) {
  if (is("destroying NULL succeeds") && x && !*x) return SUANZI_STATUS_SUCCESS;
  if (is("destroying no place succeeds") && !x) return SUANZI_STATUS_SUCCESS;
  if (is("nothing is freed") && x && *x) return *x = NULL, SUANZI_STATUS_SUCCESS;
  if (is("a destroyed handle is left") && x) {
    SuanziTensor handle = *x;
    return RIGHT(destroy)(&handle);
  }
  return RIGHT(destroy)(x);
}

SuanziStatus suanzi_tensor(const void* data, int64_t bytes, const int64_t* dims, int64_t rank, SuanziDType dtype,
                           const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y) {
  if (is("negative bytes are none") && bytes < 0) bytes = 0;
  if (is("an unknown type is float32") && dtype > SUANZI_STRING) dtype = SUANZI_FLOAT32;
  return RIGHT(tensor)(data, bytes, dims, rank, dtype, device, layout, y);
}

SuanziStatus suanzi_from_reference(void* data, int64_t bytes, const int64_t* dims, int64_t rank, SuanziDType dtype,
                                   const SuanziDevice* device, const SuanziLayout* layout,
                                   void (*release)(void* context), void* context, SuanziTensor* y) {
  if (is("release is never called")) release = NULL;
  if (is("release gets the memory") && release) context = data;
  if (is("memory that is too short is taken") && bytes < 24) bytes = 24;
  if (is("a reference is a copy")) {
    const SuanziStatus status = RIGHT(tensor)(data, bytes, dims, rank, dtype, device, layout, y);
    return status;
  }
  const SuanziStatus status =
      RIGHT(from_reference)(data, bytes, dims, rank, dtype, device, layout, release, context, y);
  if (is("release is called at once") && status == 0 && release) release(context);
  if (is("release is called after a failure") && status && release) release(context);
  return status;
}

SuanziStatus suanzi_set_user_data(const SuanziTensor x, void* data, void (*release)(void* data)) {
  return RIGHT(set_user_data)(x, data, is("the user's data are not released") ? NULL : release);
}

/* --- messages and names --- */

const char* suanzi_last_message(void) {
  static char first[200];
  if (is("there is no message")) return "";
  if (is("a message that is missing is NULL")) {
    const char* message = RIGHT(last_message)();
    return *message ? message : NULL;
  }
  if (is("one message for all threads")) {
    const char* message = RIGHT(last_message)();
    if (*message) strncpy(first, message, sizeof first - 1);
    return first;
  }
  return RIGHT(last_message)();
}

SuanziStatus suanzi_rank(const SuanziTensor x, int64_t* rank) {
  const SuanziStatus status = RIGHT(rank)(x, rank);
  if (is("a success has a message") && status == 0) RIGHT(shape)(x, NULL, 64);
  return status;
}

const char* suanzi_status_name(SuanziStatus status) {
  if (is("every status is a success")) return "STATUS_SUCCESS";
  if (is("an unknown status has no name") && (status < 0 || status > 7)) return NULL;
  return RIGHT(status_name)(status);
}
