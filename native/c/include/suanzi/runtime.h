/* Threads and memory of libsuanzi. Other libraries need not have these. */
#ifndef SUANZI_RUNTIME_H
#define SUANZI_RUNTIME_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* The number of threads that an operator may use. By default SUANZI_NUM_THREADS of the environment, else the number of
 * processors of the process. Results do not depend on it. INVALID_ARGUMENT for numbers outside [1, 1024]. */
SUANZI_API SuanziStatus suanzi_set_num_threads(int32_t count);
SUANZI_API SuanziStatus suanzi_num_threads(int32_t* count);

/* Bytes that tensors and running operators hold now; bytes that the library keeps besides, for tensors to come. */
SUANZI_API SuanziStatus suanzi_memory(int64_t* in_use, int64_t* cached);
/* Returns the kept bytes to the system. */
SUANZI_API SuanziStatus suanzi_release_memory(void);

/* Sets the path of libscipy_openblas64_ (or of libopenblas with 64-bit integers and the symbols of that library), if it
 * is in none of the places that are searched: SUANZI_BLAS_PATH of the environment, the folders beside an installed
 * libsuanzi, the system's. It is loaded at first use; a later call returns INVALID_ARGUMENT. A function that needs the
 * library and does not find it returns INTERNAL_ERROR. */
SUANZI_API SuanziStatus suanzi_set_blas(const char* path);

SUANZI_END

#endif
