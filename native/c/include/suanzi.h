/* suanzi.h: the 134 operators of T/AI 137.1-2025 (人工智能 算子接口 第1部分：基础数学类) in C.
 *
 * C99 and C++17, or newer. The library libsuanzi implements this header; so may any other library, which can then be
 * tested by the same means. Functions are named suanzi_<operator>; each returns a status, and its results by pointers:
 *
 *     SuanziStatus suanzi_add(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
 *
 * Where what is:
 *     suanzi/types.h        statuses, element types, scalars, devices, layouts (5.5, 5.7, chapter 6)
 *     suanzi/tensors.h      handles: what they hold, reading elements, their parts; messages, versions
 *     suanzi/creation.h     creation, destruction and query (张量创建与销毁, 张量查询与检查)
 *     suanzi/elementwise.h  arithmetic, comparison, logic, bits, powers, rounding, functions, complex numbers
 *     suanzi/transform.h    shapes, joining, padding, gathering, scattering (张量转换)
 *     suanzi/reduction.h    reduction, scans, index operations, Fourier transforms, interpolation
 *     suanzi/linalg.h       linear algebra (线性代数操作)
 *     suanzi/runtime.h      threads and memory of libsuanzi: no part of what other libraries implement
 *     suanzi/aitisa.h       names of aitisa_api for programs that were written for that library; not included here
 *
 * RULES, which hold for every function unless it says otherwise
 *
 * Results. `y`, the last parameter, receives a new handle, which the caller owns and gives to suanzi_destroy. On
 * failure every *y is NULL and nothing else has changed. No function changes its operands. A result may share memory
 * with an operand (a view) where the function says so; memory lives as long as any handle on it, so that handles may be
 * destroyed in any order. What *y held before the call is overwritten: it must not be the only handle on something.
 *
 * Ownership. Arrays and texts that are passed in are read during the call alone and stay the caller's, but for the
 * memory that suanzi_from_reference is given. Pointers that are given back (suanzi_data, strings) are valid as long as
 * the handle that they were asked of, or another one on the same memory.
 *
 * Statuses. Any function may return
 *     TYPE_MISMATCH         an operand has an element type, or is of a kind, that the operator does not take
 *     UNINITIALIZED_OBJECT  an operand is NULL: it has been destroyed, or was never made
 *     INVALID_ARGUMENT      a pointer is NULL where a value is needed; a count is negative or above SUANZI_MAX_RANK
 *                           where it counts dimensions; a constant is none of those that are named here
 *     ALLOC_FAILED          there is no memory for the result, or its bytes cannot be counted in 64 bits
 *     INTERNAL_ERROR        something else failed
 * What else it may return stands after "Also:". suanzi_last_message says what was wrong.
 *
 * Threads. Functions may be called from any number of threads. Several may read one handle at the same time; to destroy
 * a handle, to set its user data, and to write through suanzi_data needs that nobody else uses it meanwhile. The last
 * message belongs to the thread.
 *
 * Counting is from 0 (5.1). An axis may be negative: -1 is the last one. Lists are a pointer and a count, an empty one
 * may be NULL. Element types promote and shapes broadcast (5.4) as the guide of suanzi says: within a kind to the wider
 * type; an integer beside a floating type to that; float16 and bfloat16 to float32.
 *
 * ABI. Statuses, types and other constants are int32_t, sizes and counts int64_t, so that no compiler's enum counts.
 * Structures do not change within a major version. A library of the same major version, SUANZI_C_VERSION / 100, and of
 * an equal or later one has all that this header declares. */
#ifndef SUANZI_H
#define SUANZI_H

#define SUANZI_C_VERSION 200

/* IWYU pragma: begin_exports */
#include "suanzi/types.h"

#include "suanzi/tensors.h"

#include "suanzi/creation.h"
#include "suanzi/elementwise.h"
#include "suanzi/linalg.h"
#include "suanzi/reduction.h"
#include "suanzi/runtime.h"
#include "suanzi/transform.h"
/* IWYU pragma: end_exports */

#endif
