/* Threads and memory of libsuanzi. Other libraries need not have these. */
#ifndef SUANZI_RUNTIME_H
#define SUANZI_RUNTIME_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* How many threads an operator may use. By default SUANZI_NUM_THREADS of the environment, else the processors that the
 * process may use. Results do not depend on it. INVALID_ARGUMENT for numbers outside [1, 1024]. */
SUANZI_API SuanziStatus suanzi_set_num_threads(int32_t count);
SUANZI_API SuanziStatus suanzi_num_threads(int32_t* count);

/* Bytes that tensors and running operators hold now; bytes that the library keeps besides, for tensors to come. */
SUANZI_API SuanziStatus suanzi_memory(int64_t* in_use, int64_t* cached);
/* Gives what it keeps back to the system. */
SUANZI_API SuanziStatus suanzi_release_memory(void);

/* Where libscipy_openblas64_ lies (or libopenblas with 64-bit integers and the symbols of that library), for those who
 * do not have it in one of the places where it is looked for: SUANZI_BLAS_PATH of the environment, the folders beside
 * an installed libsuanzi, the system's. It is loaded at first use; after that this is INVALID_ARGUMENT. What needs the
 * library and does not find it is INTERNAL_ERROR. */
SUANZI_API SuanziStatus suanzi_set_blas(const char* path);

SUANZI_END

#endif
