/* Threads and memory of libsuanzi. Other libraries need not have these functions. */
#ifndef SUANZI_RUNTIME_H
#define SUANZI_RUNTIME_H

#include "suanzi/types.h"

SUANZI_BEGIN

/* suanzi_set_num_threads sets, and suanzi_num_threads returns, the number of threads that an operator may use. The
 * default is SUANZI_NUM_THREADS of the environment, or the number of CPUs that the process may use if this variable is
 * not set. Results do not depend on the number of threads, except the results of functions that call the BLAS library
 * for a single large matrix (factors, eigenvalues, singular values, and functions made of these functions).
 * Also: INVALID_ARGUMENT for numbers outside [1, 1024]. */
SUANZI_API SuanziStatus suanzi_set_num_threads(int32_t count);
SUANZI_API SuanziStatus suanzi_num_threads(int32_t* count);

/* Returns the bytes that tensors and running operators hold now, and the bytes that libsuanzi keeps for future
 * tensors. */
SUANZI_API SuanziStatus suanzi_memory(int64_t* in_use, int64_t* cached);
/* Returns to the system the memory that libsuanzi keeps for future tensors. */
SUANZI_API SuanziStatus suanzi_release_memory(void);

/* Sets the path of the BLAS library. The library must be an OpenBLAS with 64-bit integers (libscipy_openblas64_,
 * libopenblas64_ or libopenblas64) or MKL, and libsuanzi recognises the library by the file name. This call is
 * necessary if libsuanzi does not find a BLAS library by itself. Without this call, libsuanzi uses the path in
 * SUANZI_BLAS_PATH of the environment, or searches the folders beside an installed libsuanzi and then the system's
 * folders. The first use loads the BLAS library. A call that sets a path after the first use returns INVALID_ARGUMENT.
 * A function that needs the BLAS library and does not find the BLAS library returns INTERNAL_ERROR. */
SUANZI_API SuanziStatus suanzi_set_blas(const char* path);

SUANZI_END

#endif
