/* suanzi.h: the 134 operators of T/AI 137.1-2025 (人工智能 算子接口 第1部分：基础数学类) in C.
 *
 * The header needs C99 or C++17, or a newer version. The library libsuanzi implements the header; any other library may
 * implement it as well, and can then be tested by the same means. Functions are named suanzi_<operator>; each returns a
 * status, and its results by pointers:
 *
 *     SuanziStatus suanzi_add(const SuanziTensor x1, const SuanziTensor x2, SuanziTensor* y);
 *
 * Contents:
 *     suanzi/types.h        statuses, element types, scalars, devices, layouts (5.5, 5.7, chapter 6)
 *     suanzi/tensors.h      handles: what they hold, reading elements, their parts; messages, versions
 *     suanzi/creation.h     creation, destruction and query (张量创建与销毁, 张量查询与检查)
 *     suanzi/elementwise.h  arithmetic, comparison, logic, bits, powers, rounding, functions, complex numbers
 *     suanzi/transform.h    shapes, joining, padding, gathering, scattering (张量转换)
 *     suanzi/reduction.h    reduction, scans, index operations, Fourier transforms, interpolation
 *     suanzi/linalg.h       linear algebra (线性代数操作)
 *     suanzi/runtime.h      threads and memory of libsuanzi, which other libraries need not implement
 *     suanzi/aitisa.h       names of aitisa_api for programs that were written for that library; not included here
 *
 * RULES that apply to every function unless its comment says otherwise
 *
 * Results. `y`, the last parameter, receives a new handle, which the caller owns and must pass to suanzi_destroy. On
 * failure every *y is NULL and nothing else has changed. No function changes its operands. A result may share memory
 * with an operand (a view) if the function's comment says so. Memory lives as long as any handle on it, so handles may
 * be destroyed in any order. The call overwrites *y, which must not be the only copy of a handle.
 *
 * Ownership. Arrays and texts that the caller passes are read only during the call and remain the caller's, except
 * memory that is passed to suanzi_from_reference. Returned pointers (suanzi_data, strings) are valid as long as the
 * handle that they belong to, or another handle on the same memory.
 *
 * Statuses. Any function may return
 *     TYPE_MISMATCH         the operator does not accept the element type or the kind of an operand
 *     UNINITIALIZED_OBJECT  an operand is NULL: it was destroyed, or never created
 *     INVALID_ARGUMENT      a pointer is NULL where a value is needed; a count is negative or above SUANZI_MAX_RANK
 *                           where it counts dimensions; a constant is not one that this interface names
 *     ALLOC_FAILED          there is no memory for the result, or its bytes cannot be counted in 64 bits
 *     INTERNAL_ERROR        something else failed
 * A function's further statuses follow "Also:" in its comment. suanzi_last_message returns the reason.
 *
 * Threads. Any number of threads may call functions. Several threads may read one handle at the same time. While a
 * thread destroys a handle, sets its user data, or writes through suanzi_data, no other thread may use the handle. Each
 * thread has its own last message.
 *
 * Indices and axes count from 0 (5.1). An axis may be negative: -1 is the last axis. A list is a pointer and a count;
 * the pointer of an empty list may be NULL. Element types promote and shapes broadcast (5.4) as suanzi's guide says:
 * types of one kind promote to the wider type, an integer and a floating type to the floating type, float16 and
 * bfloat16 to float32.
 *
 * ABI. Statuses, types and other constants are int32_t, sizes and counts int64_t, so that the interface does not depend
 * on a compiler's enums. Structures do not change within a major version. A library with the same major version,
 * SUANZI_C_VERSION / 100, and an equal or later version has everything that this header declares. */
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
